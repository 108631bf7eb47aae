"""Which images show the same photograph: candidates by hashes, verified by laying them together.

Nothing here reads or writes rows; where pictures and hashes come from is passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .candidates import Candidates, ViewTable, find_candidates
from .columns import take_rows
from .crowds import NEAREST, find_crowds, rank_partners
from .executors import run_ahead
from .pairs import Pair
from .search import Resources
from .signature.views import WHOLE_CODE
from .signature_rows import Census, Ids
from .verify.evidence import Guesses, Pictures, gather_evidence
from .verify.verdicts import doubt, judge
from .watching import Watch, unwatched

BYTES_PER_IMAGE = 6000
"""What matching needs of memory for each image: some 80 views in three tables at a time."""

PAIRS_AT_ONCE = 256

LoadViews = Callable[[Census], ViewTable]
LoadPictures = Callable[[Ids], tuple[Ids, Pictures]]


@dataclass(frozen=True)
class Source:
    """Where hashes and pictures of images are loaded from."""

    load_views: LoadViews
    load_pictures: LoadPictures


def match_images(
    census: Census,
    source: Source,
    *,
    max_distance_bits: int,
    memory_bytes: int,
    executor: Executor,
    workers: int,
    is_remote: bool = False,
    watch: Watch = unwatched,
) -> Iterator[Pair]:
    """Every pair of which one image is new, that is one photograph or belongs together otherwise.

    The images are compared part by part where memory asks for it; the result is the same. With
    `is_remote` the executor, processes or a cluster, also searches the hashes.
    """
    searcher = executor if is_remote else None
    resources = Resources(memory_bytes=memory_bytes // 2, workers=workers, executor=searcher)
    verify = _Verifier(source, executor, 2 * workers, watch)
    for candidates in _find_by_parts(
        census, source.load_views, max_distance_bits, memory_bytes, resources
    ):
        is_near = _rank_pairs(candidates) < NEAREST
        found = list(verify(take_rows(candidates, is_near)))
        yield from found
        yield from verify(_leave_crowds_out(take_rows(candidates, ~is_near), find_crowds(found)))


@dataclass(frozen=True)
class _Verifier:
    """Verifies candidates on an executor, some batches ahead."""

    source: Source
    executor: Executor
    ahead: int
    watch: Watch

    def __call__(self, candidates: Candidates) -> Iterator[Pair]:
        """The pairs that belong together."""
        if not len(candidates.probe):
            return
        batches = (_load_batch(self.source, batch) for batch in cut_pairs(candidates))
        with self.watch("Verifying", count_pairs(candidates), "pairs") as advance:
            for batch, pairs in run_ahead(self.executor, verify_batch, batches, ahead=self.ahead):
                advance(count_pairs(batch.candidates))
                yield from pairs


def _rank_pairs(candidates: Candidates) -> Ids:
    """For each guess how many nearer partners the images of its pair have."""
    lower, higher = order_ids(candidates)
    begins = _begin_pairs(candidates)
    ranks = rank_partners(lower[begins], higher[begins], candidates.distance_bits[begins])
    of_guesses: Ids = ranks[np.cumsum(begins) - 1]
    return of_guesses


def _leave_crowds_out(candidates: Candidates, crowds: Mapping[int, int]) -> Candidates:
    """The candidates but those of two images of one crowd."""
    if not crowds:
        return candidates
    members = np.array(sorted(crowds), np.int64)
    numbers = np.array([crowds[image_id] for image_id in members.tolist()], np.int64)
    first, second = (
        np.where(
            np.isin(ids, members),
            numbers[np.minimum(np.searchsorted(members, ids), len(members) - 1)],
            -1 - place,
        )
        for place, ids in enumerate((candidates.probe, candidates.view))
    )
    return take_rows(candidates, first != second)


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
    found = gather_evidence(
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


def verify_pairs(pairs: Sequence[tuple[int, int]], source: Source) -> Iterator[Pair]:
    """Those of the pairs (lower id, higher id) that belong together, frame upon frame."""
    ids = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    whole = np.full(len(ids), WHOLE_CODE, np.uint8)
    candidates = Candidates(ids[:, 0], ids[:, 1], whole, whole, np.zeros(len(ids), np.int64))
    for some in cut_pairs(candidates):
        yield from verify_batch(_load_batch(source, some))


def cut_pairs(candidates: Candidates) -> Iterator[Candidates]:
    """The candidates in batches of so many pairs; all guesses of one pair are in one batch."""
    starts = np.flatnonzero(_begin_pairs(candidates))[::PAIRS_AT_ONCE].tolist()
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


def _find_by_parts(
    census: Census,
    load_views: LoadViews,
    max_distance_bits: int,
    memory_bytes: int,
    resources: Resources,
) -> Iterator[Candidates]:
    for one, others in _plan_parts(census, max(memory_bytes // BYTES_PER_IMAGE, 1)):
        views = load_views(one)
        yield find_candidates(views, max_distance_bits=max_distance_bits, resources=resources)
        for other in others:
            yield find_candidates(
                views,
                load_views(other),
                max_distance_bits=max_distance_bits,
                resources=resources,
            )


def _plan_parts(census: Census, part_images: int) -> Iterator[tuple[Census, list[Census]]]:
    """Parts of the census, each with the later ones that it is to be compared with."""
    starts = range(0, len(census.image_ids), part_images)
    parts = [take_rows(census, slice(start, start + part_images)) for start in starts]
    for number, part in enumerate(parts):
        has_new = bool(part.is_new.any())
        others = [other for other in parts[number + 1 :] if has_new or other.is_new.any()]
        if has_new or others:
            yield part, others


def _load_batch(source: Source, candidates: Candidates) -> Batch:
    """The batch of those candidates whose pictures are still there."""
    both = np.concatenate([candidates.probe, candidates.view])
    image_ids, pictures = source.load_pictures(both)
    are_there = np.isin(candidates.probe, image_ids) & np.isin(candidates.view, image_ids)
    return Batch(image_ids, pictures, take_rows(candidates, are_there))
