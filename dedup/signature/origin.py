"""How near a file is to the camera's: its real resolution, and how often it was recompressed."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

Levels = NDArray[np.uint8]

SHARES = [2 ** (-step / 4) for step in range(13)]
"""Between these the loss is interpolated."""
LOST_SHARE = 0.19
"""Of the gradient's energy: what a picture loses when it is made smaller than its details."""
LOSSLESS = 100.0
MOST_MEASURED_PX = 1024


@dataclass(frozen=True)
class Origin:
    """What decides which of several copies is kept.

    `real_px` is how many pixels the image would need for what it shows, less than it has if it was
    enlarged; `jpeg_quality` is 0 to 100 as its tables say, 100 without loss.
    """

    real_px: int
    jpeg_quality: float


def measure_real_px(grey: Levels) -> int:
    """Width times height, at the smallest size that keeps nearly all of the details."""
    height, width = grey.shape
    top, left = max((height - MOST_MEASURED_PX) // 2, 0), max((width - MOST_MEASURED_PX) // 2, 0)
    part = grey[top : top + MOST_MEASURED_PX, left : left + MOST_MEASURED_PX].astype(np.float32)
    energy = max(_energy(part), 1.0)
    best, best_lost = SHARES[0], 0.0
    for share in SHARES[1:]:
        size = max(int(part.shape[1] * share), 1), max(int(part.shape[0] * share), 1)
        small = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
        back = cv2.resize(small, part.shape[::-1], interpolation=cv2.INTER_CUBIC)
        lost = _energy(part - back) / energy
        if lost > LOST_SHARE:
            best *= (share / best) ** ((LOST_SHARE - best_lost) / (lost - best_lost))
            break
        best, best_lost = share, lost
    real_px: int = round(width * height * best * best)
    return max(real_px, 1)


def estimate_quality(image: Image.Image) -> float:
    """The quality of libjpeg that the file's luma table stands for; 100 where there is none."""
    tables = getattr(image, "quantization", None)
    if not tables:
        return LOSSLESS
    mean = float(np.mean(next(iter(tables.values()))))
    scale = mean / STANDARD_MEAN * 100  # the Independent JPEG Group's rule, jcparam.c
    return max(min(100 - scale / 2 if scale <= 100 else 5000 / scale, 100.0), 0.0)


ROUNDING = 1 / 3
"""Of each pixel: whole levels vary by 1/12, and each of two differences by twice that."""
STANDARD_MEAN = 57.625
"""The mean of the luma table in annex K of the JPEG standard."""


def _energy(levels: NDArray[np.float32]) -> float:
    """The gradient's energy without that of rounding, which is most of what a dark copy holds."""
    across, down = np.diff(levels, axis=1), np.diff(levels, axis=0)
    return max(float((across**2).sum() + (down**2).sum()) - ROUNDING * levels.size, 0.0)
