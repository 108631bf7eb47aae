"""The image set of each group of images, with classes balanced over the sets (the paper, 3.1).

The same for the same seed on any machine: floating point holds all these whole numbers exactly.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vockit.format.image_sets import BALANCED, Split

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

WHOLE = 1_000_000
"""What all groups together hold of each kind."""
SIZE = "images"
"""The kind that says how large a set is; it weighs more than any class."""
SAMPLE = 100
"""Groups whose moves and exchanges are compared in one round."""
ROUNDS = 400


@dataclass(frozen=True)
class SplitGroup:
    """Images that stay together, their counts of each kind, and the set they have already."""

    key: str
    counts: Mapping[str, int]
    fixed: Split | None = None


def assign_splits(
    groups: Sequence[SplitGroup], shares: Mapping[Split, float], seed: int
) -> dict[str, Split]:
    """The set of each group, by its key, so that squared deviations from the shares are small."""
    splits = [split for split in BALANCED if shares.get(split, 0) > 0]
    ordered = sorted(
        groups, key=lambda group: hashlib.sha256(f"{seed} {group.key}".encode()).digest()
    )
    units = _count(ordered)
    wanted = np.array([round(shares[split] * WHOLE) for split in splits], np.float64)
    beyond = -np.floor(np.outer(wanted, units.sum(axis=0)) / wanted.sum())
    for place, group in enumerate(ordered):
        if group.fixed in splits:
            beyond[splits.index(group.fixed)] += units[place]
    free = [place for place, group in enumerate(ordered) if group.fixed is None]
    placed = _settle(units[free], beyond, seed)
    chosen = {ordered[at].key: splits[place] for at, place in zip(free, placed, strict=True)}
    return chosen | {group.key: group.fixed for group in ordered if group.fixed is not None}


def _count(groups: Sequence[SplitGroup]) -> Numbers:
    """A row for each group: its part of each kind, in millionths."""
    totals: Counter[str] = Counter()
    for group in groups:
        totals.update(group.counts)
    column_of = {kind: number for number, kind in enumerate(sorted(+totals))}
    units = np.zeros((len(groups), max(len(column_of), 1)))
    for row, group in enumerate(groups):
        for kind, count in group.counts.items():
            if count:
                weight = 3 if kind == SIZE else 1
                units[row, column_of[kind]] = weight * (count * WHOLE // totals[kind])
    return units


def _settle(units: Numbers, beyond: Numbers, seed: int) -> Places:
    """The set of each group: those that hold most come first, then moves and exchanges follow."""
    placed = np.zeros(len(units), np.int64)
    held = beyond.copy()
    for group in np.argsort(-units.max(axis=1), kind="stable"):
        placed[group] = np.argmin(held @ units[group])
        held[placed[group]] += units[group]
    if not len(units) or len(beyond) < 2:
        return placed
    draws = np.random.PCG64(seed)  # raw numbers, which every version of numpy draws alike
    least = _descend(units, held, placed, draws)
    for _ in range(6):
        other = placed.copy()
        other[_draw(draws, 30, len(units))] = _draw(draws, 30, len(beyond))
        held = beyond + np.array(
            [units[other == place].sum(axis=0) for place in range(len(beyond))]
        )
        energy = _descend(units, held, other, draws)
        if energy < least:
            placed = other
            least = energy
    return placed


def _draw(draws: np.random.PCG64, count: int, below: int) -> Places:
    return (draws.random_raw(count) % np.uint64(below)).astype(np.int64)


def _descend(units: Numbers, held: Numbers, placed: Places, draws: np.random.PCG64) -> float:
    """Improve `placed`, and `held` with it, for ROUNDS; the sum of squares in the end."""
    for _ in range(ROUNDS):
        is_small = len(units) <= SAMPLE
        sample = np.arange(len(units)) if is_small else _draw(draws, SAMPLE, len(units))
        if not _improve(units, held, placed, sample) and is_small:
            break
    return float((held**2).sum())


def _improve(units: Numbers, beyond: Numbers, placed: Places, sample: Places) -> bool:
    """Make the best move or exchange of groups of the sample; False where none helps."""
    held = units[sample]
    here = placed[sample]
    rows = np.arange(len(sample))
    pull = held @ beyond.T
    # (b + u)^2 + (a - u)^2 - b^2 - a^2 = 2 (u (b - a) + u^2); halves of it are compared
    move = pull - pull[rows, here][:, None] + (held**2).sum(axis=1)[:, None]
    move[rows, here] = np.inf
    exchange = move[:, here] + move[:, here].T - 2 * held @ held.T
    if min(move.min(), exchange.min()) >= 0:
        return False
    if move.min() <= exchange.min():
        group, to = divmod(int(move.argmin()), len(beyond))
        moved = held[group]
    else:
        group, other = divmod(int(exchange.argmin()), len(sample))
        to = here[other]
        moved = held[group] - held[other]
        placed[sample[other]] = here[group]
    beyond[here[group]] -= moved
    beyond[to] += moved
    placed[sample[group]] = to
    return True
