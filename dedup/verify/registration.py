"""Laying one small picture over another, many pairs at once.

Lucas and Kanade's alignment in its inverse compositional form (Baker and Matthews 2004). What does
not fit is given little weight, and local mean and contrast are made equal everywhere before, so
that tones and shades count nothing.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter

from dedup.signature.maps import Map, compose, invert

from .pictures import Floats, overlay, pixel_centres

CONTRAST_FLOOR_LEVELS = 6.0
MISFIT_SCALE = np.float32(0.7)
DAMPING = 1e-3
MAX_STEP = 0.08


def normalise(pictures: Floats, radius_px: int) -> Floats:
    """The pictures, each pixel less its surroundings' mean, over their contrast."""
    size, wide = (1, 2 * radius_px + 1, 2 * radius_px + 1), pictures.astype(np.float64)
    mean = uniform_filter(wide, size, mode="nearest")
    spread = uniform_filter(wide * wide, size, mode="nearest") - mean * mean
    contrast = np.sqrt(np.maximum(spread, 0)) + CONTRAST_FLOOR_LEVELS
    normal: Floats = ((wide - mean) / contrast).astype(np.float32)
    return normal


def similarity_changes(aspects: Floats) -> Floats:
    """What scale, turn and shift each add to a map of a picture of this shape, (4, 2, 3)."""
    found = np.zeros((len(aspects), 4, 2, 3), np.float32)
    found[:, 0, 0, 0] = found[:, 0, 1, 1] = 1
    found[:, 1, 0, 1], found[:, 1, 1, 0] = -1 / aspects, aspects
    return _around_middle(found)


def affine_changes(aspects: Floats) -> Floats:
    """The same of any linear change, so that rectangles may become parallelograms, (6, 2, 3)."""
    found = np.zeros((len(aspects), 6, 2, 3), np.float32)
    found[:, 0, 0, 0] = found[:, 1, 0, 1] = found[:, 2, 1, 0] = found[:, 3, 1, 1] = 1
    return _around_middle(found)


def align(template: Floats, other: Floats, maps: Map, changes: Floats, steps: int) -> Map:
    """The maps from template to other, refined so that the pictures agree where they overlap."""
    flat = template.reshape(len(template), -1)
    slopes = _measure_slopes(template, changes)
    maps = maps.astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):  # a map may lead nowhere
        for _ in range(steps):
            seen = overlay(other, maps)
            misfits = seen.values - flat
            weights = seen.is_inside / (1 + (misfits / MISFIT_SCALE) ** 2)
            weighted = slopes * weights[:, None]
            numbers = _solve(weighted @ slopes.swapaxes(1, 2), weighted @ misfits[..., None])
            maps = compose(maps, invert(_make_changes(numbers, changes))).astype(np.float32)
    return maps


def correlate(template: Floats, other: Floats, maps: Map) -> Floats:
    """How well the pictures agree where they overlap: -1 to 1."""
    seen = overlay(other, maps)
    weights, little = seen.is_inside.astype(np.float32), np.float32(1e-6)
    total = weights.sum(axis=1, keepdims=True) + little
    one, two = (
        (flat - (flat * weights).sum(axis=1, keepdims=True) / total) * weights
        for flat in (seen.values, template.reshape(len(template), -1))
    )
    power = (one * one).sum(axis=1) * (two * two).sum(axis=1)
    found: Floats = (one * two).sum(axis=1) / np.sqrt(power + little)
    return found


def _around_middle(changes: Floats) -> Floats:
    """The same, the middle staying where it is; the last two numbers shift it across and down."""
    changes[..., 2] = -changes[..., :2].sum(axis=-1) / 2
    changes[:, -2, 0, 2] = changes[:, -1, 1, 2] = 1
    return changes


def _measure_slopes(template: Floats, changes: Floats) -> Floats:
    """How each pixel's value changes with each number, over a whole side; not at the edges."""
    side = template.shape[1]
    across, down = np.zeros_like(template), np.zeros_like(template)
    across[:, :, 1:-1] = template[:, :, 2:] - template[:, :, :-2]
    down[:, 1:-1] = template[:, 2:] - template[:, :-2]
    moves = changes @ pixel_centres(side)
    flat = (len(template), 1, -1)
    slopes = across.reshape(flat) * moves[:, :, 0] + down.reshape(flat) * moves[:, :, 1]
    return slopes * np.float32(side / 2)


def _solve(products: Floats, misfits: Floats) -> Floats:
    """The numbers that explain the misfits best; damped, the equations are never singular."""
    count = products.shape[1]
    trace = np.trace(products, axis1=1, axis2=2)[:, None, None]
    damped = products + DAMPING * (trace / count + 1) * np.eye(count)
    return np.linalg.solve(damped.astype(np.float64), misfits.astype(np.float64))


def _make_changes(numbers: Floats, changes: Floats) -> Map:
    limited = np.clip(numbers[..., None], -MAX_STEP, MAX_STEP)
    maps: Map = np.eye(2, 3) + (limited * changes).sum(axis=1)
    return maps
