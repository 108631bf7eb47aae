"""Which images show the same photograph: candidates by hashes, verified by laying them together.

Nothing here reads or writes rows; where pictures and hashes come from is passed in.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .candidates import (
    GUESSES_PER_PAIR,
    MOST_PAIRS_AT_ONCE,
    Budget,
    Candidates,
    Census,
    LoadViews,
    Search,
    find_by_parts,
    find_candidates,
)
from .columns import take_rows
from .crowds import NEAREST, Crowds, Ids, rank_partners
from .executors import Watch, run_ahead, unwatched
from .hubs import FARTHEST, Hubs
from .pairs import Pair
from .verify.evidence import Guesses
from .verify.pictures import Pictures
from .verify.unmoved import find_evidence
from .verify.verdicts import doubt, judge

log = logging.getLogger(__name__)

_LEFT_OUT = (
    "%d images look like very many others; each was compared with its nearest %d and more, "
    "and %d pairs that are farther apart were left out"
)

LoadPictures = Callable[[Ids], tuple[Ids, Pictures]]


@dataclass(frozen=True)
class Source:
    """Where hashes and pictures of images are loaded from."""

    load_views: LoadViews
    load_pictures: LoadPictures


@dataclass(frozen=True)
class Batch:
    """Some pairs of images with all that is needed to verify them, in any process."""

    image_ids: Ids
    pictures: Pictures
    candidates: Candidates


@dataclass(frozen=True)
class Matcher:
    """Compares images of a source with one another, within so much memory.

    The executor verifies; hashes are searched on threads of this process. No two of the `plain`
    images are compared with one another.
    """

    source: Source
    max_distance_bits: int
    memory_bytes: int
    executor: Executor
    workers: int
    watch: Watch = unwatched
    plain: Ids | None = None

    def match(self, census: Census) -> Iterator[Pair]:
        """Every pair of which one image is new, that is one photograph or belongs together so.

        The images are compared part by part where memory asks for it; the result is the same. Of a
        crowd only enough pairs come to join it together; `match_with` gives the others. A hub,
        which looks like very many others without being one with them, meets the nearest ones.
        """
        crowds, hubs = Crowds(), Hubs(len(census.image_ids))
        search = self._search(crowds)
        for candidates in find_by_parts(census, self.source.load_views, search, self._budget):
            if len(candidates.probe):
                yield from self._verify_nearest_first(candidates, crowds, hubs)
        if hubs.left_out:
            log.warning(_LEFT_OUT, len(hubs.members), hubs.most, hubs.left_out)

    def match_with(self, image_id: int, other_ids: Sequence[int]) -> Iterator[Pair]:
        """Those pairs of the image and one of the others that belong together."""
        one = self.source.load_views(Census(np.array([image_id]), np.ones(1, np.bool_)))
        part_images = self._budget.part_images
        for start in range(0, len(other_ids), part_images):
            ids = np.array(sorted(other_ids[start : start + part_images]), np.int64)
            others = self.source.load_views(Census(ids, np.zeros(len(ids), np.bool_)))
            yield from self._verify(find_candidates(one, others, self._search(Crowds())))

    @property
    def _budget(self) -> Budget:
        return Budget(self.memory_bytes)

    def _search(self, crowds: Crowds) -> Search:
        return Search(self.max_distance_bits, self.workers, crowds, plain=self.plain)

    def _verify_nearest_first(
        self, candidates: Candidates, crowds: Crowds, hubs: Hubs
    ) -> Iterator[Pair]:
        """The pairs that belong together, but not all of one crowd."""
        begins = _begin_pairs(candidates)
        lower, higher = (ids[begins] for ids in order_ids(candidates))
        distances, pair_of_row = candidates.distance_bits[begins], np.cumsum(begins) - 1

        def verify(chosen: NDArray[np.bool_]) -> list[Pair]:
            found = list(self._verify(take_rows(candidates, chosen[pair_of_row])))
            crowds.add(found)
            return found

        are_tried, are_left = np.zeros(len(lower), np.bool_), ~hubs.hold(lower, higher)
        for most in NEAREST:
            are_next = are_left.copy()
            ranks = rank_partners(lower[are_left], higher[are_left], distances[are_left])
            are_next[are_left] = ranks < most
            yield from verify(are_next)
            are_tried |= are_next
            are_left &= ~are_next & ~crowds.join(lower, higher)
        rest = ~crowds.join(lower, higher)
        unlike = _measure_unlikeness(candidates, begins)[rest]
        rest[rest] = hubs.choose(lower[rest], higher[rest], unlike, are_tried[rest])
        yield from verify(rest)

    def _verify(self, candidates: Candidates) -> Iterator[Pair]:
        """The pairs that belong together, some batches ahead on the executor."""
        if not len(candidates.probe):
            return
        at_once = self._budget.count_pairs_at_once(self.workers)
        batches = (load_batch(self.source, batch) for batch in cut_pairs(candidates, at_once))
        ahead = 2 * self.workers
        with self.watch("Verifying", count_pairs(candidates), "pairs") as advance:
            for batch, pairs in run_ahead(self.executor, verify_batch, batches, ahead=ahead):
                advance(count_pairs(batch.candidates))
                yield from pairs


def load_batch(source: Source, candidates: Candidates) -> Batch:
    """The batch of those candidates whose pictures are still there."""
    both = np.concatenate([candidates.probe, candidates.view])
    image_ids, pictures = source.load_pictures(both)
    are_there = np.isin(candidates.probe, image_ids) & np.isin(candidates.view, image_ids)
    return Batch(image_ids, pictures, take_rows(candidates, are_there))


def verify_batch(batch: Batch) -> list[Pair]:
    """The pairs that belong together, in order of their ids."""
    candidates = batch.candidates
    pairs, numbers = np.unique(np.stack(order_ids(candidates)), axis=1, return_inverse=True)
    probe = np.searchsorted(batch.image_ids, candidates.probe)
    view = np.searchsorted(batch.image_ids, candidates.view)
    codes = candidates.probe_code, candidates.view_code
    found = find_evidence(batch.pictures, Guesses(numbers.ravel(), probe, view, *codes))
    return [
        Pair(int(pairs[0, number]), int(pairs[1, number]), relation, doubt(evidence), evidence)
        for number, evidence in sorted(found.items())
        if (relation := judge(evidence)) is not None
    ]


def cut_pairs(candidates: Candidates, at_once: int = MOST_PAIRS_AT_ONCE) -> Iterator[Candidates]:
    """The candidates in batches of pairs; all guesses of one pair are in one batch."""
    starts = np.flatnonzero(_begin_pairs(candidates))[::at_once].tolist()
    for start, end in pairwise([*starts, len(candidates.probe)]):
        yield take_rows(candidates, slice(start, end))


def count_pairs(candidates: Candidates) -> int:
    """How many pairs of images the guesses are about."""
    return int(_begin_pairs(candidates).sum())


def order_ids(candidates: Candidates) -> tuple[Ids, Ids]:
    """The lower and the higher id of each candidate."""
    probe, view = candidates.probe, candidates.view
    return np.minimum(probe, view), np.maximum(probe, view)


def _begin_pairs(candidates: Candidates) -> NDArray[np.bool_]:
    """Which guesses are the first of their pair's."""
    lower, higher = order_ids(candidates)
    begins: NDArray[np.bool_] = np.diff(lower, prepend=-1) != 0
    begins |= np.diff(higher, prepend=-1) != 0
    return begins


def _measure_unlikeness(candidates: Candidates, begins: NDArray[np.bool_]) -> Ids:
    """How unlike the views of each pair are, 0 to `FARTHEST`."""
    likeness = np.maximum(FARTHEST // GUESSES_PER_PAIR - candidates.distance_bits, 0)
    unlikeness: Ids = FARTHEST - np.add.reduceat(likeness, np.flatnonzero(begins))
    return unlikeness
