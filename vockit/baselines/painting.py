"""Masks from detections: each box is painted, then cut out of its surroundings by GrabCut."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from .features import Pixels

_ROUNDS = 3
_LEAST_SIDE_PX = 8


def paint(pixels: Pixels, labels: Sequence[int], boxes: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The label of each pixel; boxes are painted in their order, later ones over earlier ones."""
    height, width = pixels.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    for label, box in zip(labels, boxes, strict=True):
        limits = [width, height, width, height]
        left, top, right, bottom = np.clip(np.round(box), 1, limits).astype(int).tolist()
        if left <= right and top <= bottom:
            is_object = _cut_out(pixels, (left - 1, top - 1, right - left + 1, bottom - top + 1))
            mask[is_object] = label
    return mask


def _cut_out(pixels: Pixels, rectangle: tuple[int, int, int, int]) -> NDArray[np.bool_]:
    """Which pixels are the object; all of the rectangle where GrabCut finds none.

    The rectangle is column and row from 0, width and height.
    """
    column, row, width, height = rectangle
    whole = np.zeros(pixels.shape[:2], np.bool_)
    whole[row : row + height, column : column + width] = True
    if min(width, height) < _LEAST_SIDE_PX or whole.all():  # nothing is surely background
        return whole
    state = np.zeros(pixels.shape[:2], np.uint8)
    background = np.zeros((1, 65))
    foreground = np.zeros((1, 65))
    cv2.setRNGSeed(0)
    cv2.grabCut(pixels, state, rectangle, background, foreground, _ROUNDS, cv2.GC_INIT_WITH_RECT)
    is_object = (state == cv2.GC_FGD) | (state == cv2.GC_PR_FGD)
    return is_object if is_object.any() else whole
