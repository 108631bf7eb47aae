"""Which images show the same photograph: candidates first, then verification.

The hash path comes first and settles most copies. What it did not settle goes the second path, by
visual words. Nothing here reads or writes rows; where signatures come from is passed in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
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


def join_sources(lower: Source, higher: Source, higher_from: int) -> Source:
    """Both sources as one: ids from `higher_from` on are the higher one's, which counts from 0.

    Words are always asked of images of one source.
    """

    def load_views(image_ids: Ids) -> ViewTable:
        is_higher = image_ids >= higher_from
        table = lower.load_views(image_ids[~is_higher])
        other = higher.load_views(image_ids[is_higher] - higher_from)
        return ViewTable(
            np.concatenate([table.owners, other.owners + higher_from]),
            np.concatenate([table.codes, other.codes]),
            np.concatenate([table.hashes, other.hashes]),
        )

    def load_words(image_ids: Ids) -> list[Words]:
        if len(image_ids) and image_ids[0] >= higher_from:
            return higher.load_words(image_ids - higher_from)
        return lower.load_words(image_ids)

    def load_known(image_ids: Ids) -> dict[int, Shown]:
        is_higher = image_ids >= higher_from
        shown = dict(lower.load_known(image_ids[~is_higher]))
        known = higher.load_known(image_ids[is_higher] - higher_from)
        return shown | {image_id + higher_from: known[image_id] for image_id in known}

    return Source(load_views, load_words, load_known)


@dataclass(frozen=True, slots=True)
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


@dataclass
class _Search:
    """What a search knows so far: the pairs by their ids, and by image those it was tried with.

    `strangers` are those that share words with an image but are no copies of it.
    """

    pairs: dict[tuple[int, int], Pair] = field(default_factory=dict)
    tried: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    strangers: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    def list_copies(self) -> list[Pair]:
        """The pairs of copies."""
        return [pair for pair in self.pairs.values() if pair.relation is Relation.DUPLICATE]

    def note_strangers(self, near_ids: Iterable[tuple[int, int]]) -> None:
        """Add those of the tried pairs that are no copies."""
        for ids in near_ids:
            if ids not in self.pairs or self.pairs[ids].relation is not Relation.DUPLICATE:
                for image_id, other_id in (ids, ids[::-1]):
                    self.strangers[image_id].add(other_id)


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
        self.source = source
        self.max_distance_bits = max_distance_bits
        self.memory_bytes = memory_bytes
        self.executor = executor
        self.workers = workers
        self.watch = watch
        self.work = work or verify_batch

    def match(self, census: Census, base_ids: Ids | None = None) -> list[Pair]:
        """Every pair found of a new image and one of the base that belong together, ordered by ids.

        The base is all of the census unless it is given.
        """
        new_ids = census.image_ids[census.is_new]
        base = census.image_ids if base_ids is None else base_ids
        if not len(new_ids) or not len(base):
            return []
        state = _Search()
        queries, base = self._match_hashes(state, new_ids, base, is_census=base_ids is None)
        copies = state.list_copies()
        if base_ids is None:
            searched = set(base.tolist())
            copies = [pair for pair in copies if searched.issuperset(pair.ids)]
        unsettled = np.setdiff1d(queries, _find_settled(copies, set(new_ids.tolist())))
        self._match_words(state, unsettled, base)
        return [state.pairs[ids] for ids in sorted(state.pairs)]

    def _match_hashes(
        self, state: _Search, new_ids: Ids, base: Ids, *, is_census: bool
    ) -> tuple[Ids, Ids]:
        """The new images and the base that are left for the search by words.

        Of very many copies each meets the nearest few; then their leaders meet. Only leaders are
        left, but a base that was given stays whole.
        """
        queries = new_ids
        while True:
            views = self.source.load_views(np.union1d(queries, base))
            near = find_by_hashes(views, queries, base, self.max_distance_bits).tolist()
            tasks = (Task((row[0], row[1]), [(row[2], row[3])]) for row in near)
            has_more = self._try_all(state, tasks)
            if not is_census:
                return queries, base
            leaders, are_many = _keep_leaders(base, state.list_copies())
            base = leaders
            queries = np.intersect1d(leaders, new_ids)
            if not (are_many and has_more):
                return queries, base

    def _match_words(self, state: _Search, unsettled: Ids, base: Ids) -> None:
        parts = [(part, self._count_holders(part)) for part in self._part(base)]
        for _ in range(WORD_ROUNDS):  # what many hold, as one caption, must not hide the rest
            near_ids = self._find_by_words(parts, unsettled, state.tried, state.strangers)
            self._try_all(state, (Task(ids, []) for ids in near_ids))
            state.note_strangers(near_ids)

    def _try_all(self, state: _Search, tasks: Iterable[Task]) -> bool:
        """Whether any of the tasks that were not tried yet gave a pair."""
        fresh = [task for task in tasks if task.ids[1] not in state.tried[task.ids[0]]]
        for first_id, second_id in (task.ids for task in fresh):
            state.tried[first_id].add(second_id)
            state.tried[second_id].add(first_id)
        pairs = self.verify(fresh)
        state.pairs.update((pair.ids, pair) for pair in pairs)
        return bool(pairs)

    def verify(self, tasks: Sequence[Task]) -> list[Pair]:
        """Those of the pairs that belong together, in order of the tasks."""
        parts = (tasks[at : at + BATCH_FILES] for at in range(0, len(tasks), BATCH_FILES))
        batches = (
            Batch(part, self.source.load_known(np.unique([task.ids for task in part])))
            for part in parts
        )
        verified: list[Pair] = []
        if not tasks:
            return verified
        with self.watch("Verifying", len(tasks), "pairs") as advance:
            for batch, pairs in run_ahead(
                self.executor, self.work, batches, ahead=2 * self.workers
            ):
                advance(len(batch.tasks))
                verified += pairs
        return verified

    def _part(self, image_ids: Ids) -> list[Ids]:
        """The images in parts of which the words fit into the memory."""
        step = max(self.memory_bytes // 2 // BYTES_PER_IMAGE, LEAST_PART_IMAGES)
        return [image_ids[at : at + step] for at in range(0, len(image_ids), step)]

    def _count_holders(self, image_ids: Ids) -> Rows:
        return sum(map(count_holders, self._load_words(image_ids)), _NO_HOLDERS)

    def _load_words(self, image_ids: Ids) -> Iterator[list[Words]]:
        return map(self.source.load_words, in_parts(image_ids))

    def _find_by_words(
        self,
        parts: Sequence[tuple[Ids, Rows]],
        query_ids: Ids,
        tried: Mapping[int, set[int]],
        strangers: Mapping[int, set[int]],
    ) -> list[tuple[int, int]]:
        """Each query with the images that share most of its words and were not tried with it.

        Words that its strangers have do not count. The parts of the base come with the holders of
        each word among them.
        """
        best: dict[int, list[tuple[float, int]]] = {}
        images = sum(len(part) for part, _ in parts)
        holders = sum((part_holders for _, part_holders in parts), _NO_HOLDERS)
        for part, part_holders in parts:
            index = WordIndex(part, self._load_words(part), part_holders, holders, images)

            def rank(some: Ids, index: WordIndex = index) -> list[tuple[int, int, float]]:
                words = self._load_rest(some, strangers)
                return list(index.find_nearest(some, words, tried))

            some_ids = in_parts(query_ids, BATCH_FILES)
            with open_threads(self.workers) as threads:
                for query_id, other_id, share in chain.from_iterable(threads.map(rank, some_ids)):
                    best.setdefault(query_id, []).append((-share, other_id))
        chosen = (
            (query_id, other_id)
            for query_id in best
            for _, other_id in sorted(best[query_id])[:NEAREST_BY_WORDS]
        )
        return sorted({(min(ids), max(ids)) for ids in chosen})

    def _load_rest(self, image_ids: Ids, strangers: Mapping[int, set[int]]) -> list[Words]:
        """The words of each image that none of its strangers has."""
        ids = image_ids.tolist()
        words = dict(zip(ids, self.source.load_words(image_ids), strict=True))
        others = np.array(
            sorted(
                {stranger_id for image_id in ids for stranger_id in strangers.get(image_id, ())}
            ),
            np.int64,
        )
        known = dict(zip(others.tolist(), self.source.load_words(others), strict=True))
        rest = []
        for image_id in ids:
            is_left = np.ones(1 << WORD_BITS, np.bool_)
            for stranger_id in strangers.get(image_id, ()):
                is_left[known[stranger_id]] = False
            held = words[image_id][:, :2]
            rest.append(held[is_left[held]].reshape(-1, 1))
        return rest


def verify_batch(batch: Batch) -> list[Pair]:
    """The pairs that belong together; images that are gone meanwhile belong to none."""
    use_one_thread()
    pairs = []
    for task in batch.tasks:
        first, second = (batch.known.get(image_id) for image_id in task.ids)
        if first is None or second is None:
            continue
        boxes = first.layout.boxes
        others = second.layout.boxes
        guesses = [
            locate_view(other_code, others) @ np.linalg.inv(locate_view(code, boxes))
            for code, other_code in task.guesses
        ]
        verdict = verify(first, second, guesses)
        if verdict is not None:
            relation, evidence = verdict
            pairs.append(Pair(*task.ids, relation, doubt(evidence), evidence))
    return pairs


def _find_settled(copies: Iterable[Pair], new_ids: set[int]) -> Ids:
    """The new images of which a copy shows nearly all, and meets for them what only words find.

    Of images that show the same, an old one or that with the lowest id is left to do so.
    """
    shown_by: defaultdict[int, list[int]] = defaultdict(list)
    for pair in copies:
        covered = 1.0, 1.0  # where only another's hashes were compared
        if pair.evidence is not None:
            covered = pair.evidence.covered_first, pair.evidence.covered_second
        for image_id, other_id, share in zip(pair.ids, pair.ids[::-1], covered, strict=True):
            if share >= SETTLED_SHARE:
                shown_by[image_id].append(other_id)
    settled: set[int] = set()
    for image_id in sorted(shown_by.keys() & new_ids, reverse=True):
        if not settled.issuperset(shown_by[image_id]):
            settled.add(image_id)
    return np.array(sorted(settled), np.int64)


def _keep_leaders(image_ids: Ids, copies: Iterable[Pair]) -> tuple[Ids, bool]:
    """The images without the copies of one that has very many, and whether any has."""
    leaders = find_leaders(copies)
    sizes = Counter(leaders.values())
    led = [
        image_id
        for image_id, leader_id in leaders.items()
        if image_id != leader_id and sizes[leader_id] > COPIES_SEARCHED_EACH
    ]
    return np.setdiff1d(image_ids, np.array(led, np.int64)), bool(led)
