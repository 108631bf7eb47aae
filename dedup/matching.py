"""Which images show the same photograph: candidates first, then verification.

The hash path comes first and settles most copies. What it did not settle goes the second path, by
visual words. Nothing here reads or writes rows; where signatures come from is passed in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain

import numpy as np

from catalog.session import in_parts

from .candidates import (
    BYTES_PER_IMAGE,
    Census,
    Rows,
    ViewTable,
    WordIndex,
    count_holders,
    find_by_hashes,
)
from .clusters import find_leaders
from .constants import (
    COPIES_SEARCHED_EACH,
    LEAST_PART_IMAGES,
    NEAREST_BY_WORDS,
    SETTLED_SHARE,
    WORD_BITS,
    WORD_ROUNDS,
)
from .executors import BATCH_FILES, Watch, open_threads, run_ahead, unwatched, use_one_thread
from .pairs import Pair, Relation
from .signature.features import Words
from .signature.hashes import locate_view
from .signature.signature import Shown
from .verify.evidence import doubt, verify

Ids = Rows
_NO_HOLDERS = np.zeros(1 << WORD_BITS, np.int64)


@dataclass(frozen=True)
class Source:
    """Where hashes, words and pictures of images are loaded from."""

    load_views: Callable[[Ids], ViewTable]
    load_words: Callable[[Ids], list[Words]]
    load_known: Callable[[Ids], Mapping[int, Shown]]


@dataclass(frozen=True)
class Task:
    """Two images to verify, the lower id first, and the maps that their hashes suggest."""

    ids: tuple[int, int]
    guesses: list[tuple[int, int]]
    """Codes of views: the first image's and the second's."""


@dataclass(frozen=True)
class Batch:
    """Some tasks with all that is needed for them, in any process."""

    tasks: Sequence[Task]
    known: Mapping[int, Shown]


class Matcher:
    """Compares images of a source with one another, within so much memory."""

    def __init__(
        self,
        source: Source,
        max_distance_bits: int,
        memory_bytes: int,
        executor: Executor,
        workers: int,
        watch: Watch = unwatched,
        work: Callable[[Batch], list[Pair]] | None = None,
    ) -> None:
        self.source, self.max_distance_bits = source, max_distance_bits
        self.memory_bytes, self.executor = memory_bytes, executor
        self.workers, self.watch = workers, watch
        self.work = work or verify_batch

    def match(self, census: Census, base_ids: Ids | None = None) -> list[Pair]:
        """Every pair found of a new image and one of the base that belong together, ordered by ids.

        The base is all of the census unless it is given.
        """
        found: dict[tuple[int, int], Pair] = {}
        tried: defaultdict[int, set[int]] = defaultdict(set)  # the partners of each image
        new_ids = census.image_ids[census.is_new]
        left = census.image_ids if base_ids is None else base_ids
        if not len(new_ids) or not len(left):
            return []

        def try_all(tasks: Iterable[Task]) -> list[Pair]:
            fresh = [it for it in tasks if it.ids[1] not in tried[it.ids[0]]]
            for one, other in (it.ids for it in fresh):
                tried[one].add(other)
                tried[other].add(one)
            pairs = self.verify(fresh)
            found.update((pair.ids, pair) for pair in pairs)
            return pairs

        queries = new_ids
        while True:  # of very many copies each meets the nearest few; then their leaders meet
            views = self.source.load_views(np.union1d(queries, left))
            near = find_by_hashes(views, queries, left, self.max_distance_bits).tolist()
            some = try_all(Task((row[0], row[1]), [(row[2], row[3])]) for row in near)
            copies = [it for it in found.values() if it.relation is Relation.DUPLICATE]
            leaders, are_many = _keep_leaders(left, copies)
            if base_ids is not None or not (are_many and some):
                break
            left, queries = leaders, np.intersect1d(leaders, new_ids)
        if base_ids is None:
            left, queries = leaders, np.intersect1d(leaders, new_ids)
            searched = set(leaders.tolist())
            copies = [it for it in copies if searched.issuperset(it.ids)]
        unsettled = np.setdiff1d(queries, _find_settled(copies, set(new_ids.tolist())))
        parts = self._part(left)
        holders = sum(map(count_holders, self._load_words(left)), _NO_HOLDERS)
        strangers: defaultdict[int, set[int]] = defaultdict(set)
        for _ in range(WORD_ROUNDS):  # what many hold, as one caption, must not hide the rest
            near_ids = self._find_by_words(parts, holders, unsettled, tried, strangers)
            try_all(Task(ids, []) for ids in near_ids)
            for ids in near_ids:
                if ids not in found or found[ids].relation is not Relation.DUPLICATE:
                    for one, other in (ids, ids[::-1]):
                        strangers[one].add(other)
        return [found[ids] for ids in sorted(found)]

    def verify(self, tasks: Sequence[Task]) -> list[Pair]:
        """Those of the pairs that belong together, in order of the tasks."""
        parts = (tasks[at : at + BATCH_FILES] for at in range(0, len(tasks), BATCH_FILES))
        batches = (
            Batch(part, self.source.load_known(np.unique([task.ids for task in part])))
            for part in parts
        )
        found: list[Pair] = []
        if not tasks:
            return found
        with self.watch("Verifying", len(tasks), "pairs") as advance:
            for batch, pairs in run_ahead(
                self.executor, self.work, batches, ahead=2 * self.workers
            ):
                advance(len(batch.tasks))
                found += pairs
        return found

    def _part(self, image_ids: Ids) -> list[Ids]:
        """The images in parts of which the words fit into the memory."""
        step = max(self.memory_bytes // 2 // BYTES_PER_IMAGE, LEAST_PART_IMAGES)
        return [image_ids[at : at + step] for at in range(0, len(image_ids), step)]

    def _load_words(self, image_ids: Ids) -> Iterator[list[Words]]:
        return map(self.source.load_words, in_parts(image_ids))

    def _find_by_words(
        self,
        parts: Sequence[Ids],
        holders: Rows,
        query_ids: Ids,
        tried: Mapping[int, set[int]],
        strangers: Mapping[int, set[int]],
    ) -> list[tuple[int, int]]:
        """Each query with the images that share most of its words and were not tried with it.

        Words that its strangers have do not count.
        """
        best: dict[int, list[tuple[float, int]]] = {}
        images = sum(map(len, parts))
        for part in parts:
            index = WordIndex(part, self._load_words(part), holders, images)

            def rank(some: Ids, index: WordIndex = index) -> list[tuple[int, int, float]]:
                words = self._load_rest(some, strangers)
                return list(index.find_nearest(some, words, tried))

            some_ids = in_parts(query_ids, BATCH_FILES)
            with open_threads(self.workers) as threads:
                for one, other, share in chain.from_iterable(threads.map(rank, some_ids)):
                    best.setdefault(one, []).append((-share, other))
        chosen = ((one, it) for one in best for _, it in sorted(best[one])[:NEAREST_BY_WORDS])
        return sorted({(min(ids), max(ids)) for ids in chosen})

    def _load_rest(self, image_ids: Ids, strangers: Mapping[int, set[int]]) -> list[Words]:
        """The words of each image that none of its strangers has."""
        ids = image_ids.tolist()
        found = dict(zip(ids, self.source.load_words(image_ids), strict=True))
        others = np.array(sorted({it for one in ids for it in strangers.get(one, ())}), np.int64)
        known = dict(zip(others.tolist(), self.source.load_words(others), strict=True))
        rest = []
        for one in ids:
            is_left = np.ones(1 << WORD_BITS, np.bool_)
            for it in strangers.get(one, ()):
                is_left[known[it]] = False
            own = found[one][:, :2]
            rest.append(own[is_left[own]].reshape(-1, 1))
        return rest


def verify_batch(batch: Batch) -> list[Pair]:
    """The pairs that belong together; images that are gone meanwhile belong to none."""
    use_one_thread()
    found = []
    for task in batch.tasks:
        first, second = (batch.known.get(it) for it in task.ids)
        if first is None or second is None:
            continue
        boxes, others = first.layout.boxes, second.layout.boxes
        guesses = [
            locate_view(other_code, others) @ np.linalg.inv(locate_view(code, boxes))
            for code, other_code in task.guesses
        ]
        verdict = verify(first, second, guesses)
        if verdict is not None:
            relation, evidence = verdict
            found.append(Pair(*task.ids, relation, doubt(evidence), evidence))
    return found


def _find_settled(copies: Iterable[Pair], new_ids: set[int]) -> Ids:
    """The new images of which a copy shows nearly all, and meets for them what only words find.

    Of images that show the same, an old one or that with the lowest id is left to do so.
    """
    shown_by: defaultdict[int, list[int]] = defaultdict(list)
    for pair in copies:
        covered = 1.0, 1.0  # where only another's hashes were compared
        if pair.evidence is not None:
            covered = pair.evidence.covered_first, pair.evidence.covered_second
        for one, other, share in zip(pair.ids, pair.ids[::-1], covered, strict=True):
            if share >= SETTLED_SHARE:
                shown_by[one].append(other)
    settled: set[int] = set()
    for one in sorted(shown_by.keys() & new_ids, reverse=True):
        if not settled.issuperset(shown_by[one]):
            settled.add(one)
    return np.array(sorted(settled), np.int64)


def _keep_leaders(image_ids: Ids, copies: Iterable[Pair]) -> tuple[Ids, bool]:
    """The images without the copies of one that has very many, and whether any has."""
    leaders = find_leaders(copies)
    sizes = Counter(leaders.values())
    led = [one for one, it in leaders.items() if one != it and sizes[it] > COPIES_SEARCHED_EACH]
    return np.setdiff1d(image_ids, np.array(led, np.int64)), bool(led)
