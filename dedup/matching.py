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

from .budget import MOST_PAIRS_AT_ONCE, Budget
from .candidates import GUESSES_PER_PAIR, Candidates, Search, find_candidates
from .columns import take_rows
from .crowds import NEAREST, Crowds, rank_partners
from .executors import run_ahead
from .pairs import Pair
from .parts import LoadViews, find_by_parts
from .search import Resources
from .signature_rows import Census, Ids
from .throngs import FARTHEST, Throngs
from .verify.evidence import Guesses, Pictures
from .verify.unmoved import find_evidence
from .verify.verdicts import doubt, judge
from .watching import Watch, unwatched

log = logging.getLogger(__name__)

_MOST_UNLIKE = FARTHEST // GUESSES_PER_PAIR
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
class Matcher:
    """Compares images of a source with one another, within so much memory.

    With `is_remote` the executor, processes or a cluster, also searches the hashes. No two of the
    `plain` images are compared with one another.
    """

    source: Source
    max_distance_bits: int
    memory_bytes: int
    executor: Executor
    workers: int
    is_remote: bool = False
    watch: Watch = unwatched
    plain: Ids | None = None

    def match(self, census: Census) -> Iterator[Pair]:
        """Every pair of which one image is new, that is one photograph or belongs together so.

        The images are compared part by part where memory asks for it; the result is the same. Of
        a crowd only so many pairs come as join it together; `match_with` gives the others. What
        looks like very many others without being one with them is compared with the nearest ones.
        """
        crowds, throngs = Crowds(), Throngs(len(census.image_ids))
        search = self._search(crowds)
        for candidates in find_by_parts(census, self.source.load_views, search, self._budget):
            yield from self._verify_nearest_first(candidates, crowds, throngs)
        if throngs.left_out:
            log.warning(_LEFT_OUT, len(throngs.members), throngs.most, throngs.left_out)

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
        searcher = self.executor if self.is_remote else None
        resources = Resources(self._budget.search_bytes, self.workers, searcher)
        return Search(self.max_distance_bits, resources, crowds, plain=self.plain)

    def _verify_nearest_first(
        self, candidates: Candidates, crowds: Crowds, throngs: Throngs
    ) -> Iterator[Pair]:
        """The pairs that belong together, but not all of one crowd."""
        are_tried = np.zeros(len(candidates.probe), np.bool_)
        are_left = ~throngs.hold(candidates.probe, candidates.view)
        for most in NEAREST:
            are_next = are_left.copy()
            are_next[are_left] = _rank_pairs(take_rows(candidates, are_left)) < most
            found = list(self._verify(take_rows(candidates, are_next)))
            crowds.add(found)
            yield from found
            are_tried |= are_next
            are_left &= ~are_next & ~crowds.join(candidates.probe, candidates.view)
        are_known = crowds.join(candidates.probe, candidates.view)
        rest, are_tried = take_rows(candidates, ~are_known), are_tried[~are_known]
        found = list(self._verify(_choose_near(rest, are_tried, throngs)))
        crowds.add(found)
        yield from found

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


def match_images(
    census: Census,
    source: Source,
    *,
    max_distance_bits: int,
    memory_bytes: int,
    executor: Executor,
    workers: int,
    watch: Watch = unwatched,
    plain: Ids | None = None,
) -> Iterator[Pair]:
    """What `Matcher.match` gives."""
    matcher = Matcher(
        source, max_distance_bits, memory_bytes, executor, workers, watch=watch, plain=plain
    )
    return matcher.match(census)


def _rank_pairs(candidates: Candidates) -> Ids:
    """For each guess how many nearer partners the images of its pair have."""
    if not len(candidates.probe):
        return np.empty(0, np.int64)
    lower, higher = order_ids(candidates)
    begins = _begin_pairs(candidates)
    ranks = rank_partners(lower[begins], higher[begins], candidates.distance_bits[begins])
    of_guesses: Ids = ranks[np.cumsum(begins) - 1]
    return of_guesses


def _choose_near(
    candidates: Candidates, are_tried: NDArray[np.bool_], throngs: Throngs
) -> Candidates:
    """What is yet to be verified, without the pairs that both look more like very many others."""
    if not len(candidates.probe):
        return candidates
    lower, higher = order_ids(candidates)
    begins = _begin_pairs(candidates)
    likeness = np.maximum(_MOST_UNLIKE - candidates.distance_bits, 0)
    unlikeness = FARTHEST - np.add.reduceat(likeness, np.flatnonzero(begins))
    are_near = throngs.choose(lower[begins], higher[begins], unlikeness, are_tried[begins])
    return take_rows(candidates, are_near[np.cumsum(begins) - 1])


@dataclass(frozen=True)
class Batch:
    """Some pairs of images with all that is needed to verify them, in whatever process."""

    image_ids: Ids
    pictures: Pictures
    candidates: Candidates


def verify_batch(batch: Batch) -> list[Pair]:
    """The pairs that belong together, in order of their ids."""
    lower, higher = order_ids(batch.candidates)
    keys = np.stack([lower, higher])
    pairs, numbers = np.unique(keys, axis=1, return_inverse=True)
    found = find_evidence(
        batch.pictures,
        Guesses(
            numbers.ravel(),
            np.searchsorted(batch.image_ids, batch.candidates.probe),
            np.searchsorted(batch.image_ids, batch.candidates.view),
            batch.candidates.probe_code,
            batch.candidates.view_code,
        ),
    )
    return [
        Pair(int(pairs[0, number]), int(pairs[1, number]), relation, doubt(evidence), evidence)
        for number, evidence in sorted(found.items())
        if (relation := judge(evidence)) is not None
    ]


def cut_pairs(candidates: Candidates, at_once: int = MOST_PAIRS_AT_ONCE) -> Iterator[Candidates]:
    """The candidates in batches of so many pairs; all guesses of one pair are in one batch."""
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


def load_batch(source: Source, candidates: Candidates) -> Batch:
    """The batch of those candidates whose pictures are still there."""
    both = np.concatenate([candidates.probe, candidates.view])
    image_ids, pictures = source.load_pictures(both)
    are_there = np.isin(candidates.probe, image_ids) & np.isin(candidates.view, image_ids)
    return Batch(image_ids, pictures, take_rows(candidates, are_there))
