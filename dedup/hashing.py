"""Hashing stored files in parallel, and the rows it makes; a broken file costs only itself."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np
from sqlalchemy import ColumnElement, and_, delete, func, insert, or_, select, update
from sqlalchemy.orm import Session

from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore
from catalog.session import Catalogue
from catalog.states import ImageState
from catalog.tables import Image
from catalog.tables import Signature as SignatureRow
from catalog.transitions import move_image

from .decisions import COUNTED, SOME
from .executors import OpenExecutor, run_ahead, use_one_thread
from .pairs import BrokenImageError
from .signature.signature import RECIPE, HashedImage, hash_image
from .signature_rows import Ids

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HashTask:
    """One stored file to hash."""

    image_id: int
    sha256: str


@dataclass(frozen=True)
class HashOutcome:
    """What came of one file: what it hashes to, or the reason why it has none.

    `is_lost` says that the store holds no such file or a damaged one, so that the image waits for
    the file to come back.
    """

    image_id: int
    hashed: HashedImage | None
    reason: str | None = None
    is_lost: bool = False


Batch = Sequence[HashTask]
Work = Callable[[ImageStore, Batch], list[HashOutcome]]


def hash_batch(store: ImageStore, batch: Batch) -> list[HashOutcome]:
    """What came of each file, in order. Needs nothing but its arguments: it runs in any process.

    Raises ImageStoreError when the store cannot be reached, which is no file's fault.
    """
    use_one_thread()
    return [_hash_one(store, task) for task in batch]


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
    each (`open_single`), and only the one that kills that too is called broken.
    """
    remaining = iter(batches)
    while True:
        under_way: deque[Batch] = deque()
        hash_some = partial(work, store)
        try:
            with open_executor() as executor:
                noted = _note(remaining, under_way)
                for _, outcomes in run_ahead(executor, hash_some, noted, ahead=ahead):
                    under_way.popleft()
                    yield outcomes
            return
        except BrokenExecutor:
            lost = [task for batch in under_way for task in batch]
        log.warning("a hashing process died; trying %d files one by one", len(lost))
        for task in lost:
            yield _hash_alone(open_single, store, task, work)


def _note(batches: Iterator[Batch], under_way: deque[Batch]) -> Iterator[Batch]:
    for batch in batches:
        under_way.append(batch)
        yield batch


def _hash_one(store: ImageStore, task: HashTask) -> HashOutcome:
    try:
        data = store.get(task.sha256)
    except (ImageMissingError, ImageDamagedError) as error:
        return HashOutcome(task.image_id, None, str(error), is_lost=True)
    try:
        return HashOutcome(task.image_id, hash_image(data))
    except BrokenImageError as error:
        return HashOutcome(task.image_id, None, str(error))


def _hash_alone(
    open_single: OpenExecutor, store: ImageStore, task: HashTask, work: Work
) -> list[HashOutcome]:
    try:
        with open_single() as executor:
            return executor.submit(work, store, [task]).result()
    except BrokenExecutor:
        return [HashOutcome(task.image_id, None, "decoding the file ended the process")]


def has_images(session: Session) -> bool:
    """Whether any image was ever stored."""
    return session.scalar(select(Image.id).limit(1)) is not None


def count_due(session: Session) -> int:
    """How many images have no hashes of this program's recipe, and need them."""
    return session.scalar(select(func.count()).select_from(Image).where(_is_due())) or 0


def iterate_due(catalogue: Catalogue, batch_images: int) -> Iterator[list[HashTask]]:
    """Every image that is due once, in batches; no session stays open in between."""
    last_id = 0
    while page := _load_due(catalogue, last_id):
        yield from (page[at : at + batch_images] for at in range(0, len(page), batch_images))
        last_id = page[-1].image_id


def load_new_ids(session: Session) -> Ids:
    """The images that were hashed by this program's recipe and are to be matched, ascending."""
    are_new = Image.state == ImageState.HASHED, Image.hash_recipe == RECIPE
    statement = select(Image.id).where(*are_new).order_by(Image.id)
    return np.fromiter(session.scalars(statement.execution_options(yield_per=SOME)), np.int64)


def save_outcomes(
    session: Session, outcomes: Sequence[HashOutcome], *, at: datetime
) -> list[ImageState]:
    """The states that images entered by this.

    An image that is past hashed keeps its state, and its old hashes where new ones failed. So does
    one whose file is lost.
    """
    hashed = [(it.image_id, it.hashed) for it in outcomes if it.hashed is not None]
    if hashed:
        session.execute(update(Image), [{"id": one, **it.image} for one, it in hashed])
        image_ids = [image_id for image_id, _ in hashed]
        session.execute(delete(SignatureRow).where(SignatureRow.image_id.in_(image_ids)))
        session.execute(
            insert(SignatureRow), [{"image_id": one, **it.signature} for one, it in hashed]
        )
    entered = [_enter(session, outcome, at) for outcome in outcomes]
    return [state for state in entered if state is not None]


def _is_due() -> ColumnElement[bool]:
    is_outdated = Image.hash_recipe.is_distinct_from(RECIPE)
    return or_(Image.state == ImageState.FETCHED, and_(Image.state.in_(COUNTED), is_outdated))


def _load_due(catalogue: Catalogue, after_id: int) -> list[HashTask]:
    statement = select(Image.id, Image.sha256).where(_is_due(), Image.id > after_id)
    with catalogue.reading() as session:
        rows = session.execute(statement.order_by(Image.id).limit(SOME))
        return [HashTask(image_id, sha256) for image_id, sha256 in rows]


def _enter(session: Session, outcome: HashOutcome, at: datetime) -> ImageState | None:
    reason, steps = outcome.reason, [(ImageState.FETCHED, ImageState.HASHED)]
    if outcome.is_lost:
        steps = []
    elif outcome.hashed is None:
        steps = [(leaves, ImageState.BROKEN) for leaves in (ImageState.FETCHED, ImageState.HASHED)]
    if reason is not None:
        log.warning("image %d cannot be hashed: %s", outcome.image_id, reason)
        reason = reason.replace("\0", "")
    for leaves, enters in steps:
        if move_image(session, outcome.image_id, leaves, enters, at=at, reason=reason):
            return enters
    return None
