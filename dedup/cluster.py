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
from contextlib import contextmanager
from typing import Any, TypeVar

from .absence import Absence, Change, Patience
from .errors import ClusterError

log = logging.getLogger(__name__)

CONNECT_SECS = 10
LOOK_EVERY_SECS = 0.5
ANSWER_SECS = 5

KILLED = "KilledWorker"
UNTAKEN = {"NoWorkerError", "NoValidWorkerError"}
"""What Dask calls tasks that ended their workers, and those that found none in the time that the
scheduler's own `no-workers-timeout` leaves them, which by default has no end."""

T = TypeVar("T")


@contextmanager
def open_cluster(address: str, patience: Patience) -> Iterator[Executor]:
    """The workers of the cluster whose scheduler listens at the address.

    Raises ClusterError where nobody answers there or Dask is not installed. Work that waits for
    workers longer than the patience lasts, or whose scheduler goes away, ends in a ClusterError.
    """
    with _connect(address) as client:
        cluster = _Cluster(client, address, patience)
        try:
            yield cluster
        finally:
            cluster.leave()


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
    """Dask's executor, but a task waits for workers only as long as the patience lasts.

    One that ended its workers raises BrokenExecutor as pools do.
    """

    def __init__(self, client: Any, address: str, patience: Patience) -> None:
        self._client = client
        self._executor: Executor = client.get_executor(pure=False)
        self._address = address
        self._patience = patience
        self._pending: set[Future[Any]] = set()
        self._lock = threading.Lock()
        self._is_left = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="cluster", daemon=True)
        self._watcher.start()

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As Executor says."""
        try:
            there: Future[T] = self._executor.submit(work, *args, **kwargs)
        except Exception as error:
            if self._is_cut_off():
                raise self._explain(_AWAY) from error
            raise
        here: Future[T] = Future()
        with self._lock:
            self._pending.add(here)
        there.add_done_callback(lambda done: self._tell(done, here))
        here.add_done_callback(lambda done: done.cancelled() and there.cancel())
        return here

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As Executor says."""
        self._executor.shutdown(wait=wait and not cancel_futures)

    def leave(self) -> None:
        """Look after nothing any more."""
        self._is_left.set()
        self._watcher.join()

    def _tell(self, there: Future[T], here: Future[T]) -> None:
        """Hand on what came of the task, unless nobody wants it any more."""
        if not self._claim(here):
            return
        if there.cancelled():
            here.set_exception(self._explain(_AWAY))
        elif (error := there.exception()) is None:
            here.set_result(there.result())
        elif type(error).__name__ == KILLED:
            here.set_exception(BrokenExecutor(str(error)))
        elif type(error).__name__ in UNTAKEN:
            here.set_exception(self._explain(_UNTAKEN))
        else:
            here.set_exception(error)

    def _claim(self, here: Future[Any]) -> bool:
        """Whether the caller, and nobody else, is to tell what came of this."""
        with self._lock:
            if here not in self._pending:
                return False
            self._pending.remove(here)
        return here.set_running_or_notify_cancel()

    def _watch(self) -> None:
        absence = Absence(self._patience)
        while not self._is_left.wait(LOOK_EVERY_SECS):
            is_lacking = self._lacks_workers()
            change = None
            if is_lacking is not None:
                change = absence.see(is_lacking=is_lacking, now_secs=time.monotonic())
            if self._is_cut_off():
                self._end_all(_AWAY)
            elif change is Change.GIVEN_UP:
                self._end_all(_GIVEN_UP)
            elif change is not None:
                log.warning(self._fill(_GONE if change is Change.GONE else _BACK))

    def _is_cut_off(self) -> bool:
        """Whether Dask has given up reaching the scheduler."""
        return self._client.status in {"closing", "closed"}

    def _lacks_workers(self) -> bool | None:
        """Whether there is work and nobody to do it; None where the scheduler is silent."""
        with self._lock:
            if not self._pending:
                return False
        try:
            return not self._client.nthreads(callback_timeout=ANSWER_SECS)
        except Exception:  # a lost connection has many names; the tasks are told of it by Dask
            return None

    def _end_all(self, told: str) -> None:
        """Let everybody who waits hear this."""
        with self._lock:
            pending = list(self._pending)
        for here in pending:
            if self._claim(here):
                here.set_exception(self._explain(told))

    def _explain(self, told: str) -> ClusterError:
        return ClusterError(self._fill(told))

    def _fill(self, told: str) -> str:
        return told.format(address=self._address, secs=self._patience.give_up_secs)


_GONE = (
    "the Dask cluster at {address} has no workers; waiting for some, at most {secs:g} seconds: "
    "`dask worker {address}` starts one"
)
_BACK = "the Dask cluster at {address} has workers again"
_GIVEN_UP = (
    "The Dask cluster at {address} had no workers for {secs:g} seconds; start some with "
    "`dask worker {address}`, then run this again, which goes on where it stopped."
)
_UNTAKEN = (
    "The Dask scheduler at {address} gave up waiting for workers; start some with "
    "`dask worker {address}`, then run this again, which goes on where it stopped."
)
_AWAY = (
    "The Dask scheduler at {address} went away; start it and its workers again, then run this "
    "again, which goes on where it stopped."
)
