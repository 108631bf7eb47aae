"""Places groups into sets so that each set has its share of everything; whole numbers only."""

from __future__ import annotations

import numpy as np

from .group_table import Groups, Integers
from .machine_code import load_settle

_MASK = (1 << 62) - 1


def settle_groups(
    groups: Groups, fixed: Integers, wanted: Integers, steps: int, seed: int
) -> Integers:
    """The set of each group, from 0; `fixed` ones (not -1) stay where they are.

    `wanted` is what each set should have, in millionths of a kind; a set that should have nothing
    gets no group. The sum over sets and kinds of squared deviations is small in the end. Kinds
    ascend in each group.
    """
    kinds, width = groups.kind_count, len(wanted)
    totals = np.zeros(kinds, np.int64)
    np.add.at(totals, groups.kinds, groups.units)
    # what a set holds beyond its share; rounding down keeps it whole
    beyond = -(wanted[None, :] * totals[:, None] // max(int(wanted.sum()), 1))
    owner = np.repeat(np.arange(len(groups)), np.diff(groups.starts))
    is_fixed = fixed[owner] >= 0
    np.add.at(beyond, (groups.kinds[is_fixed], fixed[owner[is_fixed]]), groups.units[is_fixed])
    squares = _by_group(np.add, groups, groups.units**2)
    heaviest = np.argsort(-_by_group(np.maximum, groups, groups.units), kind="stable")
    free = heaviest[fixed[heaviest] < 0]
    threshold = int(np.sort(squares[free])[len(free) // 2]) if len(free) else 0
    placed = fixed.astype(np.int64)
    open_sets = np.flatnonzero(wanted > 0)
    state = (seed * 2_654_435_761 + 88_172_645_463_325_252) & _MASK
    tables = (groups.starts, groups.kinds, groups.units, squares, free, beyond, open_sets)
    arrays = [*(np.ascontiguousarray(it, np.int64) for it in tables), placed, placed.copy()]
    sizes = (len(placed), len(free), width, len(open_sets))
    load_settle()(*(it.ctypes.data for it in arrays), *sizes, threshold, steps, state)
    return placed


def _by_group(gather: np.ufunc, groups: Groups, values: Integers) -> Integers:
    """The sum or the largest of the values of each group, 0 where it holds nothing."""
    firsts = np.minimum(groups.starts[:-1], len(values))
    found: Integers = gather.reduceat(np.append(values, 0), firsts)
    found[groups.starts[:-1] == groups.starts[1:]] = 0
    return found
