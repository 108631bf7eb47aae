"""The margin that a picture shows around it, of one shade but for writing."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.constants import (
    LEAST_FRAMED_SIDE,
    MARGIN_SLACK_PX,
    MOST_LINE,
    NOISE_LEVELS,
    SHOWN_SIDE_PX,
)

from .picture import Levels

Mask = NDArray[np.bool_]


def find_margin(levels: Levels) -> Mask:
    """The area that reaches into the corners and is plain but for writing: a border, bars.

    What is left must be nearly a rectangle, turned or not, as a turned picture leaves; a subject
    before a sky is not.
    """
    margin = _flood_corners(levels)
    outlines, _ = cv2.findContours(1 - margin, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    left = max(outlines, key=cv2.contourArea, default=np.zeros((1, 2), np.int32))
    area = cv2.contourArea(left)
    (width, height) = cv2.minAreaRect(left)[1]
    is_frame = area > np.pi / 4 * width * height  # as much as an ellipse fills
    if not is_frame or area < LEAST_FRAMED_SIDE**2 * margin.size:
        return np.zeros(levels.shape, np.bool_)
    picture = cv2.drawContours(np.zeros(levels.shape, np.uint8), [left], 0, 1, cv2.FILLED)
    rest = np.maximum(margin, picture) == 0
    if rest.any():
        _, parts, sizes, _ = cv2.connectedComponentsWithStats(rest.astype(np.uint8))
        is_low = sizes[:, cv2.CC_STAT_HEIGHT] <= MOST_LINE * SHOWN_SIDE_PX
        margin = np.maximum(margin, is_low[parts] & rest)
    wider: Mask = cv2.dilate(margin, np.ones((MARGIN_SLACK_PX,) * 2)) > 0
    return wider


def _flood_corners(levels: Levels) -> NDArray[np.uint8]:
    """1 where the shade of a corner reaches, else 0."""
    last = SHOWN_SIDE_PX - 1
    flooded = np.zeros((last + 3, last + 3), np.uint8)
    how = 4 | cv2.FLOODFILL_FIXED_RANGE | cv2.FLOODFILL_MASK_ONLY | (1 << 8)
    seen = levels.copy()
    for corner in ((0, 0), (last, 0), (0, last), (last, last)):
        cv2.floodFill(seen, flooded, corner, 0, NOISE_LEVELS, NOISE_LEVELS, how)
    return flooded[1:-1, 1:-1]
