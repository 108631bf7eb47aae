"""How threads and processes start: where there is memory for them, and deaf to Ctrl-C.

Python waits for ever for a thread that gets no memory for its first step, and so ends before it
has said that it runs (CPython's issue 140746). A machine that is short of memory has to end in a
sentence instead, so that all threads of the product are started here; ruff refuses others.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from multiprocessing import resource_tracker
from typing import ParamSpec, TypeVar

from .shortage import ShortageError, describe_shortage, has_room

P = ParamSpec("P")
Result = TypeVar("Result")

_ROOM_BYTES = 10 * 1024**2
"""Eight for its stack (Linux), and two for its first step, which takes some ten thousand bytes."""
_SAFE_PATH = "PYTHONSAFEPATH"
_starting = threading.RLock()
os.register_at_fork(
    before=_starting.acquire,
    after_in_parent=_starting.release,
    after_in_child=_starting.release,
)


class Thread(threading.Thread):
    """A thread whose `start` raises ShortageError where there is no memory for it."""

    def start(self) -> None:
        """As threading says."""
        _require_room()
        super().start()


class ThreadPool(ThreadPoolExecutor):
    """Threads for tasks; `submit` and `map` raise ShortageError where one could not start."""

    def submit(
        self, work: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Result]:
        """As Executor says."""
        _require_room()
        return super().submit(work, *args, **kwargs)


class ProcessPool(ProcessPoolExecutor):
    """Processes for tasks, for which threads of this one wait; raises as `ThreadPool`.

    Ctrl-C waits until a process has started: one that starts half prints a traceback.
    """

    def submit(
        self, work: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Result]:
        """As Executor says; raises BrokenProcessPool, too, where no process can be forked."""
        _require_room()
        may_start = len(self._processes or ()) < self._max_workers  # type: ignore[attr-defined]
        try:
            with starting_deaf() if may_start else nullcontext():
                return super().submit(work, *args, **kwargs)
        except (EOFError, ConnectionError) as error:
            raise BrokenProcessPool("the process that forks the others has ended") from error


@contextmanager
def starting_deaf() -> Iterator[None]:
    """Let processes that are started in the block not hear Ctrl-C, which is for their parent.

    The mask is inherited: none of them ends while it starts, before it can ignore the signal. No
    other thread forks meanwhile: the fork would have multiprocessing's locks as held for ever.
    Nor do they import modules of the current folder, where a file catalog.py of the user's own may
    lie.
    """
    with _starting, _leaving_current_folder_out():
        resource_tracker.ensure_running()  # it would take the mask away
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _leaving_current_folder_out() -> Iterator[None]:
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _require_room() -> None:
    if not has_room(_ROOM_BYTES):
        raise ShortageError(describe_shortage(MemoryError("can't start new thread")))
