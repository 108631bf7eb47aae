"""Overlaps of many boxes at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catalog.box import Box


def overlap_matrix(first: Sequence[Box], second: Sequence[Box]) -> NDArray[np.float64]:
    """Intersection over union of each box of the one list (rows) with each of the other."""
    a, b = _corners(first)[:, None, :], _corners(second)[None, :, :]
    sides = np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2]) + 1
    shared = np.prod(np.maximum(sides, 0), axis=-1)
    areas: NDArray[np.int64] = _areas(a) + _areas(b) - shared
    return np.asarray(shared / areas, dtype=np.float64)


def _corners(boxes: Sequence[Box]) -> NDArray[np.int64]:
    return np.array([box.xyxy for box in boxes], dtype=np.int64).reshape(-1, 4)


def _areas(corners: NDArray[np.int64]) -> NDArray[np.int64]:
    areas: NDArray[np.int64] = np.prod(corners[..., 2:] - corners[..., :2] + 1, axis=-1)
    return areas
