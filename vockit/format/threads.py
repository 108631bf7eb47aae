"""Threads and pools that start a thread only where there is memory for it.

Python waits for ever for a thread that gets no memory for its first step, and so ends before it
has said that it runs (CPython's issue 140746). A machine that is short of memory has to end in a
sentence instead, so that all threads of the product are started here; ruff refuses others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from .shortage import ShortageError, describe_shortage, has_room

P = ParamSpec("P")
Result = TypeVar("Result")

_ROOM_BYTES = 10 * 1024**2
"""Eight for its stack (Linux), and two for its first step, which takes some ten thousand bytes."""


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
    """Processes for tasks, for which threads of this one wait; raises as `ThreadPool`."""

    def submit(
        self, work: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Result]:
        """As Executor says."""
        _require_room()
        return super().submit(work, *args, **kwargs)


def _require_room() -> None:
    if not has_room(_ROOM_BYTES):
        raise ShortageError(describe_shortage(MemoryError("can't start new thread")))
