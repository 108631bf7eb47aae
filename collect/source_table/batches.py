"""The rows of a table that answer a query, in batches; those of a large SQLite file by processes.

Looking through the texts takes most of a pass. Each process reads a part of the file by its row
numbers, and the parts come back in their order, so a pass sees the rows as one process reads them.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context

from catalog.processors import count_processors
from collect.interrupts import serve_parent
from collect.results import FoundPhoto
from vockit.format.threads import ProcessPool, starting_deaf

from .errors import RowError
from .opening import connect, explaining
from .readers import Part, Reader, Row, find_ends, open_reader
from .recognise import TableFile
from .words import Matcher, Sieve, make_matcher, make_sieve

BATCH_ROWS = 2_000
PART_ROWS = 50_000
MOST_PARTS = 2_000
"""Row numbers may be ids, which are far apart."""
PROCESSES_FROM_ROWS = 500_000
"""From this number on, processes save more than twice the second that starting them takes."""


@dataclass(frozen=True)
class Batch:
    """How many rows were read, the photographs that answer queries, and why others cannot be."""

    rows: int
    found: Sequence[tuple[Sequence[int], FoundPhoto]]
    left_out: Counter[str] = field(default_factory=Counter)


def read_batches(file: TableFile, queries: Sequence[str]) -> Iterator[Batch]:
    """All rows of the file in their order; raises TableError."""
    parts = _list_parts(file)
    if parts and count_processors() > 1:
        yield from _read_in_processes(file, queries, parts)
    else:
        yield from _read_alone(file, queries, None)


def _list_parts(file: TableFile) -> list[Part]:
    """First and last row number of each part of a large SQLite file; none of another file."""
    if file.kind != "sqlite":
        return []
    with explaining(file.path), closing(connect(file.path)) as connection:
        first, last = find_ends(connection)
    if last - first < PROCESSES_FROM_ROWS:
        return []
    step = max(PART_ROWS, (last - first) // MOST_PARTS + 1)
    return [(start, start + step - 1) for start in range(first, last + 1, step)]


def _read_in_processes(
    file: TableFile, queries: Sequence[str], parts: Sequence[Part]
) -> Iterator[Batch]:
    """The batches of the parts in their order, of which a few more than are used are read ahead."""
    workers = count_processors()
    context = get_context("spawn")  # a fork takes threads along
    done = 0
    with (
        suppress(BrokenProcessPool, OSError),  # killed, or not started, as for want of memory
        ProcessPool(workers, context, serve_parent) as pool,
    ):
        running = deque[Future[Batch]]()
        waiting = iter(parts)
        try:
            while done < len(parts):
                for part in islice(waiting, 2 * workers - len(running)):
                    with starting_deaf():
                        running.append(pool.submit(read_part, file, queries, part))
                yield running.popleft().result()
                done += 1
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    for part in parts[done:]:  # all but what the processes read
        yield from _read_alone(file, queries, part)


def read_part(file: TableFile, queries: Sequence[str], part: Part) -> Batch:
    """The rows of a part as one batch; raises TableError."""
    batches = list(_read_alone(file, queries, part))
    return Batch(
        rows=sum(batch.rows for batch in batches),
        found=[answer for batch in batches for answer in batch.found],
        left_out=sum((batch.left_out for batch in batches), Counter[str]()),
    )


def _read_alone(file: TableFile, queries: Sequence[str], part: Part | None) -> Iterator[Batch]:
    match = make_matcher(queries, is_encoded=file.is_yfcc)
    sift = make_sieve(queries, is_encoded=file.is_yfcc)
    with open_reader(file, match, part) as reader:
        rows = reader.rows()
        while some := tuple(islice(rows, BATCH_ROWS)):
            yield _find_answers(some, reader, sift, match)


def _find_answers(rows: Sequence[Row], reader: Reader, sift: Sieve, match: Matcher) -> Batch:
    """The photographs of the rows that answer a query."""
    answers = list[tuple[Sequence[int], FoundPhoto]]()
    left_out = Counter(str(row) for row in rows if isinstance(row, RowError))
    readable = [row for row in rows if not isinstance(row, RowError)]
    for place in sift([text for text, _ in readable]):
        text, value = readable[place]
        if queries := match(text):
            try:
                answers.append((queries, reader.read(value)))
            except RowError as error:
                left_out[str(error)] += 1
    return Batch(len(rows), answers, left_out)
