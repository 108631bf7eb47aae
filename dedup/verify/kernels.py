"""The loops that look at pictures through maps and align them, compiled by numba when first called.

They are kept in numba's cache, and are together because it notices a change of the file that holds
a loop, but not of another file that the loop calls. They hold no GIL. Pictures are square; values
are floats of 32 bits, and their sums are taken in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from dedup.search.kernels import compiled, inlined

Floats = NDArray[np.floating[Any]]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
FROM_END = np.float32(1.001)
"""A value is mixed of four pixels: so far before the end the last one is still in the picture."""


def summing(function: Kernel) -> Kernel:
    """The function inside of its callers, with sums in vectors."""
    ways = {"reassoc", "nsz", "contract"}
    return cast(Kernel, numba.njit(forceinline=True, fastmath=ways)(function))


@compiled
def cut_pictures(
    lumas: NDArray[np.uint8],
    rows: NDArray[np.int64],
    picture_px: int,
    maps: Floats,
    bounds_px: Floats,
    cuts: Floats,
) -> None:
    """Fill in what the pictures of these rows, made smaller, show through the maps.

    `bounds_px` are the first and last pixel of each across and down that are looked at.
    """
    is_inside = np.empty(cuts.shape[1] * cuts.shape[2], np.float32)
    for number in range(len(rows)):
        picture = _shrink(lumas[rows[number]], picture_px)
        _see(picture, maps[number], bounds_px[number], cuts[number].ravel(), is_inside)


@compiled
def see_pictures(pictures: Floats, maps: Floats, values: Floats, is_inside: Floats) -> None:
    """Fill in what each picture shows through its map, flat, and 1 where that lies within it."""
    bounds_px = _everything(pictures.shape[1])
    for number in range(len(pictures)):
        _see(pictures[number], maps[number], bounds_px, values[number], is_inside[number])


@compiled
def align_pictures(
    templates: Floats,
    others: Floats,
    maps: Floats,
    basis: Floats,
    steps: int,
    misfit_scale: float,
    damping: float,
    max_step: float,
) -> None:
    """Change the maps from templates to others, so that the pictures agree where they overlap.

    `basis` holds the matrices that a small change of a map is the sum of, times as many numbers.
    """
    count, freedoms = len(templates), basis.shape[1]
    size = templates.shape[1] * templates.shape[2]
    slopes = np.empty((freedoms, size), np.float32)
    values, weights = np.empty(size, np.float32), np.empty(size, np.float32)
    equations = np.empty((freedoms, freedoms + 1), np.float64)
    bounds_px = _everything(others.shape[1])
    for number in range(count):
        template = templates[number].ravel()
        _fill_slopes(templates[number], basis[number], slopes)
        for _ in range(steps):
            _see(others[number], maps[number], bounds_px, values, weights)
            _weigh(template, values, weights, np.float32(misfit_scale))
            _sum_up(slopes, values, weights, equations)
            _solve(equations, damping)
            _change(maps[number], basis[number], equations, max_step)


@inlined
def _everything(side: int) -> Floats:
    """The bounds of a picture without a border."""
    return np.array([0, side - 1, 0, side - 1], np.float32)


@inlined
def _shrink(luma: NDArray[np.uint8], picture_px: int) -> Floats:
    """The picture with so many pixels a side, each the mean of as many as fall into it."""
    step = len(luma) // picture_px
    share = ONE / np.float32(step * step)
    picture = np.empty((picture_px, picture_px), np.float32)
    for row in range(picture_px):
        for column in range(picture_px):
            total = 0
            for down in range(step):
                for along in range(step):
                    total += int(luma[row * step + down, column * step + along])
            picture[row, column] = np.float32(total) * share
    return picture


@inlined
def _see(
    picture: Floats, view: Floats, bounds_px: Floats, values: Floats, is_inside: Floats
) -> None:
    """Fill in what a picture shows through a map; outside of it the nearest edge."""
    side = len(picture)
    flat, last = picture.ravel(), np.float32(side) - FROM_END
    pixels = round(np.sqrt(len(values)))
    shares, belows = np.empty(pixels, np.float32), np.empty(pixels, np.float32)
    places = np.empty(pixels, np.int32)
    for row in range(pixels):
        line = slice(row * pixels, (row + 1) * pixels)
        _locate(view, row, side, bounds_px, last, is_inside[line], shares, belows, places)
        _mix(flat, side, places, shares, belows, values[line])


@summing
def _locate(
    view: Floats,
    row: int,
    side: int,
    bounds_px: Floats,
    last: Any,
    is_inside: Floats,
    shares: Floats,
    belows: Floats,
    places: NDArray[np.int32],
) -> None:
    """Fill in which pixel lies at each of a row, how far beyond it, and whether any does."""
    pixels, size = len(places), np.float32(side)
    pixel = ONE / np.float32(pixels)
    down = (np.float32(row) + HALF) * pixel
    for column in range(pixels):
        along = (np.float32(column) + HALF) * pixel
        x = (view[0, 0] * along + view[0, 1] * down + view[0, 2]) * size - HALF
        y = (view[1, 0] * along + view[1, 1] * down + view[1, 2]) * size - HALF
        inside = (x > -HALF) & (x < size - HALF) & (y > -HALF) & (y < size - HALF)
        is_inside[column] = ONE if inside else ZERO
        x = _clamp(_clamp(x, bounds_px[0], bounds_px[1]), ZERO, last)
        y = _clamp(_clamp(y, bounds_px[2], bounds_px[3]), ZERO, last)
        left, top = np.int32(x), np.int32(y)
        shares[column], belows[column] = x - np.float32(left), y - np.float32(top)
        places[column] = top * np.int32(side) + left


@summing
def _mix(
    flat: Floats,
    side: int,
    places: NDArray[np.int32],
    shares: Floats,
    belows: Floats,
    values: Floats,
) -> None:
    for column in range(len(places)):
        place, share = places[column], shares[column]
        upper = flat[place] + (flat[place + 1] - flat[place]) * share
        place += side
        lower = flat[place] + (flat[place + 1] - flat[place]) * share
        values[column] = upper + (lower - upper) * belows[column]


@inlined
def _clamp(value: Any, low: Any, high: Any) -> Any:
    """The nearest value within; what is no number is the lowest, so that every place exists."""
    above = value if value > low else low
    return above if above < high else high


@inlined
def _fill_slopes(template: Floats, basis: Floats, slopes: Floats) -> None:
    """How each pixel's value changes with each number, over a whole side; not at the edges."""
    side = len(template)
    across, down = np.zeros(side, np.float32), np.zeros(side, np.float32)
    for row in range(side):
        line = template[row]
        if 0 < row < side - 1:
            _subtract(template[row + 1], template[row - 1], down)
        else:
            down[:] = 0
        _subtract(line[2:], line[:-2], across[1:-1])
        for freedom in range(len(slopes)):
            place = row * side
            _turn(across, down, basis[freedom], row, slopes[freedom, place : place + side])


