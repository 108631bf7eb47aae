"""How alike two photographs are that may be of one scene: coarsely, and with any frame."""

from __future__ import annotations

import cv2
import numpy as np

from dedup.signature.features import Floats
from dedup.signature.picture import Levels

SIDE_PX = 16
BLUR_PX = 4.0
SHIFTS_PX = range(-4, 5)
SCALES = (1.0, 0.75)
LEAST_OVERLAP_PX = 8


def scene_similarity(first: Levels, second: Levels) -> float:
    """The best correlation of two pictures of 16 by 16 pixels over shifts and zooms, -1 to 1."""
    pictures = [
        (_shrink(_zoom(first, one)), _shrink(_zoom(second, other)))
        for one in SCALES
        for other in SCALES
        if one == 1 or other == 1
    ]
    return max(
        _correlate(one, other, across, down)
        for one, other in pictures
        for across in SHIFTS_PX
        for down in SHIFTS_PX
    )


def _zoom(levels: Levels, share: float) -> Levels:
    cut = round(len(levels) * (1 - share) / 2)
    return levels[cut : len(levels) - cut, cut : len(levels) - cut]


def _shrink(levels: Levels) -> Floats:
    """The picture without its even light, contrast made equal."""
    small = cv2.resize(levels, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA).astype(np.float32)
    flat = small - cv2.GaussianBlur(small, (0, 0), BLUR_PX)
    return np.asarray(flat / (flat.std() + 2), np.float32)


def _correlate(one: Floats, other: Floats, across: int, down: int) -> float:
    left, top = max(across, 0), max(down, 0)
    right, bottom = SIDE_PX + min(across, 0), SIDE_PX + min(down, 0)
    here = one[top:bottom, left:right]
    there = other[top - down : bottom - down, left - across : right - across]
    here, there = here - here.mean(), there - there.mean()
    size = float(np.sqrt((here**2).sum() * (there**2).sum()))
    return float((here * there).sum()) / size if size > LEAST_OVERLAP_PX else 0.0
