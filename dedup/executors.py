"""Where hashing runs: threads for little work, processes of this machine for much."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

PROCESSES_FROM_IMAGES = 2000
"""From here on processes, which take about a second to start, beat threads."""


def default_workers() -> int:
    """As many as there are processors for this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def open_threads(workers: int) -> Iterator[Executor]:
    """Threads, which drop what has not begun when the block ends."""
    with _dropping(ThreadPoolExecutor(workers, thread_name_prefix="hash")) as executor:
        yield executor


@contextmanager
def open_processes(workers: int) -> Iterator[Executor]:
    """Processes that share no connection or lock with this one and die with it.

    Where the system can, they are forked from one fresh process that has loaded all they need.
    """
    can_fork = "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if can_fork else "spawn")
    context.set_forkserver_preload([f"{__package__}.nursery"])
    with _nursery.keep() if can_fork else nullcontext():
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare_worker)
        with _dropping(pool) as executor:
            yield executor


def run_ahead(
    executor: Executor, work: Callable[[Item], Result], items: Iterable[Item], *, ahead: int
) -> Iterator[tuple[Item, Result]]:
    """Each item with what the work makes of it, in order, so many of them under way at once."""
    under_way: deque[tuple[Item, Future[Result]]] = deque()
    for item in items:
        under_way.append((item, executor.submit(work, item)))
        if len(under_way) >= ahead:
            yield _finish(*under_way.popleft())
    while under_way:
        yield _finish(*under_way.popleft())


def _finish(item: Item, future: Future[Result]) -> tuple[Item, Result]:
    return item, future.result()


@contextmanager
def _dropping(executor: Executor) -> Iterator[Executor]:
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


class _Nursery:
    """The process that workers are forked from, which ends with the last pool that is open.

    It would hold 170 MB until the program ends. It waits for the workers of all pools, so that
    whoever ended it under another pool would wait for ever.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools = 0

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Have it as long as the block lasts; the next pool after the last one has another one."""
        _have_ends_told()
        with self._lock:
            self._pools += 1
        try:
            yield
        finally:
            with self._lock:
                self._pools -= 1
                if not self._pools:
                    self._end()

    def _end(self) -> None:
        """There is no public way; where a later Python has not this one either, it goes on."""
        from multiprocessing import forkserver

        nursery: Any = getattr(forkserver, "_forkserver", None)
        if hasattr(nursery, "_stop"):
            nursery._stop()


_nursery = _Nursery()


def _have_ends_told() -> None:
    """Where whoever started this process ignores SIGCHLD, nobody could be waited for (wait(2)).

    Only the main thread may change that.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent, and end when the parent is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
