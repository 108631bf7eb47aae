"""The loops that settle groups, in whole numbers of 64 bits; run as a program it prints their code.

Only `machine_code` imports this, in a process of its own, since the compiler takes 100 MB. Numbers
lie in plain memory: `beyond` holds for each kind a number for each of `width` sets.
"""

from __future__ import annotations

import sys
from typing import Any

import numba

ROUNDS = 64
MOST_PASSES = 50
FACTOR, STEP = 6364136223846793005, 1442695040888963407
types: Any = numba.types
njit: Any = numba.njit
_INTEGER, _INTEGERS = types.int64, types.CPointer(types.int64)
_POINTERS, _NUMBERS = 9, 7
_compile_inner = njit(error_model="numpy")


@_compile_inner  # type: ignore[untyped-decorator]
def _weigh(starts: Any, kinds: Any, units: Any, beyond: Any, width: int, g: int, to: int) -> int:
    """By how much squared deviations grow where the set takes the group: half of what is its."""
    total = 0
    for k in range(starts[g], starts[g + 1]):
        total += units[k] * beyond[kinds[k] * width + to]
    return total


@_compile_inner  # type: ignore[untyped-decorator]
def _put(
    starts: Any, kinds: Any, units: Any, beyond: Any, width: int, g: int, to: int, sign: int
) -> None:
    for k in range(starts[g], starts[g + 1]):
        beyond[kinds[k] * width + to] += sign * units[k]


@_compile_inner  # type: ignore[untyped-decorator]
def _move(
    starts: Any, kinds: Any, units: Any, beyond: Any, width: int, g: int, left: int, to: int
) -> None:
    _put(starts, kinds, units, beyond, width, g, left, -1)
    _put(starts, kinds, units, beyond, width, g, to, 1)


@_compile_inner  # type: ignore[untyped-decorator]
def _gain(
    starts: Any, kinds: Any, units: Any, beyond: Any, width: int, g: int, left: int, to: int
) -> int:
    """What `_weigh` of the one set is beyond that of the other."""
    total = 0
    for k in range(starts[g], starts[g + 1]):
        at = kinds[k] * width
        total += units[k] * (beyond[at + to] - beyond[at + left])
    return total


@_compile_inner  # type: ignore[untyped-decorator]
def _share(starts: Any, kinds: Any, units: Any, first: int, second: int) -> int:
    """The sum of the products of what two groups both hold; kinds ascend in each."""
    total = 0
    i, j = starts[first], starts[second]
    while i < starts[first + 1] and j < starts[second + 1]:
        here, there = kinds[i], kinds[j]
        if here == there:
            total += units[i] * units[j]
        if here <= there:
            i += 1
        if there <= here:
            j += 1
    return total


def settle(
    starts: Any,
    kinds: Any,
    units: Any,
    squares: Any,
    free: Any,
    beyond: Any,
    sets: Any,
    placed: Any,
    best: Any,
    groups: int,
    free_count: int,
    width: int,
    set_count: int,
    threshold: int,
    steps: int,
    state: int,
) -> None:
    """Place the free groups; `placed` and `beyond` are changed, `best` is room to work in."""
    for f in range(free_count):  # those that hold most of something first, where it costs least
        g = free[f]
        chosen = sets[0]
        least = _weigh(starts, kinds, units, beyond, width, g, chosen)
        for s in range(1, set_count):
            weight = _weigh(starts, kinds, units, beyond, width, g, sets[s])
            if weight < least:
                chosen, least = sets[s], weight
        _put(starts, kinds, units, beyond, width, g, chosen, 1)
        placed[g] = chosen
    if free_count < 2 or set_count < 2:
        return
    for g in range(groups):
        best[g] = placed[g]
    total, lowest = 0, 0
    for number in range(ROUNDS + 1):
        left = ROUNDS - number
        limit = threshold * left // ROUNDS * left // ROUNDS * left // ROUNDS
        for _ in range(steps // ROUNDS + 1):
            state = state * FACTOR + STEP  # wraps at 64 bits (Knuth's MMIX)
            g = free[((state >> 32) & 0x7FFFFFFF) % free_count]
            state = state * FACTOR + STEP
            other = free[((state >> 32) & 0x7FFFFFFF) % free_count]
            is_change = (state >> 25) & 1
            before, to = placed[g], sets[((state >> 26) & 31) % set_count]
            if is_change:
                to = placed[other]
            if to == before:
                continue
            # (b + u)^2 + (a - u)^2 - b^2 - a^2 = 2 (u (b - a) + u^2), and what both hold stays
            half = _gain(starts, kinds, units, beyond, width, g, before, to) + squares[g]
            if is_change:
                half += _gain(starts, kinds, units, beyond, width, other, to, before)
                half += squares[other] - 2 * _share(starts, kinds, units, g, other)
            cost = 2 * half
            if cost >= limit and cost >= 0:
                continue
            _move(starts, kinds, units, beyond, width, g, before, to)
            placed[g] = to
            if is_change:
                _move(starts, kinds, units, beyond, width, other, to, before)
                placed[other] = before
            total += cost
        if total < lowest:
            lowest = total
            for g in range(groups):
                best[g] = placed[g]
    for g in range(groups):
        if placed[g] != best[g]:
            _move(starts, kinds, units, beyond, width, g, placed[g], best[g])
            placed[g] = best[g]
    for _ in range(MOST_PASSES):  # then every single move that helps
        has_moved = False
        for f in range(free_count):
            g = free[f]
            for s in range(set_count):
                before, to = placed[g], sets[s]
                if to == before:
                    continue
                gain = _gain(starts, kinds, units, beyond, width, g, before, to)
                if gain + squares[g] < 0:
                    _move(starts, kinds, units, beyond, width, g, before, to)
                    placed[g] = to
                    has_moved = True
        if not has_moved:
            break


def compile_settle() -> str:
    """LLVM's code of `settle`, which calls nothing and keeps nothing."""
    signature = types.void(*[_INTEGERS] * _POINTERS, *[_INTEGER] * _NUMBERS)
    options = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled = njit(signature, **options)(settle)
    return str(compiled.inspect_llvm(compiled.signatures[0]))


if __name__ == "__main__":
    sys.stdout.write(compile_settle())
