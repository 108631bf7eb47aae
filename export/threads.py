"""Work on many files by several threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

MOST_THREADS = 4
ITEMS_AT_ONCE = 64


def map_in_threads(work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
    """What `work` makes of each item, in their order; for work that reads, digests or writes files.

    What it raises ends the iteration; no work is going on when that has ended.
    """

    def work_on(place: int) -> list[R]:
        return [work(item) for item in items[place : place + ITEMS_AT_ONCE]]

    places = range(0, len(items), ITEMS_AT_ONCE)
    if len(places) < 2:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(min(os.cpu_count() or 1, MOST_THREADS))
    try:
        for results in pool.map(work_on, places):
            yield from results
    finally:
        pool.shutdown(cancel_futures=True)
