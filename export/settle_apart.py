"""Settling groups in a process of its own, whose compiled loops and their compiler go with it.

They take some 130 MB, which the rest of an export has other use for.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys

import numpy as np

from .group_table import Groups, Integers

FEWEST_GROUPS = 1_000
"""Fewer are settled here: starting Python takes longer, and so small a release takes no memory."""


def settle(groups: Groups, fixed: Integers, wanted: Integers, steps: int, seed: int) -> Integers:
    """The same as `settle_groups`, whichever process it is that settles them."""
    if len(groups) < FEWEST_GROUPS:
        from .settle_groups import settle_groups

        return settle_groups(groups, fixed, wanted, steps, seed)
    return settle_apart(groups, fixed, wanted, steps, seed)


def settle_apart(
    groups: Groups, fixed: Integers, wanted: Integers, steps: int, seed: int
) -> Integers:
    """The set of each group; raises CalledProcessError where the other process fails."""
    source = io.BytesIO()
    numbers = np.array([groups.kind_count, steps, seed], np.int64)
    np.savez(source, groups.starts, groups.kinds, groups.units, fixed, wanted, numbers)
    run = subprocess.run(  # noqa: S603  this module and nothing else
        [sys.executable, "-P", "-m", __name__],
        input=source.getvalue(),
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    placed: Integers = np.load(io.BytesIO(run.stdout))
    return placed


def _answer() -> None:
    """Settle what comes in and give back the sets."""
    from .settle_groups import settle_groups

    given = np.load(io.BytesIO(sys.stdin.buffer.read()))
    starts, kinds, units, fixed, wanted, numbers = (given[name] for name in given.files)
    kind_count, steps, seed = (int(number) for number in numbers)
    groups = Groups(starts, kinds, units, kind_count)
    np.save(sys.stdout.buffer, settle_groups(groups, fixed, wanted, steps, seed))


if __name__ == "__main__":
    _answer()
