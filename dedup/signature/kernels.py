"""The loops over pixels of signing, compiled by numba when first called and kept in its cache.

All of them are here because numba notices a change of the file that holds a loop, but not of
another file that the loop calls. They hold no GIL. Levels are brightness, 0 to 255, in
bytes without a sign: they are widened before they are taken off one another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.search.kernels import compiled, inlined

Levels = NDArray[np.uint8]
Rectangle = tuple[int, int, int, int]

LEAST_SIDE_PX = 8


@compiled
def mix_rows(levels: Levels, firsts: NDArray[np.int32], weights: NDArray[np.int32]) -> Levels:
    """Rows of bytes, each mixed of some rows from a first one on; weights are 22 bits of one."""
    width = levels.shape[1]
    mixed = np.empty((len(firsts), width), np.uint8)
    sums = np.empty(width, np.int32)
    for number in range(len(firsts)):
        sums[:] = 1 << 21
        for place in range(weights.shape[1]):
            weight, row = weights[number, place], levels[firsts[number] + place]
            if weight:
                for column in range(width):
                    sums[column] += weight * np.int32(row[column])
        for column in range(width):
            mixed[number, column] = min(max(sums[column] >> 22, 0), 255)
    return mixed


@compiled
def transpose(levels: Levels) -> Levels:
    """The picture with its axes swapped, sides filled up with zeros to multiples of eight.

    Eight by eight bytes at a time, as words whose bytes, pairs and halves change places.
    """
    height, width = levels.shape
    padded = np.zeros(((height + 7) // 8 * 8, (width + 7) // 8 * 8), np.uint8)
    for row in range(height):
        padded[row, :width] = levels[row]
    swapped = np.empty((padded.shape[1], padded.shape[0]), np.uint8)
    words, others = padded.view(np.uint64), swapped.view(np.uint64)
    block = np.empty(8, np.uint64)
    masks = np.array([0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF], np.uint64)
    for row in range(words.shape[0] // 8):
        for column in range(words.shape[1]):
            for line in range(8):
                block[line] = words[8 * row + line, column]
            for step in range(3):
                apart, bits = 1 << step, np.uint64(8 << step)
                for line in range(8):
                    if not line & apart:
                        flips = ((block[line] >> bits) ^ block[line + apart]) & masks[step]
                        block[line] ^= flips << bits
                        block[line + apart] ^= flips
            for line in range(8):
                others[8 * column + line, row] = block[line]
    return swapped


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
def count_plain(levels: Levels, share: float, tolerance: int, margin_share: float) -> int:
    """How many rows from the first on have its shade at both margins and over so large a share."""
    height, width = levels.shape
    if height == 0 or width == 0:
        return 0
    if abs(np.int64(levels[0, 0]) - np.int64(levels[0, width - 1])) > 2 * tolerance:
        return 0
    shade = int(np.int64(np.sort(levels[0].copy())[width // 2]))
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
    counts = np.zeros(along - 2, np.int16)
    if is_level:
        _count_level_steps(levels, cell, least_step, counts)
    else:
        _count_upright_steps(levels, cell, least_step, counts)
    best = margin - 1
    for place in range(margin - 1, along - margin - 1):
        if counts[place] > counts[best]:
            best = place
    if counts[best] < contrast * other:
        return 0, 0.0
    ordered = np.sort(counts)
    middle = len(ordered) // 2
    around = (int(ordered[middle]) + int(ordered[(len(ordered) - 1) // 2])) / 2
    is_seam = (int(counts[best]) - around) / other >= contrast
    return (best + 1, int(counts[best]) / other) if is_seam else (0, 0.0)


@inlined
def _count_upright_steps(
    levels: Levels, cell: Rectangle, least_step: int, counts: NDArray[np.int16]
) -> None:
    left, top, right, bottom = cell
    for row in range(top, bottom):
        ones, others = levels[row, left + 2 : right], levels[row, left : right - 2]
        for place in range(len(counts)):
            step = np.int16(ones[place]) - np.int16(others[place])
            counts[place] += np.int16(step > least_step) + np.int16(step < -least_step)


@inlined
def _count_level_steps(
    levels: Levels, cell: Rectangle, least_step: int, counts: NDArray[np.int16]
) -> None:
    left, top, right, _ = cell
    for place in range(len(counts)):
        ones, others = levels[top + place + 2, left:right], levels[top + place, left:right]
        count = np.int16(0)
        for column in range(len(ones)):
            step = np.int16(ones[column]) - np.int16(others[column])
            count += np.int16(step > least_step) + np.int16(step < -least_step)
        counts[place] = count


@compiled
def halve(levels: Levels) -> Levels:
    """The picture with half as many pixels a side, each the mean of four."""
    halved = np.empty((levels.shape[0] // 2, levels.shape[1] // 2), np.uint8)
    for row in range(halved.shape[0]):
        upper, lower, line = levels[2 * row], levels[2 * row + 1], halved[row]
        for column in range(len(line)):
            total = np.uint16(upper[2 * column]) + np.uint16(upper[2 * column + 1])
            total += np.uint16(lower[2 * column]) + np.uint16(lower[2 * column + 1])
            line[column] = (total + 2) >> 2
    return halved


@compiled
def count_alike(levels: Levels, span: int) -> int:
    """How many pixels lie within so many neighbouring levels at most."""
    counts = np.zeros(256, np.int64)
    for row in range(levels.shape[0]):
        for column in range(levels.shape[1]):
            counts[levels[row, column]] += 1
    total = int(counts[:span].sum())
    most = total
    for level in range(span, 256):
        total += counts[level] - counts[level - span]
        most = max(most, total)
    return most


@compiled
def sum_gradients(luma: Levels) -> np.int64:
    """The steps between neighbours across and down, each in whole percent of 255."""
    height, width = luma.shape
    total = np.int64(0)
    for row in range(height):
        for column in range(width):
            level = np.int64(luma[row, column])
            if row + 1 < height:
                total += abs(np.int64(luma[row + 1, column]) - level) * 100 // 255
            if column + 1 < width:
                total += abs(np.int64(luma[row, column + 1]) - level) * 100 // 255
    return total


@compiled
def sample(
    levels: NDArray[np.floating[Any]],
    places: NDArray[np.int32],
    shares: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Values between pixels: of four at each place, by how far along and down it lies.

    `levels` are flat rows of 64 pixels; `places` is the upper left one of each four.
    """
    side = 64
    found = np.empty(len(places), np.float32)
    for number in range(len(places)):
        place = places[number]
        along, down = shares[0, number], shares[1, number]
        upper = levels[place] + (levels[place + 1] - levels[place]) * along
        place += side
        lower = levels[place] + (levels[place + 1] - levels[place]) * along
        found[number] = upper + (lower - upper) * down
    return found


@compiled
def transform_interval(
    transform: NDArray[np.floating[Any]], start: float, end: float, first: int, last: int
) -> NDArray[np.float32]:
    """The matrix that averages the pixels of an interval into samples and transforms these.

    `start` and `end` are in pixels of a row of 64. Pixels before `first` and after `last` are not
    looked at; the nearest of the others stands for them.
    """
    side = 64
    frequencies, samples = transform.shape
    matrix = np.zeros((frequencies, side), np.float64)
    width = (end - start) / samples
    for number in range(samples):
        begin = start + width * number
        for pixel in range(int(begin), min(int(begin + width) + 2, side)):
            share = (min(begin + width, pixel + 1) - max(begin, pixel)) / width
            if share > 0:
                for frequency in range(frequencies):
                    place = min(max(pixel, first), last)
                    matrix[frequency, place] += transform[frequency, number] * share
    return matrix.astype(np.float32)
