"""The loops that look for borders, seams and writing, compiled as those of `kernels` are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dedup.search.kernels import compiled, inlined

from .kernels import Levels, Rectangle

LEAST_SIDE_PX = 8


@compiled
def trim(
    levels: Levels,
    rectangle: Rectangle,
    share: float,
    tolerance: int,
    margin_share: float,
    is_once: bool,
) -> Rectangle:
    """What is left when plain rows and columns are taken off from outside, until none is plain.

    A row is plain where it has its edge's shade at both margins and over so large a share.
    """
    left, top, right, bottom = rectangle
    while True:
        height, width = bottom - top, right - left
        from_top = count_plain(levels[top:bottom, left:right], share, tolerance, margin_share)
        from_bottom = count_plain(
            levels[top + from_top : bottom, left:right][::-1], share, tolerance, margin_share
        )
        top, bottom = top + from_top, bottom - from_bottom
        from_left = count_plain(levels[top:bottom, left:right].T, share, tolerance, margin_share)
        from_right = count_plain(
            levels[top:bottom, left + from_left : right].T[::-1], share, tolerance, margin_share
        )
        left, right = left + from_left, right - from_right
        is_done = height == bottom - top and width == right - left
        if is_once or is_done or right - left < LEAST_SIDE_PX or bottom - top < LEAST_SIDE_PX:
            return left, top, right, bottom


@compiled
def trim_each(
    levels: Levels,
    rectangles: NDArray[np.int64],
    share: float,
    tolerance: int,
    margin_share: float,
) -> NDArray[np.int64]:
    """What is left of each rectangle."""
    trimmed = np.empty_like(rectangles)
    for number in range(len(rectangles)):
        one = rectangles[number]
        cell = one[0], one[1], one[2], one[3]
        left, top, right, bottom = trim(levels, cell, share, tolerance, margin_share, False)
        trimmed[number] = np.array([left, top, right, bottom])
    return trimmed


@compiled
def count_plain(levels: Levels, share: float, tolerance: int, margin_share: float) -> int:
    """How many rows from the first on have its shade at both margins and over so large a share."""
    height, width = levels.shape
    if height == 0 or width == 0:
        return 0
    if abs(np.int64(levels[0, 0]) - np.int64(levels[0, width - 1])) > 2 * tolerance:
        return 0
    shade = _in_order(levels[0], width // 2)
    margin = max(round(width * margin_share), 1)
    for row in range(height):
        count = 0
        for column in range(width):
            if abs(np.int64(levels[row, column]) - shade) <= tolerance:
                count += 1
            elif column < margin or column >= width - margin:
                return row
        if count < share * width:
            return row
    return int(height)


@inlined
def _in_order(values: NDArray[np.uint8], place: int) -> int:
    """Which of the values comes at a place when they are sorted."""
    counts = np.zeros(256, np.int64)
    for number in range(len(values)):
        counts[values[number]] += 1
    value, passed = 0, counts[0]
    while passed <= place:
        value += 1
        passed += counts[value]
    return value


@compiled
def cut_cells(
    levels: Levels,
    within: Rectangle,
    margin: int,
    depth: int,
    least_step: int,
    least_share: float,
    contrast: float,
) -> NDArray[np.int64]:
    """The rectangles that seams cut one into, and those that seams cut these into, and so on.

    A seam runs straight from edge to edge, so far from both ends at least.
    """
    cells = np.empty((1 << (depth + 1), 5), np.int64)
    cells[0] = np.array([within[0], within[1], within[2], within[3], depth])
    count, number = 1, 0
    while number < count:
        left, top, right, bottom, more = cells[number]
        number += 1
        if not more:
            continue
        cell = left, top, right, bottom
        x, x_share = _best_seam(levels, cell, False, margin, least_step, contrast)
        y, y_share = _best_seam(levels, cell, True, margin, least_step, contrast)
        if max(x_share, y_share) < least_share:
            continue
        cells[count], cells[count + 1] = cells[number - 1], cells[number - 1]
        if x_share >= y_share:
            cells[count, 2] = cells[count + 1, 0] = left + x
        else:
            cells[count, 3] = cells[count + 1, 1] = top + y
        cells[count, 4] = cells[count + 1, 4] = more - 1
        count += 2
    return cells[1:count, :4].copy()


@inlined
def _best_seam(
    levels: Levels, cell: Rectangle, is_level: bool, margin: int, least_step: int, contrast: float
) -> tuple[int, float]:
    """Between which columns (rows) a cell breaks most, and over which share of its other side."""
    left, top, right, bottom = cell
    along, other = (bottom - top, right - left) if is_level else (right - left, bottom - top)
    if along <= 2 * margin + 2 or other < LEAST_SIDE_PX:
        return 0, 0.0
    counts = np.zeros(along - 2, np.uint8)  # a side has 128 pixels
    if is_level:
        ones, others = levels[top : bottom - 2, left:right], levels[top + 2 : bottom, left:right]
        _count_level_steps(ones, others, least_step, counts)
    else:
        ones, others = levels[top:bottom, left : right - 2], levels[top:bottom, left + 2 : right]
        _count_upright_steps(ones, others, least_step, counts)
    best = margin - 1
    for place in range(margin - 1, along - margin - 1):
        if counts[place] > counts[best]:
            best = place
    if counts[best] < contrast * other:
        return 0, 0.0
    middle, before = len(counts) // 2, (len(counts) - 1) // 2
    around = (_in_order(counts, middle) + _in_order(counts, before)) / 2
    is_seam = (int(counts[best]) - around) / other >= contrast
    return (best + 1, int(counts[best]) / other) if is_seam else (0, 0.0)


@inlined
def _count_upright_steps(
    ones: Levels, others: Levels, least_step: int, counts: NDArray[np.uint8]
) -> None:
    for row in range(ones.shape[0]):
        for column in range(ones.shape[1]):
            step = abs(np.int16(ones[row, column]) - np.int16(others[row, column]))
            counts[column] += np.uint8(step > least_step)


@inlined
def _count_level_steps(
    ones: Levels, others: Levels, least_step: int, counts: NDArray[np.uint8]
) -> None:
    for row in range(ones.shape[0]):
        count = 0
        for column in range(ones.shape[1]):
            step = abs(np.int16(ones[row, column]) - np.int16(others[row, column]))
            count += int(step > least_step)
        counts[row] = count


@compiled
def count_alike(levels: Levels, span: int) -> int:
    """How many pixels lie within so many neighbouring levels at most."""
    counts = np.zeros((4, 256), np.int32)  # in turn, since neighbours are often equal
    for row in range(levels.shape[0]):
        for column in range(levels.shape[1]):
            counts[column & 3, levels[row, column]] += 1
    alike = counts.sum(axis=0)
    total = int(alike[:span].sum())
    most = total
    for level in range(span, 256):
        total += alike[level] - alike[level - span]
        most = max(most, total)
    return most


@compiled
def count_edges(levels: Levels, least_step: int, times: int) -> tuple[int, int]:
    """How many pixels away from the rim lie on a strong edge, and on one straight across or down.

    There the larger of the steps across and down is so many times the smaller.
    """
    edges = straight = 0
    for row in range(1, levels.shape[0] - 1):
        for column in range(1, levels.shape[1] - 1):
            across = abs(np.int16(levels[row, column + 1]) - np.int16(levels[row, column - 1]))
            down = abs(np.int16(levels[row + 1, column]) - np.int16(levels[row - 1, column]))
            is_edge = max(across, down) > least_step
            edges += int(is_edge)
            straight += int(is_edge and times * min(across, down) < max(across, down))
    return edges, straight
