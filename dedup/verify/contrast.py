"""The loops that make a picture's local mean and contrast equal everywhere, compiled by numba.

They stand alone: no loop of another file is called here, so that numba notices every change.
"""

from __future__ import annotations

import numpy as np

from dedup.search.kernels import compiled, inlined

from .kernels import ZERO, Floats, summing


@compiled
def normalise_pictures(pictures: Floats, radius_px: int, floor: float, normal: Floats) -> None:
    """Fill in each pixel less its surroundings' mean, over their contrast and the floor."""
    count, side, _ = pictures.shape
    sums, powers = np.empty(side + 2 * radius_px), np.empty(side + 2 * radius_px)
    totals = np.empty((2, side))
    inner, over = sums[radius_px : radius_px + side], powers[radius_px : radius_px + side]
    for number in range(count):
        picture = pictures[number]
        inner[:] = over[:] = 0
        for step in range(-radius_px, radius_px + 1):
            _add(inner, over, picture[min(max(step, 0), side - 1)], 1.0)
        for row in range(side):
            _prolong(sums, radius_px)
            _prolong(powers, radius_px)
            _slide(sums, radius_px, totals[0])
            _slide(powers, radius_px, totals[1])
            area = np.float64((2 * radius_px + 1) ** 2)
            _normalise(picture[row], totals[0], totals[1], area, floor, normal[number, row])
            _add(inner, over, picture[min(row + radius_px + 1, side - 1)], 1.0)
            _add(inner, over, picture[max(row - radius_px, 0)], -1.0)


@summing
def _add(sums: Floats, powers: Floats, line: Floats, sign: float) -> None:
    """Add the values of a line and their squares to the sums, or take them off."""
    for column in range(len(line)):
        value = line[column]
        sums[column] += sign * value
        powers[column] += sign * (value * value)


@inlined
def _prolong(line: Floats, more: int) -> None:
    """Give the first and the last value of the line to so many more places at its ends."""
    for place in range(more):
        line[place], line[-1 - place] = line[more], line[-1 - more]


@summing
def _slide(line: Floats, radius_px: int, totals: Floats) -> None:
    """Fill in the sums of the values around each place."""
    for column in range(len(totals)):
        totals[column] = line[column]
    for step in range(1, 2 * radius_px + 1):
        for column in range(len(totals)):
            totals[column] += line[column + step]


@summing
def _normalise(
    line: Floats, totals: Floats, powers: Floats, area: float, floor: float, normal: Floats
) -> None:
    for column in range(len(line)):
        mean = np.float32(totals[column] / area)
        spread = np.float32(powers[column] / area) - mean * mean
        contrast = np.sqrt(spread if spread > ZERO else ZERO) + np.float32(floor)
        normal[column] = (line[column] - mean) / contrast
