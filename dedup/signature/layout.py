"""What a picture is put together of: plain borders and bars around it, cells of a collage in it.

All of it is only a proposal of rectangles to hash; whether they show what another picture shows is
verified later. Rectangles are (left, top, right, bottom) in pixels of the squeezed brightness.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.int16]
Rectangle = tuple[int, int, int, int]

PLAIN_TOLERANCE = 14
PLAIN_SHARE = 0.97
BAR_SHARE = 0.35
MARGIN_SHARE = 0.05
MIN_SIDE_SHARE = 0.4
MIN_CUT_SHARE = 0.012

SEAM_STEP = 14
SEAM_SHARE = 0.66
SEAM_CONTRAST = 0.25
MIN_CELL_SHARE = 0.17
CELL_DEPTH = 4


def find_trimmed(levels: Levels, max_rectangles: int) -> list[Rectangle]:
    """The picture without its plain border, and without its bars that hold writing, if it has any.

    Only what leaves a considerable part of the picture counts.
    """
    found: list[Rectangle] = []
    for share in (PLAIN_SHARE, BAR_SHARE):
        rectangle = _trim(levels, share)
        if rectangle not in found and _is_real_cut(rectangle, levels.shape):
            found.append(rectangle)
    return found[:max_rectangles]


def find_cells(levels: Levels, max_rectangles: int) -> list[Rectangle]:
    """The rectangles that straight seams from edge to edge cut the picture into, large ones first.

    A picture without such seams has none.
    """
    height, width = levels.shape
    cells = list(_split(levels, (0, 0, width, height), CELL_DEPTH))
    trimmed = [_trim_within(levels, cell) for cell in cells[1:]]
    large = {cell for cell in trimmed if _area(cell) >= MIN_CELL_SHARE**2 * width * height}
    return sorted(large, key=lambda cell: (-_area(cell), cell))[:max_rectangles]


def _trim(levels: Levels, share: float) -> Rectangle:
    """What is left when plain rows and columns are taken off from outside, until none is plain."""
    left, top, right, bottom = 0, 0, levels.shape[1], levels.shape[0]
    while True:
        inner = levels[top:bottom, left:right]
        from_top, from_bottom = _plain_edges(inner, share)
        inner = inner[from_top : len(inner) - from_bottom]
        top, bottom = top + from_top, bottom - from_bottom
        from_left, from_right = _plain_edges(inner.T, share)
        left, right = left + from_left, right - from_right
        is_done = not (from_top or from_bottom or from_left or from_right)
        if is_done or right - left < 8 or bottom - top < 8:
            return left, top, right, bottom


def _plain_edges(levels: Levels, share: float) -> tuple[int, int]:
    """How many rows are plain at the top and at the bottom, of each edge's own brightness."""
    if levels.size == 0:
        return 0, 0
    from_top = _count_plain(levels, share)
    return from_top, _count_plain(levels[from_top:][::-1], share)


def _count_plain(levels: Levels, share: float) -> int:
    """How many rows from the first on have its shade at both margins and over so large a share."""
    if len(levels) == 0 or abs(int(levels[0, 0]) - int(levels[0, -1])) > 2 * PLAIN_TOLERANCE:
        return 0
    shade = np.sort(levels[0])[levels.shape[1] // 2]
    count, step = 0, 1  # most pictures end in the first row
    while count < len(levels):
        are_plain = _are_plain(levels[count : count + step], shade, share)
        if not are_plain.all():
            return count + int(np.argmin(are_plain))
        count, step = count + len(are_plain), 2 * step + 6
    return count


def _are_plain(levels: Levels, shade: np.int16, share: float) -> NDArray[np.bool_]:
    is_shade = np.abs(levels - shade) <= PLAIN_TOLERANCE
    margin = max(round(levels.shape[1] * MARGIN_SHARE), 1)
    has_margins = is_shade[:, :margin].all(axis=1) & is_shade[:, -margin:].all(axis=1)
    are_plain: NDArray[np.bool_] = has_margins & (is_shade.mean(axis=1) >= share)
    return are_plain


def _is_real_cut(rectangle: Rectangle, shape: tuple[int, ...]) -> bool:
    height, width = shape
    share_x = (rectangle[2] - rectangle[0]) / width
    share_y = (rectangle[3] - rectangle[1]) / height
    return min(share_x, share_y) >= MIN_SIDE_SHARE and share_x * share_y <= 1 - MIN_CUT_SHARE


def _split(levels: Levels, cell: Rectangle, depth: int) -> Iterator[Rectangle]:
    """The cell and, where a seam crosses it, the cells that it falls into."""
    yield cell
    left, top, right, bottom = cell
    inner = levels[top:bottom, left:right]
    x, x_score = _best_seam(inner)
    y, y_score = _best_seam(inner.T)
    if not depth or max(x_score, y_score) < SEAM_SHARE:
        return
    if x_score >= y_score:
        halves = (left, top, left + x, bottom), (left + x, top, right, bottom)
    else:
        halves = (left, top, right, top + y), (left, top + y, right, bottom)
    for half in halves:
        yield from _split(levels, half, depth - 1)


def _best_seam(levels: Levels) -> tuple[int, float]:
    """Between which columns the picture breaks most, and over which share of its height."""
    margin = max(round(levels.shape[1] * 0.1), round(128 * MIN_CELL_SHARE))
    if levels.shape[1] <= 2 * margin + 2 or levels.shape[0] < 8:
        return 0, 0.0
    steps = np.abs(levels[:, 2:] - levels[:, :-2]) > SEAM_STEP
    shares = steps.mean(axis=0)
    inside = shares[margin - 1 : levels.shape[1] - margin - 1]
    best = int(np.argmax(inside)) + margin - 1
    around = float(np.median(shares))
    if shares[best] - around < SEAM_CONTRAST:
        return 0, 0.0
    return best + 1, float(shares[best])


def _trim_within(levels: Levels, cell: Rectangle) -> Rectangle:
    left, top, right, bottom = cell
    inner = _trim(levels[top:bottom, left:right], PLAIN_SHARE)
    return left + inner[0], top + inner[1], left + inner[2], top + inner[3]


def _area(rectangle: Rectangle) -> int:
    return (rectangle[2] - rectangle[0]) * (rectangle[3] - rectangle[1])
