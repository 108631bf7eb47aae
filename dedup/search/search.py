"""All pairs within a distance, exactly, with memory bounded by setting.

Hashes that do not fit are matched shard against shard, read from a np.memmap as they are needed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from dedup.executors import default_workers

from .join import Meeting, join_band, join_on_threads
from .meetings import list_meetings, list_query_meetings
from .repeats import take_census
from .results import Matches, Pairs, QueryMatches, Repeats, join_pairs
from .words import Hashes, check_hashes, count_words

MAX_ROWS_AT_ONCE = 1 << 30
"""The places of rows are numbers of 32 bits."""


@dataclass(frozen=True)
class Resources:
    """What a search may use: about so many bytes beside its input and output, so many workers.

    `memory_bytes` bounds what one join holds; there is also a byte for each row. Without an
    executor the joins run one after another, on threads. An executor of processes or of a Dask
    cluster is given whole bands of joins, each of which may take the memory.
    """

    memory_bytes: int = 1 << 30
    workers: int = field(default_factory=default_workers)
    executor: Executor | None = None

    def __post_init__(self) -> None:
        if self.memory_bytes < 1 or self.workers < 1:
            raise ValueError(f"memory_bytes and workers must be at least 1, got {self}")


def find_pairs_within(
    hashes: Hashes, max_distance_bits: int, *, new_from: int = 0, resources: Resources | None = None
) -> Matches:
    """All pairs within the distance of which a row is `new_from` or later; no pair is missed.

    Raises ValueError where `hashes` are not uint64 of shape (rows,) or (rows, words), or where
    `max_distance_bits` or `new_from` is negative.
    """
    repeats, chunks = stream_pairs_within(
        hashes, max_distance_bits, new_from=new_from, resources=resources
    )
    return Matches(repeats, join_pairs(chunks), new_from)


def stream_pairs_within(
    hashes: Hashes, max_distance_bits: int, *, new_from: int = 0, resources: Resources | None = None
) -> tuple[Repeats, Iterator[Pairs]]:
    """The same, the pairs in chunks as they are found, in an order without meaning.

    Repeated runs with the same hashes and memory give the same chunks.
    """
    check_hashes(hashes)
    _check_counts(max_distance_bits=max_distance_bits, new_from=new_from)
    resources = resources or Resources()
    rows_at_once = count_rows_at_once(hashes, resources)
    census = take_census(hashes, new_from, rows_at_once)
    meetings = list_meetings(hashes, census.kinds, max_distance_bits, rows_at_once)
    return census.repeats, (chunk.turn() for chunk in _join_all(meetings, resources))


def find_matches_within(
    queries: Hashes, base: Hashes, max_distance_bits: int, *, resources: Resources | None = None
) -> QueryMatches:
    """All pairs of a query and a base row within the distance; no pair is missed.

    Raises ValueError where queries or base are no hashes, or have unequal numbers of words.
    """
    query_repeats, base_repeats, chunks = stream_matches_within(
        queries, base, max_distance_bits, resources=resources
    )
    return QueryMatches(query_repeats, base_repeats, join_pairs(chunks))


def stream_matches_within(
    queries: Hashes, base: Hashes, max_distance_bits: int, *, resources: Resources | None = None
) -> tuple[Repeats, Repeats, Iterator[Pairs]]:
    """The same, the pairs in chunks as they are found, in an order without meaning."""
    check_hashes(queries)
    check_hashes(base)
    _check_counts(max_distance_bits=max_distance_bits)
    if count_words(queries) != count_words(base):
        raise ValueError(
            "queries and base must have as many words of 64 bits, "
            f"got {count_words(queries)} and {count_words(base)}"
        )
    resources = resources or Resources()
    rows_at_once = count_rows_at_once(base, resources)
    of_queries = take_census(queries, 0, rows_at_once)
    of_base = take_census(base, 0, rows_at_once)
    kinds = of_queries.kinds, of_base.kinds
    meetings = list_query_meetings(queries, base, kinds, max_distance_bits, rows_at_once)
    return of_queries.repeats, of_base.repeats, _join_all(meetings, resources)


def count_rows_at_once(hashes: Hashes, resources: Resources) -> int:
    """How many rows of each of two sets fit into memory with their buckets, two for each row."""
    row_bytes = 16 * count_words(hashes) + 32
    return min(max(resources.memory_bytes // (2 * row_bytes), 1), MAX_ROWS_AT_ONCE)


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if count < 0:
            raise ValueError(f"{name} must not be negative, got {count}")


def _join_all(meetings: Iterator[Meeting], resources: Resources) -> Iterator[Pairs]:
    in_flight = 2 * resources.workers
    if resources.executor is not None:
        yield from _join_there(meetings, resources.executor, in_flight)
        return
    pool = ThreadPoolExecutor(resources.workers, thread_name_prefix="search")
    try:
        for meeting in meetings:
            yield from join_on_threads(meeting, pool, in_flight)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _join_there(meetings: Iterator[Meeting], executor: Executor, in_flight: int) -> Iterator[Pairs]:
    running: deque[Future[list[Pairs]]] = deque()
    try:
        for meeting in meetings:
            for number in range(len(meeting.plan.bands)):
                if len(running) == in_flight:
                    yield from running.popleft().result()
                running.append(executor.submit(join_band, meeting, number))
        while running:
            yield from running.popleft().result()
    finally:
        for future in running:
            future.cancel()
