"""Agreement tile by tile: how many parts of two pictures that lie over one another show the same.

A logo or a caption spoils a few tiles and leaves the others alone, where unlike pictures agree
in a few by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.signature.maps import Map

from .pixels import Floats, overlay

TILE_PX = 8
NOISE_LEVELS = 3.0
MIN_CONTRAST_LEVELS = 4.0
MIN_COVERED = 0.6
MIN_CORNER_STRENGTH = 0.4
MIN_DETAIL_LEVELS = 2.0
MIN_DETAIL_AGREEMENT = 0.5


@dataclass(frozen=True)
class Tiles:
    """For each tile of each pair (rows): the agreement, -1 to 1, and whether it counts.

    A tile counts where both pictures have pixels and one of them has contrast. It is a detail where
    both show the same and edges run in more than one direction, which is what fixes an alignment:
    noise does not agree, and of a horizon or a soft sky there are few.
    """

    agreement: Floats
    counts: NDArray[np.bool_]
    is_detail: NDArray[np.bool_]


def compare_tiles(template: Floats, other: Floats, maps: Map) -> Tiles:
    """The tiles of template and other, in levels of brightness, where the maps lay the other."""
    seen = overlay(other, maps)
    covered = cut_tiles(seen.is_inside.astype(np.float32))
    one, two = cut_tiles(seen.values), cut_tiles(template.reshape(len(template), -1))
    total = covered.sum(axis=-1) + np.float32(1e-6)
    one = (one - ((one * covered).sum(axis=-1) / total)[..., None]) * covered
    two = (two - ((two * covered).sum(axis=-1) / total)[..., None]) * covered
    power_one, power_two = (one * one).sum(axis=-1) / total, (two * two).sum(axis=-1) / total
    floor = np.float32(NOISE_LEVELS**2)
    agreement = (
        (one * two).sum(axis=-1) / total / np.sqrt((power_one + floor) * (power_two + floor))
    )
    power = np.maximum(power_one, power_two)
    strength = np.maximum(_corner_strength(template), _corner_strength(seen.as_pictures()))
    is_covered = total > MIN_COVERED * TILE_PX**2
    is_detail = (power > MIN_DETAIL_LEVELS**2) & (agreement > MIN_DETAIL_AGREEMENT)
    is_detail &= is_covered & (strength > MIN_CORNER_STRENGTH)
    return Tiles(agreement, is_covered & (power > MIN_CONTRAST_LEVELS**2), is_detail)


def cut_tiles(pixels: Floats) -> Floats:
    """Flat pictures as (picture, tile, pixel)."""
    side = round(float(pixels.shape[1]) ** 0.5) // TILE_PX
    tiles = pixels.reshape(len(pixels), side, TILE_PX, side, TILE_PX).transpose(0, 1, 3, 2, 4)
    return tiles.reshape(len(pixels), side * side, TILE_PX**2)


def _corner_strength(pictures: Floats) -> Floats:
    """The smaller eigenvalue of each tile's structure tensor (Shi and Tomasi 1994)."""
    down, across = np.gradient(pictures, axis=(1, 2))
    flat = len(pictures), -1
    xx, yy, xy = (
        cut_tiles((one * two).reshape(flat)).mean(axis=-1)
        for one, two in ((across, across), (down, down), (across, down))
    )
    strength: Floats = (xx + yy) / 2 - np.sqrt(((xx - yy) / 2) ** 2 + xy**2)
    return strength
