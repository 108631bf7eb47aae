"""Who does the work: this process's threads, processes of this machine, or a Dask cluster."""

from __future__ import annotations

from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial

from catalog.image_store import ImageStore

from .absence import Patience
from .executors import PROCESSES_FROM_IMAGES, default_workers, open_processes, open_threads
from .hashing import OpenExecutor


@dataclass(frozen=True)
class Workforce:
    """So many workers here, or the cluster at an address (then `workers` counts its threads).

    `patience` is how long a cluster may be without workers.
    """

    workers: int = field(default_factory=default_workers)
    dask_address: str | None = None
    patience: Patience = field(default_factory=Patience)

    def choose_hashers(self, store: ImageStore, images: int) -> OpenExecutor:
        """What opens the workers for hashing so many images of the store.

        Threads for few images, and where the store is not a folder: reading it is waiting, not
        computing.
        """
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
        return open_cluster(self.dask_address, self.patience)


def gather_workforce(workers: int | None, dask_address: str | None, wait_secs: float) -> Workforce:
    """The workforce that a command line asks for; raises ClusterError where none answers.

    A cluster may have no workers yet, as one that grows with its work; it is then given as much
    work at a time as this machine, and may be without them for so many seconds.
    """
    if dask_address is None:
        return Workforce(workers or default_workers())
    from .cluster import count_threads

    workers = workers or count_threads(dask_address) or default_workers()
    return Workforce(workers, dask_address, Patience(give_up_secs=wait_secs))
