"""Laying one small picture over another, many pairs at once.

Lucas and Kanade's alignment in its inverse compositional form (Baker and Matthews 2004). What does
not fit is given little weight, and local mean and contrast are made equal everywhere before, so
that tones and shades count nothing.
"""

from __future__ import annotations

import numpy as np

from dedup.signature.maps import Map, compose, invert

from .freedoms import Freedoms
from .pixels import Floats, overlay

CONTRAST_FLOOR_LEVELS = 6.0
MISFIT_SCALE = 0.7
DAMPING = 1e-3
MAX_STEP = 0.08


def normalise(pictures: Floats, radius_px: int) -> Floats:
    """The pictures, each pixel less its surroundings' mean, over their contrast."""
    mean = _local_mean(pictures, radius_px)
    variance = _local_mean(pictures * pictures, radius_px) - mean * mean
    return (pictures - mean) / (np.sqrt(np.maximum(variance, 0)) + CONTRAST_FLOOR_LEVELS)


def align(
    template: Floats, other: Floats, maps: Map, aspects: Floats, freedoms: Freedoms, steps: int
) -> Map:
    """The maps from template to other, refined so that the pictures agree where they overlap.

    `aspects` are the templates' true ones, width : height.
    """
    across, down = _gradients(template)
    slopes = freedoms.slopes(across, down, aspects)
    flat = template.reshape(len(template), -1)
    for _ in range(steps):
        seen = overlay(other, maps)
        misfit = seen.values - flat
        weights = seen.is_inside / (1 + (misfit / np.float32(MISFIT_SCALE)) ** 2)
        change = freedoms.to_map(_solve(slopes, misfit, weights), aspects)
        maps = compose(maps, invert(change))
    return maps


def correlate(template: Floats, other: Floats, maps: Map) -> Floats:
    """How well the pictures agree where they overlap: -1 to 1."""
    seen = overlay(other, maps)
    weights = seen.is_inside.astype(np.float32)
    total = weights.sum(axis=1, keepdims=True) + np.float32(1e-6)
    flat = template.reshape(len(template), -1)
    one = (seen.values - (seen.values * weights).sum(axis=1, keepdims=True) / total) * weights
    two = (flat - (flat * weights).sum(axis=1, keepdims=True) / total) * weights
    power = (one * one).sum(axis=1) * (two * two).sum(axis=1)
    agreement: Floats = (one * two).sum(axis=1) / np.sqrt(power + np.float32(1e-6))
    return agreement


def _local_mean(pictures: Floats, radius_px: int) -> Floats:
    size = 2 * radius_px + 1
    margin = (radius_px + 1, radius_px)
    padded = np.pad(pictures, ((0, 0), margin, margin), mode="edge")
    sums = padded.cumsum(axis=1, dtype=np.float64).cumsum(axis=2)
    corners = sums[:, size:, size:] - sums[:, :-size, size:]
    corners += sums[:, :-size, :-size] - sums[:, size:, :-size]
    mean: Floats = (corners / (size * size)).astype(np.float32)
    return mean


def _gradients(pictures: Floats) -> Floats:
    """The change of value across and down, over a whole side; none at the edges."""
    count, side, _ = pictures.shape
    gradients = np.zeros((2, *pictures.shape), np.float32)
    gradients[0, :, :, 1:-1] = (pictures[:, :, 2:] - pictures[:, :, :-2]) * (side / 2)
    gradients[1, :, 1:-1] = (pictures[:, 2:] - pictures[:, :-2]) * (side / 2)
    flat: Floats = gradients.reshape(2, count, -1)
    return flat


def _solve(slopes: Floats, misfit: Floats, weights: Floats) -> Floats:
    """The small numbers that explain the misfit best, a column each."""
    weighted = slopes * weights[:, None, :].astype(np.float32)
    matrix = weighted @ slopes.transpose(0, 2, 1)
    right = weighted @ misfit[:, :, None]
    diagonal = np.arange(matrix.shape[-1])
    trace = matrix[:, diagonal, diagonal].mean(axis=1, keepdims=True)
    matrix[:, diagonal, diagonal] += np.float32(DAMPING) * (trace + 1)
    numbers: Floats = np.clip(np.linalg.solve(matrix, right)[:, :, 0], -MAX_STEP, MAX_STEP)
    return numbers.T
