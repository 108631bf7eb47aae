"""Hashing stored files in parallel; a file that is broken or gone costs only itself."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import AbstractContextManager
from dataclasses import dataclass

from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore, digest_of

from .errors import BrokenImageError
from .hashes import HashedImage, hash_images
from .signature.brightness import Brightness, read_brightness

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HashTask:
    """One stored file to hash."""

    image_id: int
    sha256: str


@dataclass(frozen=True)
class HashOutcome:
    """What came of one file: what it hashes to, or the reason why it has none.

    `is_missing` tells a file that the store does not hold from one that is not a whole image.
    """

    image_id: int
    hashed: HashedImage | None
    reason: str | None = None
    is_missing: bool = False


Batch = Sequence[HashTask]
Work = Callable[[ImageStore, Batch], list[HashOutcome]]
OpenExecutor = Callable[[], AbstractContextManager[Executor]]


def hash_batch(store: ImageStore, batch: Batch) -> list[HashOutcome]:
    """What came of each file, in order. Needs nothing but its arguments: it runs in any process.

    Raises ImageStoreError when the store cannot be reached, which is no file's fault.
    """
    read = [_read_one(store, task) for task in batch]
    hashed = iter(hash_images([one for one in read if isinstance(one, Brightness)]))
    return [
        HashOutcome(task.image_id, next(hashed)) if isinstance(one, Brightness) else one
        for task, one in zip(batch, read, strict=True)
    ]


def hash_batches(
    store: ImageStore,
    batches: Iterable[Batch],
    open_executor: OpenExecutor,
    open_single: OpenExecutor,
    *,
    ahead: int,
    work: Work = hash_batch,
) -> Iterator[list[HashOutcome]]:
    """What came of each batch, in order, with at most `ahead` batches under way at once.

    Where a worker process dies, the files it may have died of are each tried once more in a process
    of their own (`open_single`), and only the one that kills that too is called broken.
    """
    remaining = iter(batches)
    while True:
        with open_executor() as executor:
            lost = yield from _hash_until_broken(executor, store, remaining, ahead, work)
        if not lost:
            return
        log.warning("a hashing process died; trying %d files one by one", len(lost))
        with open_single():  # what processes are forked from stays as long as any pool is open
            for task in lost:
                yield _hash_alone(open_single, store, task, work)


def _read_one(store: ImageStore, task: HashTask) -> Brightness | HashOutcome:
    """The decoded file, or why there is none."""
    try:
        data = store.get(task.sha256)
    except ImageMissingError as error:
        return HashOutcome(task.image_id, None, str(error), is_missing=True)
    if digest_of(data) != task.sha256:
        return HashOutcome(task.image_id, None, "the stored file is not what was stored")
    try:
        return read_brightness(data)
    except BrokenImageError as error:
        return HashOutcome(task.image_id, None, str(error))


def _hash_until_broken(
    executor: Executor, store: ImageStore, batches: Iterator[Batch], ahead: int, work: Work
) -> Generator[list[HashOutcome], None, list[HashTask]]:
    """Yields what came of each batch; returns the files that were under way when a worker died."""
    under_way: deque[tuple[Batch, Future[list[HashOutcome]]]] = deque()
    try:
        for batch in batches:
            under_way.append((batch, _submit(executor, work, store, batch)))
            if len(under_way) >= ahead:
                yield under_way[0][1].result()
                under_way.popleft()
        while under_way:
            yield under_way[0][1].result()
            under_way.popleft()
    except BrokenExecutor:
        return [task for batch, _future in under_way for task in batch]
    return []


def _submit(
    executor: Executor, work: Work, store: ImageStore, batch: Batch
) -> Future[list[HashOutcome]]:
    """The batch's future; one that has failed already where the executor is broken."""
    try:
        return executor.submit(work, store, batch)
    except BrokenExecutor as error:
        failed: Future[list[HashOutcome]] = Future()
        failed.set_exception(error)
        return failed


def _hash_alone(
    open_single: OpenExecutor, store: ImageStore, task: HashTask, work: Work
) -> list[HashOutcome]:
    try:
        with open_single() as executor:
            return executor.submit(work, store, [task]).result()
    except BrokenExecutor:
        return [HashOutcome(task.image_id, None, "decoding the file ended the process")]
