"""The pairs of two sets of hashes, band by band and range by range, on threads or elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .kernels import LANES, OVERFULL, Buckets, Found, Rule, fill_buckets, join_rows
from .plan import Band, Plan
from .results import Pairs
from .stars import Rows
from .words import Words

ROOM = 1 << 16
"""For how many pairs a range has room before it is cut in halves."""

CANDIDATES_PER_RANGE = 200_000_000
"""About some tens of milliseconds of work."""

Range = tuple[int, int]


@dataclass(frozen=True)
class HashSet:
    """Some hashes, no two of them equal, and the row that each came from."""

    words: Words
    rows: Rows

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Meeting:
    """Two sets whose pairs are wanted; without a base those among the queries themselves."""

    queries: HashSet
    base: HashSet | None
    plan: Plan


def join_on_threads(meeting: Meeting, pool: Executor, in_flight: int) -> Iterator[Pairs]:
    """Every pair once, in chunks and an order that do not depend on the threads."""
    for number in range(len(meeting.plan.bands)):
        yield from _open_band(meeting, number).run(pool, in_flight)


def join_band(meeting: Meeting, number: int) -> list[Pairs]:
    """The pairs that the band is the first to hold; for a worker process or machine."""
    with ThreadPoolExecutor(1) as pool:
        return list(_open_band(meeting, number).run(pool, in_flight=1))


@dataclass(frozen=True)
class _BandMeeting:
    """One band of a meeting, its hashes put in buckets."""

    meeting: Meeting
    queries: Buckets
    base: Buckets
    patterns: NDArray[np.int32]
    rule: Rule

    def run(self, pool: Executor, in_flight: int) -> Iterator[Pairs]:
        """The band's pairs in order of its query places, no more ranges at work than said."""
        waiting = deque(self.list_ranges())
        running: deque[tuple[Range, Future[Pairs | None]]] = deque()
        while waiting or running:
            while waiting and len(running) < in_flight:
                running.append(self._submit(waiting.popleft(), pool))
            (begin, end), future = running.popleft()
            pairs = future.result()
            if pairs is None:
                middle = (begin + end) // 2
                running.appendleft(self._submit((middle, end), pool))
                running.appendleft(self._submit((begin, middle), pool))
            elif len(pairs):
                yield pairs

    def _submit(self, part: Range, pool: Executor) -> tuple[Range, Future[Pairs | None]]:
        return part, pool.submit(self.join, *part)

    def list_ranges(self) -> list[Range]:
        """The query places in ranges of about equal work."""
        fullness = len(self.base.rows) / (len(self.base.starts) - 1)
        work = len(self.patterns) * (fullness + LANES)
        step = max(int(CANDIDATES_PER_RANGE / work), 1)
        count = len(self.queries.rows)
        return [(begin, min(begin + step, count)) for begin in range(0, count, step)]

    def join(self, begin: int, end: int) -> Pairs | None:
        """The pairs of the query places; None where they are too many for the room."""
        room = ROOM if end - begin > 1 else len(self.base.rows)
        found = Found(np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.uint16))
        is_self = self.meeting.base is None
        count = join_rows(
            self.queries, self.base, self.patterns, is_self, begin, end, self.rule, found
        )
        return None if count == OVERFULL else self._name_rows(found, count)

    def _name_rows(self, found: Found, count: int) -> Pairs:
        queries = self.meeting.queries
        base = self.meeting.base or queries
        one, other = queries.rows[found.first[:count]], base.rows[found.second[:count]]
        return Pairs(one, other, found.bits[:count].copy())


def _open_band(meeting: Meeting, number: int) -> _BandMeeting:
    plan = meeting.plan
    band = plan.bands[number]
    queries = _make_buckets(meeting.queries.words, band)
    base = queries if meeting.base is None else _make_buckets(meeting.base.words, band)
    return _BandMeeting(meeting, queries, base, band.make_patterns(), _make_rule(meeting, number))


def _make_buckets(words: Words, band: Band) -> Buckets:
    count = words.shape[1]
    buckets = Buckets(
        np.zeros((1 << len(band.bits)) + 1, dtype=np.int32),
        np.empty(count, dtype=np.int32),
        np.empty((len(words), count + LANES), dtype=np.uint64),
    )
    buckets.words[:, count:] = 0
    fill_buckets(words, np.array(band.bits, np.int64), np.empty(count, np.int32), buckets)
    return buckets


def _make_rule(meeting: Meeting, number: int) -> Rule:
    plan, word_count = meeting.plan, len(meeting.queries.words)
    masks = [band.make_mask(word_count) for band in plan.bands[:number]]
    return Rule(
        plan.max_bits,
        plan.first_words,
        np.array(masks, dtype=np.uint64).reshape(number, word_count),
        np.array([band.radius for band in plan.bands[:number]], dtype=np.int64),
    )
