"""What a picture is put together of: plain borders and bars around it, cells of a collage in it.

All of it is only a proposal of rectangles to hash; whether they show what another picture shows is
verified later. Rectangles are (left, top, right, bottom) in pixels of the squeezed brightness.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .kernels import Levels, Rectangle, find_seam, trim

PLAIN_TOLERANCE = 14
EVEN_TOLERANCE = 5
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

    Twice: an even border is taken off once, so that a plain sky behind it stays; a less even one as
    often as there is another. Only what leaves a considerable part of the picture counts.
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
    sides = levels, np.ascontiguousarray(levels.T)
    cells = list(_split(sides, (0, 0, width, height), CELL_DEPTH))
    trimmed = [_trim(levels, cell, PLAIN_SHARE, PLAIN_TOLERANCE) for cell in cells[1:]]
    large = {cell for cell in trimmed if _area(cell) >= MIN_CELL_SHARE**2 * width * height}
    return sorted(large, key=lambda cell: (-_area(cell), cell))[:max_rectangles]


def _trim(levels: Levels, within: Rectangle, share: float, tolerance: int) -> Rectangle:
    is_once = tolerance == EVEN_TOLERANCE
    return trim(levels, within, share, tolerance, MARGIN_SHARE, is_once)


def _is_real_cut(rectangle: Rectangle, shape: tuple[int, ...]) -> bool:
    height, width = shape
    share_x = (rectangle[2] - rectangle[0]) / width
    share_y = (rectangle[3] - rectangle[1]) / height
    return min(share_x, share_y) >= MIN_SIDE_SHARE and share_x * share_y <= 1 - MIN_CUT_SHARE


def _split(sides: tuple[Levels, Levels], cell: Rectangle, depth: int) -> Iterator[Rectangle]:
    """The cell and, where a seam crosses it, the cells that it falls into.

    `sides` are the levels as they are and transposed.
    """
    yield cell
    left, top, right, bottom = cell
    x, x_score = _best_seam(sides[0], cell)
    y, y_score = _best_seam(sides[1], (top, left, bottom, right))
    if not depth or max(x_score, y_score) < SEAM_SHARE:
        return
    if x_score >= y_score:
        halves = (left, top, left + x, bottom), (left + x, top, right, bottom)
    else:
        halves = (left, top, right, top + y), (left, top + y, right, bottom)
    for half in halves:
        yield from _split(sides, half, depth - 1)


def _best_seam(levels: Levels, cell: Rectangle) -> tuple[int, float]:
    """Between which columns a cell breaks most, and over which share of its height."""
    left, top, right, bottom = cell
    width, height = right - left, bottom - top
    margin = max(round(width * 0.1), round(128 * MIN_CELL_SHARE))
    if width <= 2 * margin + 2 or height < 8:
        return 0, 0.0
    place, rows, around = find_seam(levels, cell, margin, SEAM_STEP)
    is_seam = (rows - around) / height >= SEAM_CONTRAST
    return (place, rows / height) if is_seam else (0, 0.0)


def _area(rectangle: Rectangle) -> int:
    return (rectangle[2] - rectangle[0]) * (rectangle[3] - rectangle[1])
