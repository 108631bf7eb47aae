"""The loops over pixels of hashing, compiled by numba when first called and kept in its cache.

What a loop calls is in its own file, because numba does not notice a change of another one. They
hold no GIL. Levels are brightness, 0 to 255, in bytes without a sign: they are widened before they
are taken off one another. A slice takes as long as a short loop over what it holds, so rows are
numbered rather than cut out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.search.kernels import compiled, inlined

Levels = NDArray[np.uint8]
Rectangle = tuple[int, int, int, int]


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

    Eight rows at a time, as words of eight bytes whose bytes, pairs and halves change places.
    """
    height, width = levels.shape
    strips, words = (height + 7) // 8, (width + 7) // 8
    swapped = np.empty((8 * words, 8 * strips), np.uint8)
    columns = swapped.view(np.uint64)
    for number in range(strips):
        strip = _cut_strip(levels, 8 * number, words)
        _swap_bytes(strip)
        for line in range(8):
            for word in range(words):
                columns[8 * word + line, number] = strip[line, word]
    return swapped


@inlined
def _cut_strip(levels: Levels, top: int, words: int) -> NDArray[np.uint64]:
    """Eight rows as words, zeros where the picture has ended."""
    strip = np.zeros((8, 8 * words), np.uint8)
    for line in range(min(8, levels.shape[0] - top)):
        for column in range(levels.shape[1]):
            strip[line, column] = levels[top + line, column]
    return strip.view(np.uint64)


@inlined
def _swap_bytes(strip: NDArray[np.uint64]) -> None:
    """Swap the axes of each eight by eight bytes."""
    masks = np.array([0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF], np.uint64)
    for step in range(3):
        apart, bits, mask = 1 << step, np.uint64(8 << step), masks[step]
        for line in range(8):
            if not line & apart:
                for word in range(strip.shape[1]):
                    flips = ((strip[line, word] >> bits) ^ strip[line + apart, word]) & mask
                    strip[line, word] ^= flips << bits
                    strip[line + apart, word] ^= flips


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

    `levels` are rows of 64 pixels; `places` is the upper left one of each four.
    """
    side = 64
    pixels = levels.ravel()
    found = np.empty(len(places), np.float32)
    for number in range(len(places)):
        place = places[number]
        along, down = shares[0, number], shares[1, number]
        upper = pixels[place] + (pixels[place + 1] - pixels[place]) * along
        place += side
        lower = pixels[place] + (pixels[place + 1] - pixels[place]) * along
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
