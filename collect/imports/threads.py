"""Many items at once, in the order in which they were given, without piling up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
AHEAD = 4  # for each thread


def work_through(
    items: Iterable[Item],
    work: Callable[[Item], Result],
    workers: int,
    stop: Callable[[], None] = lambda: None,
) -> Iterator[Result]:
    """The results in the order of the items; no more are in work than the reader soon takes.

    What a thread raises is raised here. `stop` is called first when the reader ends early.
    """
    pool = ThreadPoolExecutor(workers, thread_name_prefix="import")
    waiting: deque[Future[Result]] = deque()
    is_whole = False
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= workers * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        is_whole = True
    finally:
        if not is_whole:
            stop()
        pool.shutdown(wait=True, cancel_futures=True)
