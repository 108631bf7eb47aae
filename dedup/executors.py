"""Where the work runs: threads, processes of this machine, or a Dask cluster; all are Executors."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TypeVar

from catalog.image_store import ImageStore

Item = TypeVar("Item")
Result = TypeVar("Result")
OpenExecutor = Callable[[], AbstractContextManager[Executor]]
Advance = Callable[[int], None]
Watch = Callable[[str, int, str], AbstractContextManager[Advance]]
"""Takes a label, a total and a unit; what it gives is called with how many more are done."""

BATCH_FILES, BATCHES_AHEAD = 16, 3
"""A task of half a second, and so many for each worker, so that none waits for the next."""
PROCESSES_FROM_IMAGES = 2000
"""From here on processes, which take about a second to start, beat threads."""


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
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Workforce:
    """Workers here, or a Dask cluster, which may be without workers for `wait_secs`."""

    workers: int = field(default_factory=default_workers)
    dask_address: str | None = None
    wait_secs: float = 600.0

    def choose_hashers(self, store: ImageStore, images: int) -> OpenExecutor:
        """Processes for many images; threads for few, and where reading the store is waiting."""
        if self.dask_address is not None:
            return self._open_cluster
        is_local = store.local_path("0" * 64) is not None
        if is_local and self.workers > 1 and images >= PROCESSES_FROM_IMAGES:
            return partial(open_processes, self.workers)
        return partial(open_threads, self.workers)

    def open_single(self) -> AbstractContextManager[Executor]:
        """A worker that may die of a file alone."""
        return self._open_cluster() if self.dask_address is not None else open_processes(1)

    def open_matchers(self) -> AbstractContextManager[Executor]:
        """The workers for matching."""
        return self._open_cluster() if self.dask_address is not None else open_threads(self.workers)

    def _open_cluster(self) -> AbstractContextManager[Executor]:
        from .cluster import open_cluster

        assert self.dask_address is not None
        return open_cluster(self.dask_address, self.wait_secs)


def gather_workforce(workers: int | None, dask_address: str | None, wait_secs: float) -> Workforce:
    """The workforce that a command line asks for; raises ClusterError where none answers.

    A cluster may have no workers yet; it is then given as much work at a time as this machine.
    """
    if dask_address is None:
        return Workforce(workers or default_workers())
    from .cluster import count_threads

    workers = workers or count_threads(dask_address) or default_workers()
    return Workforce(workers, dask_address, wait_secs)


@contextmanager
def open_threads(workers: int) -> Iterator[Executor]:
    """Threads, which drop what has not begun when the block ends."""
    executor = ThreadPoolExecutor(workers, thread_name_prefix="dedup")
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def open_processes(workers: int) -> Iterator[Executor]:
    """Processes that share no connection or lock with this one and die with it."""
    can_fork = "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if can_fork else "spawn")
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare_worker)
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


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


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent, and end when the parent is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
