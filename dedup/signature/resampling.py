"""A picture squeezed into a small square, bit for bit as Pillow's Hamming filter does it.

Pillow resamples along rows, rounds to bytes, then resamples along columns, in whole numbers. So do
these loops, but many pixels at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .kernels import Levels, mix_rows, transpose

SIDE_PX = 128  # NEAR-DUPLICATES, B2: a JPEG drafted to 128 is 0.4 to 2.7 of 256 bits off
ONE = 1 << 22
"""Pillow's weights are whole numbers that sum up to this (Resample.c, PRECISION_BITS)."""
_PLACE, _SWING = float(np.float32(0.54)), float(np.float32(0.46))


def shrink(levels: Levels) -> Levels:
    """The picture in 128 by 128 pixels; both of its sides are at least as long."""
    height, width = levels.shape
    across, down = _plan(width), _plan(height)
    columns = mix_rows(transpose(np.ascontiguousarray(levels)), across.firsts, across.weights)
    return mix_rows(transpose(columns)[:height], down.firsts, down.weights)[:, :SIDE_PX]


@dataclass(frozen=True)
class _Plan:
    """From which pixel on so many make each of the 128, and the weight of each."""

    firsts: NDArray[np.int32]
    weights: NDArray[np.int32]


@lru_cache(maxsize=1024)
def _plan(size_px: int) -> _Plan:
    scale = size_px / SIDE_PX
    reach = max(scale, 1.0)
    windows = [_window((place + 0.5) * scale, reach, size_px) for place in range(SIDE_PX)]
    longest = max(len(weights) for _, weights in windows)
    plan = _Plan(np.zeros(SIDE_PX, np.int32), np.zeros((SIDE_PX, longest), np.int32))
    for place, (first, weights) in enumerate(windows):
        plan.firsts[place] = min(first, size_px - longest)
        start = first - plan.firsts[place]
        plan.weights[place, start : start + len(weights)] = weights
    return plan


def _window(middle: float, reach: float, size_px: int) -> tuple[int, list[int]]:
    """The first pixel that counts at a place, and the weights of it and those after it."""
    first, end = max(int(middle - reach + 0.5), 0), min(int(middle + reach + 0.5), size_px)
    shares = [_hamming((pixel - middle + 0.5) * (1 / reach)) for pixel in range(first, end)]
    total = 0.0
    for share in shares:  # one after the other, as Pillow does
        total += share
    return first, [int(0.5 + share / total * ONE) for share in shares]


def _hamming(x: float) -> float:
    if x == 0:
        return 1.0
    angle = abs(x) * math.pi
    return math.sin(angle) / angle * (_PLACE + _SWING * math.cos(angle)) if abs(x) < 1 else 0.0
