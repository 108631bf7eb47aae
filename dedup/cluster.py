"""A Dask cluster behind the same Executor as the processes of this machine.

Its workers need this program, the extra `scale`, and the image store under the same address: a
store by URL, or a folder that all machines share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from typing import Any, TypeVar

from .errors import ClusterError

CONNECT_SECS = 5

T = TypeVar("T")


@contextmanager
def open_cluster(address: str) -> Iterator[Executor]:
    """The workers of the cluster whose scheduler listens at the address.

    Raises ClusterError where nobody answers there or Dask is not installed.
    """
    with _connect(address) as client:
        yield _Cluster(client.get_executor(pure=False))


def count_threads(address: str) -> int:
    """How many tasks the cluster's workers do at once; raises ClusterError as `open_cluster`."""
    with _connect(address) as client:
        threads = sum(client.nthreads().values())
    if not threads:
        raise ClusterError(f"The Dask scheduler at {address} has no workers; start some.")
    return int(threads)


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
    """Dask's executor, but a task that ended its workers raises BrokenExecutor as pools do."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As Executor says."""
        there: Future[T] = self._executor.submit(work, *args, **kwargs)
        here: Future[T] = Future()
        there.add_done_callback(lambda done: _tell(done, here))
        here.add_done_callback(lambda done: done.cancelled() and there.cancel())
        return here

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As Executor says."""
        self._executor.shutdown(wait=wait and not cancel_futures)


def _tell(there: Future[T], here: Future[T]) -> None:
    """Hand on what came of the task, unless nobody wants it any more."""
    if there.cancelled():
        here.cancel()
    if not here.set_running_or_notify_cancel():
        return
    error = there.exception()
    if error is None:
        here.set_result(there.result())
    elif type(error).__name__ == "KilledWorker":
        here.set_exception(BrokenExecutor(str(error)))
    else:
        here.set_exception(error)
