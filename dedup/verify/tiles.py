"""Agreement part by part: tiles, halves, what no line explains, and faint structure.

A logo or a caption spoils a few tiles and leaves the others alone, where unlike pictures agree in a
few by chance. All functions take templates and other pictures in levels of brightness, and maps
that lay the others over the templates. A picture out of focus holds few details, but its grain and
its faint blots are its own: what is left of each tile once a curved shade was taken off.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.signature.maps import Map

from .pictures import FINE, Floats, overlay, pixel_centres
from .registration import normalise

TILE_PX = 8
NOISE_LEVELS = 3.0
MIN_CONTRAST_LEVELS = 4.0
MIN_COVERED = 0.6
MIN_CORNER_STRENGTH = 0.4
MIN_DETAIL_LEVELS = 2.0
MIN_DETAIL_AGREEMENT = 0.5
WHOLLY_COVERED = 0.99
LEAST_UNLINED_LEVELS = 2.0
LEAST_TILES_OF_HALF = 16
"""Of 32; with fewer a caption across an empty half would be most of what is in it."""
FAINT_LEVELS = 0.3
MIN_FAINT_AGREEMENT = 0.5
LEAST_ROUNDNESS = 0.15
"""Of a straight edge or a cable it is 0.02; along these anything agrees with itself."""


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
    """How well each tile agrees."""
    seen = overlay(other, maps)
    covered = cut_tiles(seen.is_inside.astype(np.float32))
    total = covered.sum(axis=-1) + np.float32(1e-6)
    one, two = (
        (tiles - ((tiles * covered).sum(axis=-1) / total)[..., None]) * covered
        for tiles in (cut_tiles(seen.values), cut_tiles(template.reshape(len(template), -1)))
    )
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


def compare_unlined(template: Floats, other: Floats, maps: Map) -> tuple[Floats, NDArray[np.int64]]:
    """How alike what no line explains is, -1 to 1, and how many tiles have enough of it.

    Two pages, forms or screens of one layout have lines of writing, rules and panels in common.
    Words and figures tell them apart: what is left of each tile once the means of its rows and of
    its columns were taken off. A copy has the same of that as of all else.
    """
    seen = overlay(other, maps)
    is_covered = cut_tiles(seen.is_inside.astype(np.float32)).mean(axis=-1) > WHOLLY_COVERED
    one = _leave_lines_out(seen.values) * is_covered[..., None, None]
    two = _leave_lines_out(template.reshape(len(template), -1)) * is_covered[..., None, None]
    power_one, power_two = (one * one).sum(axis=(-1, -2)), (two * two).sum(axis=(-1, -2))
    both = (one * two).sum(axis=(-1, -2, -3))
    power = power_one.sum(axis=-1) * power_two.sum(axis=-1)
    is_enough = np.maximum(power_one, power_two) > (LEAST_UNLINED_LEVELS * TILE_PX) ** 2
    return both / np.sqrt(power + np.float32(1e-6)), is_enough.sum(axis=1)


def correlate_halves(template: Floats, other: Floats, maps: Map) -> Floats:
    """The least correlation of the left, right, upper and lower halves, -1 to 1.

    Two sheets that hold one photograph next to different ones agree in most tiles; the half with
    the other photograph does not. Local mean and contrast are made equal before. Halves with little
    contrast are not counted; a picture that has no other gives 1.
    """
    tiles = _halve(compare_tiles(template, other, maps).counts).sum(axis=(2, 3))
    seen = overlay(normalise(other, FINE.radius_px), maps)
    flat = normalise(template, FINE.radius_px).reshape(len(template), -1)
    one, two = _halve(seen.values * seen.is_inside), _halve(flat * seen.is_inside)
    power = (one * one).sum(axis=(2, 3)) * (two * two).sum(axis=(2, 3))
    likeness = (one * two).sum(axis=(2, 3)) / np.sqrt(power + np.float32(1e-6))
    weakest: Floats = np.where(tiles >= LEAST_TILES_OF_HALF, likeness, 1).min(axis=0)
    return weakest


def count_textured(template: Floats, other: Floats, maps: Map) -> NDArray[np.int64]:
    """How many tiles show the same structure, however faint, in template and other.

    Shades that a parabola of two variables describes are taken off before: they are no structure,
    nor is what runs in one direction only.
    """
    seen = overlay(other, maps)
    is_covered = cut_tiles(seen.is_inside.astype(np.float32)).mean(axis=-1) > WHOLLY_COVERED
    flat = _leave_shades_out(TILE_PX)
    one = cut_tiles(seen.values) @ flat
    two = cut_tiles(template.reshape(len(template), -1)) @ flat
    power_one, power_two = (one * one).mean(axis=-1), (two * two).mean(axis=-1)
    floor = np.float32(FAINT_LEVELS**2)
    agreement = (one * two).mean(axis=-1) / np.sqrt((power_one + floor) * (power_two + floor))
    are_same = is_covered & (agreement > MIN_FAINT_AGREEMENT)
    counts: NDArray[np.int64] = (are_same & (_roundness(one + two) > LEAST_ROUNDNESS)).sum(axis=1)
    return counts


def measure_residual(template: Floats, other: Floats, maps: Map) -> Floats:
    """How many levels are left of the one once the other was taken off, where they overlap.

    Other brightness, contrast and a curved shade over the whole count nothing.
    """
    seen = overlay(other, maps)
    weights = seen.is_inside.astype(np.float32)
    one = _leave_shade_out(seen.values, weights)
    two = _leave_shade_out(template.reshape(len(template), -1), weights)
    total = weights.sum(axis=1) + np.float32(1e-6)
    power_one, power_two = (one * one).sum(axis=1) / total, (two * two).sum(axis=1) / total
    both = (one * two).sum(axis=1) / total
    likeness = both * both / (power_one * power_two + np.float32(1e-6))
    residual: Floats = np.sqrt(np.minimum(power_one, power_two) * np.maximum(1 - likeness, 0))
    return residual


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


def _leave_lines_out(flat: Floats) -> Floats:
    """The tiles of flat pictures, each pixel less its row's and its column's mean in the tile."""
    tiles = cut_tiles(flat)
    square = tiles.reshape(*tiles.shape[:-1], TILE_PX, TILE_PX)
    square = square - square.mean(axis=-1, keepdims=True)
    rest: Floats = square - square.mean(axis=-2, keepdims=True)
    return rest


def _halve(flat: NDArray[Any]) -> NDArray[Any]:
    """The upper, lower, left and right halves of flat square pictures, the last two turned."""
    side = round(float(flat.shape[1]) ** 0.5)
    pictures = flat.reshape(len(flat), side, side)
    turned = pictures.transpose(0, 2, 1)
    return np.stack([half for one in (pictures, turned) for half in np.split(one, 2, axis=1)])


def _roundness(tiles: Floats) -> Floats:
    """The smaller eigenvalue of each tile's structure tensor over the larger one."""
    square = tiles.reshape(*tiles.shape[:-1], TILE_PX, TILE_PX)
    across = square[..., :-1, 1:] - square[..., :-1, :-1]
    down = square[..., 1:, :-1] - square[..., :-1, :-1]
    xx, yy, xy = (
        (one * two).sum(axis=(-1, -2))
        for one, two in ((across, across), (down, down), (across, down))
    )
    spread = np.sqrt((xx - yy) ** 2 + 4 * xy * xy)
    roundness: Floats = (xx + yy - spread) / (xx + yy + spread + np.float32(1e-6))
    return roundness


def _leave_shade_out(values: Floats, weights: Floats) -> Floats:
    """Flat pictures without the parabola that describes them best where the weights are."""
    shades = _shades(round(float(values.shape[1]) ** 0.5))
    products = (shades[:, :, None] * shades[:, None, :]).reshape(len(shades), -1)
    matrix = (weights @ products).reshape(-1, shades.shape[1], shades.shape[1])
    matrix += np.float32(1e-3) * np.eye(shades.shape[1], dtype=np.float32)
    numbers = np.linalg.solve(matrix, ((values * weights) @ shades)[:, :, None])[:, :, 0]
    rest: Floats = (values - numbers @ shades.T) * weights
    return rest


@cache
def _leave_shades_out(side_px: int) -> Floats:
    """The matrix that takes the parabola off a flat square of pixels."""
    shades = _shades(side_px).astype(np.float64)
    kept: Floats = (np.eye(side_px**2) - shades @ np.linalg.pinv(shades)).astype(np.float32)
    return kept


@cache
def _shades(side_px: int) -> Floats:
    x, y, ones = pixel_centres(side_px)
    x, y = 2 * x - 1, 2 * y - 1
    return np.stack([ones, x, y, x * x, x * y, y * y], axis=1).astype(np.float32)