@summing
def _subtract(one: Floats, other: Floats, steps: Floats) -> None:
    for column in range(len(steps)):
        steps[column] = one[column] - other[column]


@summing
def _turn(across: Floats, down: Floats, change: Floats, row: int, slopes: Floats) -> None:
    """How the values of a row of pixels change with a change of the map, given their steps."""
    side = np.float32(len(slopes))
    half, pixel = side / np.float32(2), ONE / side
    y = (np.float32(row) + HALF) * pixel
    x_start, y_start = change[0, 1] * y + change[0, 2], change[1, 1] * y + change[1, 2]
    for column in range(len(slopes)):
        x = (np.float32(column) + HALF) * pixel
        slope = across[column] * (change[0, 0] * x + x_start)
        slopes[column] = half * (slope + down[column] * (change[1, 0] * x + y_start))


@summing
def _weigh(template: Floats, values: Floats, weights: Floats, misfit_scale: Any) -> None:
    """Turn the values into misfits, and give what does not fit little weight."""
    for place in range(len(values)):
        misfit = values[place] - template[place]
        strange = misfit / misfit_scale
        values[place] = misfit
        weights[place] /= ONE + strange * strange


@summing
def _sum_up(slopes: Floats, misfits: Floats, weights: Floats, equations: Floats) -> None:
    """The normal equations of the numbers that explain the misfits best."""
    freedoms = len(slopes)
    weighted = np.empty(len(weights), np.float32)
    for one in range(freedoms):
        for place in range(len(weights)):
            weighted[place] = slopes[one, place] * weights[place]
        for other in range(one, freedoms):
            total = ZERO
            for place in range(len(weights)):
                total += weighted[place] * slopes[other, place]
            equations[one, other] = equations[other, one] = total
        total = ZERO
        for place in range(len(weights)):
            total += weighted[place] * misfits[place]
        equations[one, freedoms] = total


@inlined
def _solve(equations: Floats, damping: float) -> None:
    """Put the numbers that solve the damped equations in their last column.

    Damped, they are never singular, and the largest number of each column is on its diagonal or
    near enough (Gauss and Jordan, without a change of rows).
    """
    count = len(equations)
    trace = 0.0
    for one in range(count):
        trace += equations[one, one]
    for one in range(count):
        equations[one, one] += damping * (trace / count + 1)
    for one in range(count):
        for other in range(count):
            if other != one:
                share = equations[other, one] / equations[one, one]
                for column in range(one, count + 1):
                    equations[other, column] -= share * equations[one, column]
    for one in range(count):
        equations[one, count] /= equations[one, one]


@inlined
def _change(view: Floats, basis: Floats, equations: Floats, max_step: float) -> None:
    """Put the change that the numbers stand for, turned round, before the map."""
    count = len(equations)
    a, b, c, d, e, f = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0
    for freedom in range(count):
        number = min(max(equations[freedom, count], -max_step), max_step)
        one = basis[freedom]
        a, b, c = a + number * one[0, 0], b + number * one[0, 1], c + number * one[0, 2]
        d, e, f = d + number * one[1, 0], e + number * one[1, 1], f + number * one[1, 2]
    area = a * e - b * d
    a, b, d, e = e / area, -b / area, -d / area, a / area
    c, f = -(a * c + b * f), -(d * c + e * f)
    for row in range(2):
        first, second, third = view[row, 0], view[row, 1], view[row, 2]
        view[row, 0] = first * a + second * d
        view[row, 1] = first * b + second * e
        view[row, 2] = first * c + second * f + third
