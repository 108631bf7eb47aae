"""Where the work runs: threads, processes of this machine, or a Dask cluster; all are Executors."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
)
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.context import BaseContext
from typing import TypeVar

from catalog.processors import count_processors
from vockit.format.shortage import ShortageError, describe_shortage
from vockit.format.threads import ProcessPool, Thread, ThreadPool

from .errors import WorkersEndedError

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")
OpenExecutor = Callable[[], AbstractContextManager[Executor]]
Advance = Callable[[int], None]
Watch = Callable[[str, int, str], AbstractContextManager[Advance]]
"""Takes a label, a total and a unit; what it gives is called with how many more are done."""

BATCH_FILES = 16
"""Files or pairs of a task, which takes half a second."""
MOST_ENDED = 3
"""Files in a row whose process ends while it has nothing else to do, before the run stops."""
PROCESSES_FROM_IMAGES = 2000
"""From here on processes beat threads."""
_WORK = ("dedup.hashing", "dedup.matching")
"""The modules of what worker processes do, which load OpenCV."""


@contextmanager
def unwatched(_label: str, _total: int, _unit: str) -> Iterator[Advance]:
    """Progress that is not shown."""
    yield lambda _count: None


@cache
def use_one_thread() -> None:
    """Let OpenCV and BLAS work in the calling thread, since every worker is one already.

    Threads of BLAS wait in a loop: verifying a pair took 14 ms with them and 1 ms without.
    """
    import cv2
    from threadpoolctl import threadpool_limits

    cv2.setNumThreads(1)
    threadpool_limits(1, user_api="blas")


def default_workers() -> int:
    """As many as there are processors for this process."""
    return count_processors()


@dataclass(frozen=True)
class Workforce:
    """Workers here, or a Dask cluster, which may be without workers for `wait_secs`."""

    workers: int = field(default_factory=default_workers)
    dask_address: str | None = None
    wait_secs: float = 600.0

    def needs_processes(self, images: int) -> bool:
        """Whether so many images are worth the second that processes take to start."""
        return self.workers > 1 and images >= PROCESSES_FROM_IMAGES

    def open(
        self, workers: int | None = None, *, are_processes: bool = False
    ) -> AbstractContextManager[Executor]:
        """The workers of the cluster, or this many threads or processes, which may die, here."""
        if self.dask_address is not None:
            from .cluster import open_cluster

            return open_cluster(self.dask_address, self.wait_secs)
        return (open_processes if are_processes else open_threads)(workers or self.workers)


@contextmanager
def open_threads(workers: int) -> Iterator[Executor]:
    """Threads, which drop what has not begun when the block ends."""
    executor = ThreadPool(workers, thread_name_prefix="dedup")
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def open_processes(workers: int) -> Iterator[Executor]:
    """Processes that share no connection or lock with this one and die with it."""
    executor = ProcessPool(workers, mp_context=_open_context(), initializer=_prepare_worker)
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _open_context() -> BaseContext:
    """How processes start: forked, where the system can, from one that has loaded their work."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    if sys.platform == "linux":  # macOS's own BLAS may hang in a fork of a process that loaded it
        context.set_forkserver_preload(list(_WORK))  # else each process loads it: a second
    return context


def run_ahead(
    executor: Executor, work: Callable[[Item], Result], items: Iterable[Item], *, ahead: int
) -> Iterator[tuple[Item, Result]]:
    """Each item with what the work makes of it, in order, at most `ahead` of them submitted."""
    running: deque[tuple[Item, Future[Result]]] = deque()
    for item in items:
        running.append((item, executor.submit(work, item)))
        if len(running) >= ahead:
            first, future = running.popleft()
            yield first, future.result()
    for first, future in running:
        yield first, future.result()


def run_batches(
    open_executor: OpenExecutor,
    open_single: OpenExecutor,
    work: Callable[[Sequence[Item]], list[Result]],
    batches: Iterable[Sequence[Item]],
    give_up: Callable[[Item], Result],
    *,
    ahead: int,
) -> Iterator[list[Result]]:
    """What the work makes of each batch, in order, with at most `ahead` batches submitted.

    Where a worker process dies, the items it may have died of are each tried once more in a process
    each (`open_single`), and only that which kills this too is given up. Raises WorkersEndedError
    where several of them in a row do: then the machine ends processes, whatever they decode.
    """
    remaining = iter(batches)
    under_way = deque[Sequence[Item]]()

    def take() -> Iterator[Sequence[Item]]:
        for batch in remaining:
            under_way.append(batch)
            yield batch

    while True:
        try:
            with open_executor() as executor:
                for _, results in run_ahead(executor, work, take(), ahead=ahead):
                    under_way.popleft()
                    yield results
            return
        except BrokenExecutor:
            lost = [item for batch in under_way for item in batch]
        under_way.clear()
        log.warning("a hashing process died; trying %d files one by one", len(lost))
        yield from _run_each(open_single, work, lost, give_up)


def _run_each(
    open_single: OpenExecutor,
    work: Callable[[Sequence[Item]], list[Result]],
    items: Iterable[Item],
    give_up: Callable[[Item], Result],
) -> Iterator[list[Result]]:
    """What the work makes of each item in a process of its own; raises WorkersEndedError."""
    ended = 0
    for item in items:
        try:
            with open_single() as executor:
                results = executor.submit(work, [item]).result()
        except BrokenExecutor as error:
            ended += 1
            if ended == MOST_ENDED:
                raise WorkersEndedError(ENDED) from error
            yield [give_up(item)]
        else:
            ended = 0
            yield results


ENDED = (
    "Processes that decoded images were ended one after another, perhaps for want of memory. No "
    "image was changed by that; run this again with fewer --workers, it goes on where it stopped."
)


@contextmanager
def telling_of_shortage() -> Iterator[None]:
    """Raise ShortageError where anything in the block, such as OpenCV, runs out of memory."""
    try:
        yield
    except Exception as error:
        reason = describe_shortage(error)
        if reason is None:
            raise
        raise ShortageError(reason) from error


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent, and end when the parent is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_after_parent() -> None:
        parent.join()
        os._exit(1)

    Thread(target=end_after_parent, daemon=True).start()
