"""What a picture is put together of: plain borders and bars around it, cells of a collage in it.

All of it is only a proposal of rectangles to hash; whether they show what another picture shows is
verified later. Rectangles are (left, top, right, bottom) in pixels of the squeezed brightness.
"""

from __future__ import annotations

from .kernels import Levels, Rectangle
from .layout_kernels import cut_cells, trim, trim_each

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
    margin = round(width * MIN_CELL_SHARE)
    inside = _trim(levels, (0, 0, width, height), PLAIN_SHARE, PLAIN_TOLERANCE)
    cells = cut_cells(levels, inside, margin, CELL_DEPTH, SEAM_STEP, SEAM_SHARE, SEAM_CONTRAST)
    if not len(cells):
        return []
    trimmed = trim_each(levels, cells, PLAIN_SHARE, PLAIN_TOLERANCE, MARGIN_SHARE).tolist()
    large = {tuple(cell) for cell in trimmed if _area(cell) >= MIN_CELL_SHARE**2 * width * height}
    return sorted(large, key=lambda cell: (-_area(cell), cell))[:max_rectangles]


def _trim(levels: Levels, within: Rectangle, share: float, tolerance: int) -> Rectangle:
    is_once = tolerance == EVEN_TOLERANCE
    return trim(levels, within, share, tolerance, MARGIN_SHARE, is_once)


def _is_real_cut(rectangle: Rectangle, shape: tuple[int, ...]) -> bool:
    height, width = shape
    share_x = (rectangle[2] - rectangle[0]) / width
    share_y = (rectangle[3] - rectangle[1]) / height
    return min(share_x, share_y) >= MIN_SIDE_SHARE and share_x * share_y <= 1 - MIN_CUT_SHARE


def _area(rectangle: Rectangle) -> int:
    return (rectangle[2] - rectangle[0]) * (rectangle[3] - rectangle[1])
