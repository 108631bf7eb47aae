"""The compiled loops place groups where plain Python does, step by step."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from export import machine_code, settle_loops
from export.group_table import Groups
from export.settle_groups import settle_groups

GROUPS, KINDS, SETS = 60, 7, 3
STEPS = 4_000


def make_groups(seed: int) -> tuple[Groups, list[dict[int, int]]]:
    """Groups that hold one to four kinds each, and the same as dicts."""
    rng = np.random.default_rng(seed)
    held = [
        {int(kind): int(rng.integers(1, 5_000)) for kind in sorted(rng.permutation(KINDS)[:size])}
        for size in rng.integers(1, 5, GROUPS)
    ]
    starts = np.cumsum([0, *map(len, held)], dtype=np.int64)
    kinds = np.array([kind for group in held for kind in group], np.int64)
    units = np.array([unit for group in held for unit in group.values()], np.int64)
    return Groups(starts, kinds, units, KINDS), held


def settle_plainly(
    held: list[dict[int, int]], fixed: list[int], wanted: list[int], steps: int, seed: int
) -> list[int]:
    """The same by counting all squares anew for every step."""
    totals = [sum(group.get(kind, 0) for group in held) for kind in range(KINDS)]
    placed = list(fixed)

    def deviate() -> int:
        beyond = [[-(share * total // sum(wanted)) for total in totals] for share in wanted]
        for group, to in zip(held, placed, strict=True):
            for kind, unit in group.items() if to >= 0 else ():
                beyond[to][kind] += unit
        return sum(it * it for row in beyond for it in row)

    order = sorted(range(GROUPS), key=lambda g: -max(held[g].values()))
    free = [g for g in order if fixed[g] < 0]
    sets = [to for to in range(SETS) if wanted[to] > 0]

    def place(g: int, to: int) -> int:
        placed[g] = to
        return deviate()

    for g in free:
        placed[g] = min(sets, key=lambda to: (place(g, to), to))
    squares = sorted(sum(unit * unit for unit in held[g].values()) for g in free)
    threshold = squares[len(free) // 2]
    state = (seed * 2_654_435_761 + 88_172_645_463_325_252) & ((1 << 62) - 1)
    start = lowest = now = deviate()
    best = list(placed)
    for number in range(settle_loops.ROUNDS + 1):
        left = settle_loops.ROUNDS - number
        limit = threshold
        for _ in range(3):
            limit = limit * left // settle_loops.ROUNDS
        for _ in range(steps // settle_loops.ROUNDS + 1):
            state = (state * settle_loops.FACTOR + settle_loops.STEP) & ((1 << 64) - 1)
            g = free[((state >> 32) & 0x7FFFFFFF) % len(free)]
            state = (state * settle_loops.FACTOR + settle_loops.STEP) & ((1 << 64) - 1)
            other = free[((state >> 32) & 0x7FFFFFFF) % len(free)]
            is_change = (state >> 25) & 1
            to = placed[other] if is_change else sets[((state >> 26) & 31) % len(sets)]
            earlier = list(placed)
            if is_change:
                placed[other] = placed[g]
            placed[g] = to
            cost = deviate() - now
            if placed != earlier and (cost < limit or cost < 0):
                now += cost
            else:
                placed[:] = earlier
        if now < min(lowest, start):
            lowest, best = now, list(placed)
    placed[:] = best
    has_moved = True
    while has_moved:
        has_moved = False
        for g in free:
            for to in sets:
                before, now = placed[g], deviate()
                if place(g, to) < now:
                    has_moved = True
                else:
                    placed[g] = before
    return placed


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("wanted", [[250_000, 250_000, 500_000], [700_000, 0, 300_000]])
def test_the_compiled_loops_take_the_steps_of_plain_python(seed: int, wanted: list[int]) -> None:
    groups, held = make_groups(seed)
    fixed = [-1] * GROUPS
    fixed[:3] = (0, 1, 2)
    placed = settle_groups(groups, np.array(fixed), np.array(wanted), STEPS, seed).tolist()
    assert placed == settle_plainly(held, fixed, wanted, STEPS, seed)
    assert placed[:3] == [0, 1, 2]


def test_code_that_was_not_kept_is_compiled_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "cache" / "loops.o"
    monkeypatch.setattr(machine_code, "_find_place", lambda machine: kept)
    monkeypatch.setattr(machine_code, "_compile", lambda: b"code")
    monkeypatch.setattr(machine_code, "_load", lambda code: code)
    machine_code.load_settle.cache_clear()
    try:
        assert machine_code.load_settle() == b"code"  # type: ignore[comparison-overlap]
        assert kept.read_bytes() == b"code"
    finally:
        machine_code.load_settle.cache_clear()


def test_a_compiler_that_fails_is_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "SOURCE", Path("no_such_module.py"))
    with pytest.raises(subprocess.CalledProcessError):
        machine_code._compile()


def test_exporting_imports_no_compiler() -> None:
    program = "import sys, export.settle_groups; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
