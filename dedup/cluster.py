"""A Dask cluster behind the same Executor as the processes of this machine.

Its workers need this program, the extra `scale`, and the image store under the same address: a
store by URL, or a folder that all machines share.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from .pairs import ClusterError

log = logging.getLogger(__name__)

CONNECT_SECS = 10
LOOK_EVERY_SECS = 0.5
ANSWER_SECS = 5

KILLED = "KilledWorker"
NO_WORKERS = {"NoWorkerError", "NoValidWorkerError"}
"""Dask's names for tasks that ended their workers, and for those that found none in the time that
the scheduler's own `no-workers-timeout` leaves them."""

T = TypeVar("T")


@contextmanager
def open_cluster(address: str, wait_secs: float, notice_secs: float = 5.0) -> Iterator[Executor]:
    """The workers of the cluster whose scheduler listens at the address.

    Raises ClusterError where none answers there or Dask is not installed. Work that waits for
    workers longer than `wait_secs`, or whose scheduler goes away, ends in a ClusterError; that it
    waits is logged after `notice_secs`.
    """
    with _connect(address) as client:
        cluster = _Cluster(client, address, wait_secs)
        watcher = threading.Thread(target=cluster.watch, args=(notice_secs,), daemon=True)
        watcher.start()
        try:
            yield cluster
        finally:
            cluster.is_left.set()
            watcher.join()


def count_threads(address: str) -> int:
    """How many tasks the cluster's workers do at once; raises ClusterError as `open_cluster`."""
    with _connect(address) as client:
        return sum(client.nthreads().values())


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(
            "Dask is not installed here; run `pip install 'vocparty[scale]'`."
        ) from error
    try:
        connect: Any = Client
        return connect(address, timeout=CONNECT_SECS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address}: {error}; start one, or correct --dask."
        ) from error


class _Cluster(Executor):
    """Dask's executor, but a task waits for workers only so long.

    A task that ended its workers raises BrokenExecutor as pools do.
    """

    def __init__(self, client: Any, address: str, wait_secs: float) -> None:
        self._client = client
        self._executor: Executor = client.get_executor(pure=False)
        self._address, self._wait_secs = address, wait_secs
        self._pending: set[Future[Any]] = set()
        self.is_left = threading.Event()

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As Executor says."""
        try:
            there: Future[T] = self._executor.submit(work, *args, **kwargs)
        except Exception as error:
            if self._is_cut_off():
                raise self._explain(_AWAY) from error
            raise
        here: Future[T] = Future()
        self._pending.add(here)
        there.add_done_callback(lambda done: self._hand_over(done, here))
        here.add_done_callback(lambda done: done.cancelled() and there.cancel())
        return here

    def _hand_over(self, there: Future[T], here: Future[T]) -> None:
        error = None if there.cancelled() else there.exception()
        name = type(error).__name__
        if there.cancelled():
            self._end(here, self._explain(_AWAY))
        elif name == KILLED:
            self._end(here, BrokenExecutor(str(error)))
        elif name in NO_WORKERS:
            self._end(here, self._explain(_REFUSED))
        elif error is not None:
            self._end(here, error)
        else:
            self._pending.discard(here)
            if here.set_running_or_notify_cancel():
                here.set_result(there.result())

    def _end(self, here: Future[Any], error: BaseException) -> None:
        self._pending.discard(here)
        with suppress(Exception):  # it has ended already
            here.set_exception(error)

    def watch(self, notice_secs: float) -> None:
        """Log that work waits for workers, and end all of it when it waited too long."""
        since_secs, is_told = time.monotonic(), False
        while not self.is_left.wait(LOOK_EVERY_SECS):
            if self._is_cut_off():
                self._end_all(_AWAY)
            with suppress(Exception):  # a silent scheduler changes nothing
                if not self._pending or self._client.nthreads(callback_timeout=ANSWER_SECS):
                    since_secs, is_told = time.monotonic(), False
            waited_secs = time.monotonic() - since_secs
            if waited_secs >= self._wait_secs:
                self._end_all(_GIVEN_UP)
            elif waited_secs >= notice_secs and not is_told:
                log.warning(_GONE.format(address=self._address, secs=self._wait_secs))
                is_told = True

    def _is_cut_off(self) -> bool:
        """Whether Dask has given up reaching the scheduler."""
        return self._client.status in {"closing", "closed"}

    def _end_all(self, told: str) -> None:
        for here in list(self._pending):
            self._end(here, self._explain(told))

    def _explain(self, told: str) -> ClusterError:
        return ClusterError(told.format(address=self._address, secs=self._wait_secs))


_GONE = (
    "the Dask cluster at {address} has no workers; waiting for some, at most {secs:g} seconds: "
    "`dask worker {address}` starts one"
)
_AGAIN = (
    "start some with `dask worker {address}`, then run this again, which goes on where it stopped."
)
_GIVEN_UP = "The Dask cluster at {address} had no workers for {secs:g} seconds; " + _AGAIN
_REFUSED = "The Dask scheduler at {address} gave up waiting for workers; " + _AGAIN
_AWAY = (
    "The Dask scheduler at {address} went away; start it and its workers again, then run this "
    "again, which goes on where it stopped."
)
