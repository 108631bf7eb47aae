"""Images of which there are very many copies, without comparing each with each.

Of a crowd every image is compared with its nearest few, which joins the crowd together; then the
best of it is compared with all, as it is the one to be kept. What is not its copy is compared with
the next best, and so on. The result is what comparing all would give, at a cost that grows with
the crowd and not with its square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .clusters import Candidate, join_images, list_clusters
from .pairs import Pair, Relation

Ids = NDArray[np.int64]
Rank = Callable[[Sequence[int]], Sequence[Candidate]]
Verify = Callable[[int, Sequence[int]], Iterable[Pair]]

NEAREST = (2, 8)
"""Each is compared with its nearest two; what is then in no crowd with them, with eight."""

CROWD = 24
"""A cluster of at least this many images is a crowd."""

ROUNDS = 8
"""How many of a crowd's best are compared with all the rest of it."""

LARGE = 500
MOST_LARGE = 4
"""The largest few crowds of at least this many images are not even searched within."""


def rank_partners(lower: Ids, higher: Ids, distances: Ids) -> Ids:
    """For each pair how many partners are nearer, for that of its images which has the fewest."""
    ranks: Ids = place_partners(lower, higher, distances).min(axis=0)
    return ranks


def place_partners(lower: Ids, higher: Ids, distances: Ids) -> Ids:
    """For each pair how many partners are nearer: to the lower image, and to the higher one."""
    count = len(lower)
    images = np.concatenate([lower, higher])
    pairs = np.tile(np.arange(count), 2)
    order = np.lexsort((pairs, np.tile(distances, 2), images))
    starts = np.flatnonzero(np.diff(images[order], prepend=-1) != 0)
    lengths = np.diff(starts, append=2 * count)
    places = np.empty(2 * count, np.int64)
    places[order] = np.arange(2 * count) - np.repeat(starts, lengths)
    return places.reshape(2, count)


class Crowds:
    """The crowds that all pairs found so far make, whichever part of a catalogue they came from."""

    def __init__(self) -> None:
        self._leaders: dict[int, int] = {}
        self._members = np.empty(0, np.int64)
        self._numbers = np.empty(0, np.int64)
        self._large = 0

    def add(self, pairs: Iterable[Pair]) -> None:
        """Take in further pairs; links make no crowd."""
        for pair in pairs:
            if pair.relation is Relation.DUPLICATE:
                join_images(self._leaders, *pair.ids)
        crowds = sorted(self.list_members(), key=len, reverse=True)
        self._large = sum(len(crowd) >= LARGE for crowd in crowds[:MOST_LARGE])
        numbered = sorted((one, number) for number, crowd in enumerate(crowds) for one in crowd)
        self._members = np.array([one for one, _ in numbered], np.int64)
        self._numbers = np.array([number for _, number in numbered], np.int64)

    def join(self, one: Ids, other: Ids) -> NDArray[np.bool_]:
        """Which pairs of images are of one crowd, row by row."""
        first, second = self._find(one), self._find(other)
        are_together: NDArray[np.bool_] = (first == second) & (first >= 0)
        return are_together

    @property
    def has_large(self) -> bool:
        """Whether there is a crowd that is not to be searched within."""
        return self._large > 0

    def number_large(self, ids: Ids) -> Ids:
        """For each image which of the few large crowds it is of, or -1."""
        numbers = self._find(ids)
        return np.where(numbers < self._large, numbers, -1)

    def list_members(self) -> list[list[int]]:
        """The images of each crowd, ascending."""
        return [crowd for crowd in list_clusters(self._leaders) if len(crowd) >= CROWD]

    def _find(self, ids: Ids) -> Ids:
        if not len(self._members):
            return np.full(len(ids), -1)
        places = np.minimum(np.searchsorted(self._members, ids), len(self._members) - 1)
        return np.where(self._members[places] == ids, self._numbers[places], -1)


def complete_crowds(pairs: Iterable[Pair], rank: Rank, verify: Verify) -> list[Pair]:
    """The pairs, and those of the best of each crowd with all the rest, in order of ids.

    `rank` gives what decides about images; `verify` those pairs of one image and some others that
    belong together.
    """
    known = {pair.ids: pair for pair in pairs}
    crowds = Crowds()
    crowds.add(known.values())
    for crowd in crowds.list_members():
        _complete(crowd, known, rank, verify)
    return [known[ids] for ids in sorted(known)]


def _complete(
    crowd: Sequence[int], known: dict[tuple[int, int], Pair], rank: Rank, verify: Verify
) -> None:
    ranked = sorted(rank(crowd), key=lambda candidate: candidate.rank)
    left = [candidate.image_id for candidate in ranked]
    for _ in range(ROUNDS):
        if len(left) < CROWD:
            return
        best, *others = left
        unknown = [other for other in others if _key(best, other) not in known]
        known.update((pair.ids, pair) for pair in verify(best, unknown))
        left = [other for other in others if not _is_copy(known.get(_key(best, other)))]


def _is_copy(pair: Pair | None) -> bool:
    return pair is not None and pair.relation is Relation.DUPLICATE


def _key(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)
