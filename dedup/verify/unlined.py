"""How alike two pictures are in what no line across or down explains.

Two pages, forms or screens of one layout have their lines of writing, rules and panels in common,
however light falls on them and however soft they are. What tells them apart, words and figures, is
what is left of each small tile once the means of its rows and of its columns were taken off. A copy
has the same of that as of all else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.signature.maps import Map

from .pixels import Floats, overlay
from .tiles import TILE_PX, cut_tiles

WHOLLY_COVERED = 0.99
LEAST_LEVELS = 2.0


@dataclass(frozen=True)
class Unlined:
    """For each pair how alike what is left is, -1 to 1, and how many tiles have enough of it."""

    likeness: Floats
    tiles: NDArray[np.int64]


def compare_unlined(template: Floats, other: Floats, maps: Map) -> Unlined:
    """What is left of template and other, in levels of brightness, where the maps lay the other."""
    seen = overlay(other, maps)
    is_covered = cut_tiles(seen.is_inside.astype(np.float32)).mean(axis=-1) > WHOLLY_COVERED
    one = _leave_lines_out(seen.values) * is_covered[..., None, None]
    two = _leave_lines_out(template.reshape(len(template), -1)) * is_covered[..., None, None]
    power_one, power_two = (one * one).sum(axis=(-1, -2)), (two * two).sum(axis=(-1, -2))
    both = (one * two).sum(axis=(-1, -2, -3))
    power = power_one.sum(axis=-1) * power_two.sum(axis=-1)
    is_enough = np.maximum(power_one, power_two) > (LEAST_LEVELS * TILE_PX) ** 2
    return Unlined(both / np.sqrt(power + np.float32(1e-6)), is_enough.sum(axis=1))


def _leave_lines_out(flat: Floats) -> Floats:
    """The tiles of flat pictures, each pixel less its row's and its column's mean in the tile."""
    tiles = cut_tiles(flat)
    square = tiles.reshape(*tiles.shape[:-1], TILE_PX, TILE_PX)
    square = square - square.mean(axis=-1, keepdims=True)
    rest: Floats = square - square.mean(axis=-2, keepdims=True)
    return rest
