"""What a picture is made of: plain borders and bars around it, cells of a collage, a drawing.

Rectangles are only proposals to hash; whether they show what another picture shows is verified
later. They are (left, top, right, bottom) in pixels of the squeezed brightness.
"""

from __future__ import annotations

import numpy as np

from .brightness import Levels
from .maps import Rectangle

PLAIN_TOLERANCE = 14
EVEN_TOLERANCE = 5
PLAIN_SHARE = 0.97
BAR_SHARE = 0.35
MARGIN_SHARE = 0.05
MIN_SIDE_SHARE = 0.4
MIN_CUT_SHARE = 0.012
LEAST_SIDE_PX = 8

SEAM_STEP = 14
SEAM_SHARE = 0.66
SEAM_CONTRAST = 0.25
MIN_CELL_SHARE = 0.17
CELL_DEPTH = 4

LEVELS_ALIKE = 9
STRONG_STEP = 24
STRAIGHT_TIMES = 5
DRAWN_SHARES = ((0.3, 0.1, 0.6), (0.4, 0.4, 0.45))
"""Least shares of one shade, of edges, and of straight ones: of screens, and of pages of text."""


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


def find_cells(levels: Levels, max_rectangles: int) -> list[Rectangle]:
    """The rectangles that straight seams from edge to edge cut the picture into, large ones first.

    A picture without such seams has none.
    """
    height, width = levels.shape
    margin = round(width * MIN_CELL_SHARE)
    inside = _trim(levels, (0, 0, width, height), PLAIN_SHARE, PLAIN_TOLERANCE)
    cells = _cut_cells(levels, inside, margin, CELL_DEPTH)
    trimmed = {_trim(levels, cell, PLAIN_SHARE, PLAIN_TOLERANCE) for cell in cells}
    large = [cell for cell in trimmed if _area(cell) >= MIN_CELL_SHARE**2 * width * height]
    return sorted(large, key=lambda cell: (-_area(cell), cell))[:max_rectangles]


def is_drawn(levels: Levels) -> bool:
    """Whether much of a picture has one shade and most of its edges run straight across or down.

    True of pages and screens, and of a few photographs. Those match one another only where nothing
    at all tells them apart, since what tells two pages apart is small.
    """
    counts = np.bincount(levels.ravel(), minlength=256)
    plain = np.convolve(counts, np.ones(LEVELS_ALIKE, np.int64), "valid").max() / levels.size
    wide = levels.astype(np.int16)
    across = np.abs(wide[1:-1, 2:] - wide[1:-1, :-2])
    down = np.abs(wide[2:, 1:-1] - wide[:-2, 1:-1])
    larger, smaller = np.maximum(across, down), np.minimum(across, down)
    are_edges = larger > STRONG_STEP
    edges = int(are_edges.sum())
    straight = int((are_edges & (STRAIGHT_TIMES * smaller < larger)).sum())
    shares = plain, edges / are_edges.size, straight / max(edges, 1)
    return any(
        all(share >= least for share, least in zip(shares, kind, strict=True))
        for kind in DRAWN_SHARES
    )


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


def _cut_cells(levels: Levels, cell: Rectangle, margin: int, depth: int) -> list[Rectangle]:
    """The rectangles that a seam cuts one into, and those that seams cut these into, and so on."""
    left, top, right, bottom = cell
    inside = levels[top:bottom, left:right]
    (x, x_share), (y, y_share) = (_best_seam(it, margin) for it in (inside, inside.T))
    if not depth or max(x_share, y_share) < SEAM_SHARE:
        return []
    if x_share >= y_share:
        halves = (left, top, left + x, bottom), (left + x, top, right, bottom)
    else:
        halves = (left, top, right, top + y), (left, top + y, right, bottom)
    smaller = [it for half in halves for it in _cut_cells(levels, half, margin, depth - 1)]
    return [*halves, *smaller]


def _best_seam(levels: Levels, margin: int) -> tuple[int, float]:
    """Before which column a picture breaks most, and over which share of its height."""
    height, width = levels.shape
    if width <= 2 * margin + 2 or height < LEAST_SIDE_PX:
        return 0, 0.0
    wide = levels.astype(np.int16)
    counts = (np.abs(wide[:, 2:] - wide[:, :-2]) > SEAM_STEP).sum(axis=0)
    best = margin - 1 + int(np.argmax(counts[margin - 1 : width - margin - 1]))
    contrast = min(counts[best], counts[best] - np.median(counts)) / height
    return (best + 1, int(counts[best]) / height) if contrast >= SEAM_CONTRAST else (0, 0.0)


def _is_real_cut(rectangle: Rectangle, shape: tuple[int, ...]) -> bool:
    height, width = shape
    share_x = (rectangle[2] - rectangle[0]) / width
    share_y = (rectangle[3] - rectangle[1]) / height
    return min(share_x, share_y) >= MIN_SIDE_SHARE and share_x * share_y <= 1 - MIN_CUT_SHARE


def _area(rectangle: Rectangle) -> int:
    return (rectangle[2] - rectangle[0]) * (rectangle[3] - rectangle[1])
