"""Plain borders and bars around a picture: only a proposal, which verification judges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.uint8]
Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels of the squeezed picture."""

PLAIN_TOLERANCE = 14
EVEN_TOLERANCE = 5
PLAIN_SHARE = 0.97
BAR_SHARE = 0.35
MARGIN_SHARE = 0.05
MIN_SIDE_SHARE = 0.4
MIN_CUT_SHARE = 0.012
LEAST_SIDE_PX = 8


def find_trimmed(levels: Levels, max_rectangles: int) -> list[Rectangle]:
    """The picture without its plain border, and without its bars that hold writing, if it has any.

    An even border is taken off once, so that a plain sky behind it stays; a less even one as often
    as there is another. Only what leaves a considerable part of the picture counts.
    """
    height, width = levels.shape
    found: list[Rectangle] = []
    for tolerance in (EVEN_TOLERANCE, PLAIN_TOLERANCE):
        for share in (PLAIN_SHARE, BAR_SHARE):
            rectangle = _trim(levels, (0, 0, width, height), share, tolerance)
            if rectangle not in found and _is_real_cut(rectangle, levels.shape):
                found.append(rectangle)
    return found[:max_rectangles]


def _trim(levels: Levels, rectangle: Rectangle, share: float, tolerance: int) -> Rectangle:
    """What is left when plain rows and columns are taken off from outside, until none is plain."""
    left, top, right, bottom = rectangle
    while True:
        before = left, top, right, bottom
        top += _count_plain(levels[top:bottom, left:right], share, tolerance)
        bottom -= _count_plain(levels[top:bottom, left:right][::-1], share, tolerance)
        left += _count_plain(levels[top:bottom, left:right].T, share, tolerance)
        right -= _count_plain(levels[top:bottom, left:right].T[::-1], share, tolerance)
        is_done = tolerance == EVEN_TOLERANCE or before == (left, top, right, bottom)
        if is_done or right - left < LEAST_SIDE_PX or bottom - top < LEAST_SIDE_PX:
            return left, top, right, bottom


def _count_plain(levels: Levels, share: float, tolerance: int) -> int:
    """How many rows from the first on have its shade at both margins and over so large a share."""
    height, width = levels.shape
    if not levels.size or abs(int(levels[0, 0]) - int(levels[0, -1])) > 2 * tolerance:
        return 0
    shade = int(np.sort(levels[0])[width // 2])
    margin = max(round(width * MARGIN_SHARE), 1)
    are_alike = np.abs(levels.astype(np.int16) - shade) <= tolerance
    are_plain = are_alike[:, :margin].all(axis=1) & are_alike[:, -margin:].all(axis=1)
    are_plain &= are_alike.sum(axis=1) >= share * width
    return height if are_plain.all() else int(np.argmin(are_plain))


def _is_real_cut(rectangle: Rectangle, shape: tuple[int, ...]) -> bool:
    height, width = shape
    share_x = (rectangle[2] - rectangle[0]) / width
    share_y = (rectangle[3] - rectangle[1]) / height
    return min(share_x, share_y) >= MIN_SIDE_SHARE and share_x * share_y <= 1 - MIN_CUT_SHARE
