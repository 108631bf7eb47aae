"""What soft pictures have besides shades: the fine structure that is left of them, and its copy.

A picture out of focus holds few details, but its grain and its faint blots are its own. Two such
pictures are told apart by what is left of each tile once a curved shade was taken off, and by how
far the one strays from the other in levels of brightness.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from dedup.signature.maps import Map

from .pixels import Floats, overlay, pixel_centres
from .tiles import TILE_PX, cut_tiles

FAINT_LEVELS = 0.3
MIN_FAINT_AGREEMENT = 0.5
WHOLLY_COVERED = 0.99
LEAST_ROUNDNESS = 0.15
"""Of a straight edge or a cable it is 0.02; along these anything agrees with itself."""


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
