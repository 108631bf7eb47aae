"""Ctrl-C while threads work: only Python's main thread hears it, and only between two waits.

The system may give the signal to a thread that is just starting another one (Linux: a pending
signal of the process is taken by whoever looks first). A wait without end of the main thread then
goes on, and Ctrl-C is heard when it is over. So the main thread waits a moment, again and again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import TypeVar

from vockit.format.threads import Thread

LISTEN_EVERY_SECS = 0.2
Result = TypeVar("Result")


def serve_parent() -> None:
    """Leave Ctrl-C to the parent of this process of a pool, and end when the parent was killed.

    The pool's own pipes do not show that it was.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def hear_interrupt(interrupt: Callable[[], None]) -> Iterator[None]:
    """Call `interrupt` for Ctrl-C in the block; only Python's main thread can hear it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda _signal, _frame: interrupt())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def wait_listening(future: Future[Result]) -> Result:
    """What the future returns or raises; Ctrl-C is heard meanwhile, whichever thread got it."""
    while wait([future], LISTEN_EVERY_SECS).not_done:
        pass  # Python calls the handlers of signals here
    return future.result()
