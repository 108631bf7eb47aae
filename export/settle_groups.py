"""Places groups into sets so that each set has its share of everything; whole numbers only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from .group_table import Groups, Integers

ROUNDS = 64
MOST_PASSES = 50
_MASK = (1 << 62) - 1
FACTOR, STEP = 6364136223846793005, 1442695040888963407


def settle_groups(
    groups: Groups, fixed: Integers, wanted: Integers, steps: int, seed: int
) -> Integers:
    """The set of each group, from 0; `fixed` ones (not -1) stay where they are.

    `wanted` is what each set should have, in millionths of a kind; a set that should have nothing
    gets no group. The sum over sets and kinds of squared deviations is small in the end.
    """
    totals = np.zeros(groups.kind_count, np.int64)
    np.add.at(totals, groups.kinds, groups.units)
    # what a set holds beyond its share; rounding down keeps it whole
    beyond = -(wanted[:, None] * totals[None, :] // max(int(wanted.sum()), 1))
    squares = np.add.reduceat(
        np.append(groups.units**2, 0), np.minimum(groups.starts[:-1], len(groups.units))
    )
    squares[groups.starts[:-1] == groups.starts[1:]] = 0
    open_sets = np.flatnonzero(wanted > 0).astype(np.int64)
    state = (seed * 2_654_435_761 + 88_172_645_463_325_252) & _MASK
    placed: Integers = _settle(
        groups.starts,
        groups.kinds,
        groups.units,
        squares.astype(np.int64),
        _by_weight(groups),
        np.ascontiguousarray(beyond, np.int64),
        open_sets,
        fixed,
        steps,
        state,
    )
    return placed


def _by_weight(groups: Groups) -> Integers:
    """The groups, those first that hold most of something."""
    largest = [
        int(groups.units[start:end].max(initial=0))
        for start, end in zip(groups.starts[:-1], groups.starts[1:], strict=True)
    ]
    return np.argsort(-np.array(largest, np.int64), kind="stable").astype(np.int64)


@njit(cache=True)
def _cost(starts: Any, kinds: Any, units: Any, square: int, beyond: Any, g: int, to: int) -> int:
    """By how much squared deviations grow where the set `to` takes group `g`."""
    total = 0
    for k in range(starts[g], starts[g + 1]):
        total += units[k] * beyond[to, kinds[k]]
    return 2 * total + square


@njit(cache=True)
def _put(starts: Any, kinds: Any, units: Any, beyond: Any, g: int, to: int, sign: int) -> None:
    for k in range(starts[g], starts[g + 1]):
        beyond[to, kinds[k]] += sign * units[k]


@njit(cache=True)
def _move(
    starts: Any, kinds: Any, units: Any, squares: Any, beyond: Any, placed: Any, g: int, to: int
) -> int:
    """What it costs that the group, which has a set, goes to another one; it is there then."""
    left = placed[g]
    _put(starts, kinds, units, beyond, g, left, -1)
    saved = _cost(starts, kinds, units, squares[g], beyond, g, left)
    cost = _cost(starts, kinds, units, squares[g], beyond, g, to) - saved
    _put(starts, kinds, units, beyond, g, to, 1)
    placed[g] = to
    return cost


@njit(cache=True)
def _settle(
    starts: Any,
    kinds: Any,
    units: Any,
    squares: Any,
    order: Any,
    beyond: Any,
    sets: Any,
    fixed: Any,
    steps: int,
    state: int,
) -> Any:
    placed = fixed.copy()
    free = order[fixed[order] < 0]
    for g in range(len(fixed)):
        if fixed[g] >= 0:
            _put(starts, kinds, units, beyond, g, fixed[g], 1)
    for g in free:  # those that hold most of something first, each where it costs least
        best = sets[0]
        least = _cost(starts, kinds, units, squares[g], beyond, g, best)
        for to in sets[1:]:
            cost = _cost(starts, kinds, units, squares[g], beyond, g, to)
            if cost < least:
                best, least = to, cost
        _put(starts, kinds, units, beyond, g, best, 1)
        placed[g] = best
    if len(free) < 2 or len(sets) < 2:
        return placed
    threshold = np.sort(squares[free])[len(free) // 2]
    best_placed, total, lowest = placed.copy(), 0, 0
    per_round = steps // ROUNDS + 1
    for number in range(ROUNDS + 1):
        left = ROUNDS - number
        limit = threshold * left // ROUNDS * left // ROUNDS * left // ROUNDS
        for _ in range(per_round):
            state = state * FACTOR + STEP  # wraps at 64 bits (Knuth's MMIX)
            g = free[((state >> 32) & 0x7FFFFFFF) % len(free)]
            state = state * FACTOR + STEP
            other = free[((state >> 32) & 0x7FFFFFFF) % len(free)]
            is_change = (state >> 25) & 1
            before, to = placed[g], sets[((state >> 26) & 31) % len(sets)]
            if is_change:
                to = placed[other]
            if to == before:
                continue
            cost = _move(starts, kinds, units, squares, beyond, placed, g, to)
            if is_change:
                cost += _move(starts, kinds, units, squares, beyond, placed, other, before)
                if cost >= limit and cost >= 0:
                    _move(starts, kinds, units, squares, beyond, placed, other, to)
            if cost >= limit and cost >= 0:
                _move(starts, kinds, units, squares, beyond, placed, g, before)
                continue
            total += cost
        if total < lowest:
            lowest = total
            best_placed[:] = placed
    for g in range(len(placed)):
        if placed[g] != best_placed[g]:
            _move(starts, kinds, units, squares, beyond, placed, g, best_placed[g])
    for _ in range(MOST_PASSES):  # then every single move that helps
        has_moved = False
        for g in free:
            for to in sets:
                before = placed[g]
                if to == before:
                    continue
                if _move(starts, kinds, units, squares, beyond, placed, g, to) < 0:
                    has_moved = True
                else:
                    _move(starts, kinds, units, squares, beyond, placed, g, before)
        if not has_moved:
            break
    return placed
