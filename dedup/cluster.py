"""A Dask cluster behind the same Executor as the processes of this machine.

Its workers need this program, the extra `scale`, and the image store under the same address: a
store by URL, or a folder that all machines share.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from .errors import ClusterError

log = logging.getLogger(__name__)

T = TypeVar("T")


@contextmanager
def open_cluster(address: str, wait_secs: float, notice_secs: float = 5.0) -> Iterator[Executor]:
    """The workers of the cluster whose scheduler listens at the address.

    Raises ClusterError where none answers there or Dask is not installed. A task raises it where
    no worker was there for `wait_secs`, or the scheduler went away; that it waits is logged after
    `notice_secs`.
    """
    with _connect(address) as client:
        yield _Cluster(client, address, wait_secs, notice_secs)


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
        return connect(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address}: {error}; start one, or correct --dask."
        ) from error


class _Cluster(Executor):
    """Dask's executor, but a result is waited for only so long, and its errors are ours."""

    def __init__(self, client: Any, address: str, wait_secs: float, notice_secs: float) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._address = address
        self._wait_secs = wait_secs
        self._notice_secs = notice_secs

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As Executor says."""
        try:
            return _Task(self, self._executor.submit(work, *args, **kwargs))
        except Exception as error:
            if self._is_cut_off():
                raise self._explain(_AWAY) from error
            raise

    def wait(self, task: Future[T], timeout: float | None) -> T:
        """The result; raises TimeoutError if it takes longer, BrokenExecutor as pools do."""
        self._await_end(task, timeout)
        return self._take_result(task)

    def _await_end(self, task: Future[T], timeout: float | None) -> None:
        """Return when the task has ended; raises as `wait` where that takes too long."""
        began_secs = seen_secs = time.monotonic()
        is_told = False
        while not wait([task], timeout=min(0.5, timeout or 0.5)).done:
            if self._is_cut_off():
                raise self._explain(_AWAY)
            if self._has_workers():
                seen_secs = time.monotonic()
            waited_secs = time.monotonic() - seen_secs
            if waited_secs >= self._wait_secs:
                raise self._explain(_GIVEN_UP)
            if waited_secs >= self._notice_secs and not is_told:
                log.warning(_GONE.format(address=self._address, secs=self._wait_secs))
                is_told = True
            if timeout is not None and time.monotonic() - began_secs >= timeout:
                raise TimeoutError

    def _has_workers(self) -> bool:
        """Whether the scheduler says that it has workers; it says nothing where it is silent."""
        with suppress(Exception):
            return bool(self._client.nthreads(callback_timeout=self._notice_secs))
        return False

    def _take_result(self, task: Future[T]) -> T:
        """The result of a task that ended; raises BrokenExecutor and ClusterError for Dask's."""
        try:
            return task.result()
        except CancelledError as error:
            raise self._explain(_AWAY) from error
        except Exception as error:
            match type(error).__name__:
                case "KilledWorker":  # the task ended its workers
                    raise BrokenExecutor(str(error)) from error
                case "NoWorkerError" | "NoValidWorkerError":  # by Dask's no-workers-timeout
                    raise self._explain(_REFUSED) from error
            raise

    def _is_cut_off(self) -> bool:
        """Whether Dask has given up reaching the scheduler."""
        return self._client.status in {"closing", "closed"}

    def _explain(self, template: str) -> ClusterError:
        return ClusterError(template.format(address=self._address, secs=self._wait_secs))


class _Task(Future[T]):
    """Work under way in a cluster, of which only the result may be asked."""

    def __init__(self, cluster: _Cluster, task: Future[T]) -> None:
        super().__init__()
        self._cluster = cluster
        self._task = task

    def result(self, timeout: float | None = None) -> T:
        """As Future says."""
        return self._cluster.wait(self._task, timeout)


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
