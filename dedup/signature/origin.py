"""How near a file is to the camera's: its real resolution, and how often it was recompressed."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.constants import (
    KEPT_GRADIENT,
    MOST_NOISE_SHARE,
    NOISE_TIMES,
    ORIGIN_SIDE_PX,
    PLAIN_BLOCK_PX,
    PLAIN_PERCENTILE,
    QUIET_LEVELS,
    SIZES_TRIED,
    SMALLEST_SHARE,
)

Levels = NDArray[np.uint8]
_NOISE_MASK = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
"""Nothing is left of edges and slopes."""
_MASK_GAIN = 6.0  # the root of the sum of its squares
_NOISE_GAIN = 4  # of two differences, across and down, each varies by twice what a level does


@dataclass(frozen=True)
class Origin:
    """What decides which of several copies is kept.

    `real_px` is how many pixels the image would need for what it shows, less than it has if it was
    enlarged; `jpeg_quality` is 0 to 100, see catalog/jpeg_quality.py.
    """

    real_px: int
    jpeg_quality: float


def measure_real_px(grey: Levels) -> int:
    """Width times height, at the smallest size that keeps nearly all details but noise."""
    height, width = grey.shape
    down, across = (max(min(ORIGIN_SIDE_PX, side // 2), 1) for side in grey.shape)
    top = (height - down) // 2
    left = (width - across) // 2
    part = grey[top : top + down, left : left + across].astype(np.float32)
    share = _find_smallest_share(part)
    real_px: int = round(width * height * share * share)
    return max(real_px, 1)


def _find_smallest_share(part: NDArray[np.float32]) -> float:
    """The smallest share of its sides at which a picture keeps nearly all of its details."""
    most_noise = MOST_NOISE_SHARE * _energy(part, 0.0) / (_NOISE_GAIN * part.size)
    noise = min(_measure_noise(part), most_noise)
    energy = max(_energy(part, noise), 1.0)
    best = 1.0
    best_lost = 0.0
    most_lost = 1 - KEPT_GRADIENT**2  # of energy: the gradient's square
    for share in np.geomspace(1, SMALLEST_SHARE, SIZES_TRIED).tolist()[
        1:
    ]:  # the loss is interpolated between these
        lost = _energy(part - _make_soft(part, share), noise) / energy
        if lost > most_lost:
            best *= (share / best) ** ((most_lost - best_lost) / (lost - best_lost))
            break
        best = share
        best_lost = lost
    return best


def _measure_noise(part: NDArray[np.float32]) -> float:
    """The variance of noise, 0 if there is none, by the plainest blocks.

    J. Immerkaer, Fast noise variance estimation, CVIU 64, 1996.
    """
    half = PLAIN_BLOCK_PX // 2
    details = np.abs(cv2.filter2D(part, -1, _NOISE_MASK))
    blocks = cv2.boxFilter(details, -1, (PLAIN_BLOCK_PX,) * 2)
    inner = blocks[half:-half:PLAIN_BLOCK_PX, half:-half:PLAIN_BLOCK_PX]
    if not inner.size:
        return 0.0
    level = np.sqrt(np.pi / 2) * float(np.percentile(inner, PLAIN_PERCENTILE)) / _MASK_GAIN
    return NOISE_TIMES * level**2 if level > QUIET_LEVELS else 0.0


def _make_soft(part: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    """What is left of a picture that was made smaller, to this share of its sides, and larger."""
    size_wh = max(int(part.shape[1] * share), 1), max(int(part.shape[0] * share), 1)
    small = cv2.resize(part, size_wh, interpolation=cv2.INTER_AREA)
    large = cv2.resize(small, part.shape[::-1], interpolation=cv2.INTER_CUBIC)
    return np.asarray(large, np.float32)


def _energy(levels: NDArray[np.float32], noise: float) -> float:
    """The gradient's energy without that of noise and rounding, which is most of a dark copy's.

    Rounded levels vary by 1/12, noisy ones by its variance.
    """
    across = np.diff(levels, axis=1)
    down = np.diff(levels, axis=0)
    chance = _NOISE_GAIN * (noise + 1 / 12) * levels.size
    return max(float((across**2).sum() + (down**2).sum()) - chance, 0.0)
