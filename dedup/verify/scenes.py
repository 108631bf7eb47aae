"""How alike two photographs are that may be of one scene: coarsely, and with any frame."""

from __future__ import annotations

import cv2
import numpy as np

from dedup.constants import SCENE_SHIFT_PX, SCENE_SIDE_PX
from dedup.signature.features import Floats
from dedup.signature.picture import Levels


def scene_similarity(first: Levels, second: Levels) -> float:
    """The best correlation of two pictures of 16 by 16 pixels over shifts and zooms, -1 to 1."""
    (here, here_zoomed), (there, there_zoomed) = (
        (_shrink(levels), _shrink(_zoom(levels))) for levels in (first, second)
    )
    shifts_px = range(-SCENE_SHIFT_PX, SCENE_SHIFT_PX + 1)
    return max(
        _correlate(here, there, across, down)
        for here, there in ((here, there), (here, there_zoomed), (here_zoomed, there))
        for across in shifts_px
        for down in shifts_px
    )


def _zoom(levels: Levels) -> Levels:
    """The picture without a quarter of its side."""
    cut = len(levels) * SCENE_SHIFT_PX // SCENE_SIDE_PX // 2
    return levels[cut : len(levels) - cut, cut : len(levels) - cut]


def _shrink(levels: Levels) -> Floats:
    """The picture without its even light."""
    small = cv2.resize(levels, (SCENE_SIDE_PX, SCENE_SIDE_PX), interpolation=cv2.INTER_AREA).astype(
        np.float32
    )
    return np.asarray(small - cv2.GaussianBlur(small, (0, 0), SCENE_SHIFT_PX), np.float32)


def _correlate(first: Floats, second: Floats, across: int, down: int) -> float:
    left = max(across, 0)
    top = max(down, 0)
    right = SCENE_SIDE_PX + min(across, 0)
    bottom = SCENE_SIDE_PX + min(down, 0)
    here = first[top:bottom, left:right]
    there = second[top - down : bottom - down, left - across : right - across]
    here, there = here - here.mean(), there - there.mean()
    size = float(np.sqrt((here**2).sum() * (there**2).sum()))
    is_more_than_rounding = size > here.size  # a level at each pixel
    return float((here * there).sum()) / size if is_more_than_rounding else 0.0
