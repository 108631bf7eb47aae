"""Which image set each group of images belongs to.

Groups are never torn; within that, classes are balanced over the sets in images and in objects (the
paper, section 3.1: approximately equal distributions). Pure, and the same for the same seed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from catalog.states import Split

MOST_ROUNDS = 20


@dataclass(frozen=True)
class SplitGroup:
    """Images that stay together: a name that is theirs alone, and what they hold of what counts.

    `counts` might be {"images": 2, "objects of cat": 3}.
    """

    key: str
    counts: Mapping[str, int]


def assign_splits(
    groups: Sequence[SplitGroup], shares: Mapping[Split, float], seed: int
) -> dict[str, Split]:
    """The set of each group, by its key.

    Groups are placed one by one, those that hold most of something first, each where the shares
    then deviate least; after that single groups move as long as that helps. A set whose share is 0
    stays empty.
    """
    balance = _Balance(groups, shares)
    order = sorted(groups, key=lambda group: (-balance.weight(group), _shuffle_key(group, seed)))
    placed: dict[str, Split] = {}
    for group in order:
        placed[group.key] = balance.place(group)
    for _ in range(MOST_ROUNDS):
        if not sum(_move(balance, group, placed) for group in order):
            break
    return placed


def _shuffle_key(group: SplitGroup, seed: int) -> bytes:
    return hashlib.sha256(f"{seed} {group.key}".encode()).digest()


def _move(balance: _Balance, group: SplitGroup, placed: dict[str, Split]) -> bool:
    """Whether the group found a better set; `placed` is then changed."""
    before = placed[group.key]
    balance.take(group, before)
    after = balance.place(group, stays_in=before)
    placed[group.key] = after
    return after is not before


class _Balance:
    """How much of everything each set holds and should hold."""

    def __init__(self, groups: Sequence[SplitGroup], shares: Mapping[Split, float]) -> None:
        self._totals: Counter[str] = Counter()
        for group in groups:
            self._totals.update(group.counts)
        self._shares = {split: shares[split] for split in Split if shares.get(split, 0) > 0}
        self._held: dict[Split, Counter[str]] = {split: Counter() for split in self._shares}

    def weight(self, group: SplitGroup) -> float:
        """The largest share that the group holds of anything."""
        return max(
            (count / self._totals[it] for it, count in group.counts.items() if count), default=0
        )

    def place(self, group: SplitGroup, stays_in: Split | None = None) -> Split:
        """The set that took the group: the cheapest, of equal ones `stays_in`, else the first."""
        costs = {split: self._cost(group, split) for split in self._shares}
        best = min(costs, key=lambda split: costs[split])
        if stays_in is not None and costs[stays_in] <= costs[best] + 1e-12:
            best = stays_in
        self._held[best].update(group.counts)
        return best

    def take(self, group: SplitGroup, split: Split) -> None:
        """Take the group out of its set."""
        self._held[split].subtract(group.counts)

    def _cost(self, group: SplitGroup, split: Split) -> float:
        """By how much the sum of squared deviations, each over its total, grows."""
        held, share = self._held[split], self._shares[split]
        return sum(
            count * (2 * (held[it] - share * self._totals[it]) + count) / self._totals[it]
            for it, count in sorted(group.counts.items())
            if count
        )
