"""The threads of one run: started together, watched, and ended together."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait

from catalog.allocator import Trimmer

from .outcomes import load_fetched_count
from .worker import Shared, Worker

log = logging.getLogger(__name__)

TURNS_OF_A_THREAD = 50
RECOUNT_EVERY_SECS = 1.0
RECOUNT_SHARE = 0.02
"""What other processes fetched is counted so often, but in no more than this share of the time."""
NEAR_IMAGES = 200
NEAR_SECS = 0.1
NEAR_SHARE = 0.2
"""With so few left it is counted more often: what others fetch unseen is more than was wanted."""


def run_workers(
    shared: Shared, count: int, stop: threading.Event, tell: Callable[[int], None]
) -> None:
    """Return when every thread has ended; raises what the first one raised.

    `tell` hears from time to time how many images all processes have fetched.
    """
    lines = [_Line(Worker(shared), f"collect_{number}") for number in range(count)]
    futures = [line.ended for line in lines]
    try:
        for line in lines:
            line.start()
        _watch(shared, futures, tell)
    except KeyboardInterrupt:
        log.warning("stopping as soon as the downloads in work are done")
        raise
    finally:
        stop.set()
        shared.quota.stop()
        for line in lines:
            line.join()
        shared.shelf.clear()
    stop.clear()
    for future in futures:
        future.result()


class _Line:
    """Threads that do one worker's work, one after the other; `ended` tells when it is done.

    The C library keeps for each thread what it has freed, ever more of it, until the thread ends.
    """

    def __init__(self, worker: Worker, name: str) -> None:
        self.ended: Future[None] = Future()
        self._worker, self._name = worker, name
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Let a new thread take over; where none can be started, the last one stays the last."""
        before = self._thread
        self._thread = threading.Thread(target=self._work, name=self._name)
        try:
            self._thread.start()
        except BaseException:
            self._thread = before
            raise

    def join(self) -> None:
        """Return when the last thread has ended, where one was started."""
        while (thread := self._thread) is not None:
            thread.join()
            if thread is self._thread:
                return

    def _work(self) -> None:
        try:
            if self._worker.run(TURNS_OF_A_THREAD):
                self.start()
            else:
                self.ended.set_result(None)
        except BaseException as error:
            self.ended.set_exception(error)


def _watch(shared: Shared, futures: Sequence[Future[None]], tell: Callable[[int], None]) -> None:
    """Wait for the threads, telling them from time to time what other processes fetched."""
    pause_secs, trimmer = _find_pause_secs(shared), Trimmer()
    while True:
        done, left = wait(futures, timeout=pause_secs, return_when=FIRST_EXCEPTION)
        if not left or any(future.exception() for future in done):
            return
        trimmer.trim_if_due()
        began_secs = time.monotonic()
        fetched = shared.recorder.read_between(lambda: _count_fetched(shared))
        shared.quota.correct(fetched)
        tell(fetched)
        pause_secs = _find_pause_secs(shared, time.monotonic() - began_secs)


def _find_pause_secs(shared: Shared, took_secs: float = 0.0) -> float:
    """Until the next count, where the last one took so long."""
    if shared.quota.left <= NEAR_IMAGES:
        return max(NEAR_SECS, took_secs / NEAR_SHARE)
    return max(RECOUNT_EVERY_SECS, took_secs / RECOUNT_SHARE)


def _count_fetched(shared: Shared) -> int:
    with shared.party.catalogue.reading() as session:
        return load_fetched_count(session)
