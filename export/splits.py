"""Which image set each group of images belongs to.

Groups are never torn; within that, classes are balanced over the sets in images and in objects (the
paper, section 3.1: approximately equal distributions). Pure, and the same for the same seed on any
machine: everything that decides is counted in whole millionths of a total.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from catalog.states import Split

from .group_table import Groups, Integers

WHOLE = 1_000_000
"""What all groups hold together of anything that counts."""
STEPS_PER_GROUP = 2_000
FEWEST_STEPS, MOST_STEPS = 20_000, 8_000_000


@dataclass(frozen=True)
class SplitGroup:
    """Images that stay together: a name that is theirs alone, and what they hold of what counts.

    `counts` might be {"images": 2, "objects of cat": 3}. `fixed` is the set that the group has
    already, where it has one.
    """

    key: str
    counts: Mapping[str, int]
    fixed: Split | None = None


def assign_splits(
    groups: Sequence[SplitGroup], shares: Mapping[Split, float], seed: int
) -> dict[str, Split]:
    """The set of each group, by its key.

    Groups are placed one by one, those that hold most of something first, each where the shares
    then deviate least; after that groups move and change places, at first also where that costs a
    little (threshold accepting: Dueck and Scheuer 1990), in the end only where it helps. A set
    whose share is 0 gets no group but those fixed to it.
    """
    from .settle_groups import settle_groups  # with LLVM, which few programs need

    splits = [split for split in Split if shares.get(split, 0) > 0]
    splits += [it for it in Split if it not in splits and any(g.fixed is it for g in groups)]
    ordered = sorted(groups, key=lambda group: _shuffle_key(group, seed))
    table = _count(ordered)
    place_of = {split: place for place, split in enumerate(splits)}
    fixed = np.array([place_of[g.fixed] if g.fixed else -1 for g in ordered], np.int64)
    wanted = np.array([round(shares.get(it, 0) * WHOLE) for it in splits], np.int64)
    steps = min(max(STEPS_PER_GROUP * len(groups), FEWEST_STEPS), MOST_STEPS)
    placed = settle_groups(table, fixed, wanted, steps, seed)
    return {group.key: splits[place] for group, place in zip(ordered, placed, strict=True)}


def _shuffle_key(group: SplitGroup, seed: int) -> bytes:
    return hashlib.sha256(f"{seed} {group.key}".encode()).digest()


def _count(groups: Sequence[SplitGroup]) -> Groups:
    """What each group holds of everything, in millionths of what there is of it."""
    totals: dict[str, int] = {}
    for group in groups:
        for it, count in group.counts.items():
            totals[it] = totals.get(it, 0) + count
    number_of = {it: number for number, it in enumerate(sorted(totals))}
    starts, kinds, units = [0], [], []
    for group in groups:
        for it, count in sorted(group.counts.items()):
            if count:
                kinds.append(number_of[it])
                units.append(count * WHOLE // totals[it])
        starts.append(len(kinds))
    return Groups(_integers(starts), _integers(kinds), _integers(units), max(len(number_of), 1))


def _integers(values: Sequence[int]) -> Integers:
    return np.array(values, np.int64)
