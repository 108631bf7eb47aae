"""Hashing stored files in parallel, and the rows it makes; a broken file costs only itself.

Only what a decoder says of a file's content makes its image broken.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, update
from sqlalchemy.orm import Session

from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore
from catalog.sentences import quote_error
from catalog.states import ImageState
from catalog.tables import Image
from catalog.tables import Signature as SignatureRow
from catalog.transitions import move_image, move_images

from .errors import BrokenImageError
from .executors import telling_of_shortage, use_one_thread
from .signature.signature import HashedImage, hash_image

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HashTask:
    """One stored file to hash."""

    image_id: int
    sha256: str


@dataclass(frozen=True)
class HashOutcome:
    """What came of one file: what it hashes to, or the reason why it has none.

    `is_waiting` says that the reason is none of the file's content: the store lost it, or the
    process that decoded it was ended. The image keeps its state until that is over.
    """

    image_id: int
    hashed: HashedImage | None
    reason: str | None = None
    is_waiting: bool = False


def hash_batch(store: ImageStore, batch: Sequence[HashTask]) -> list[HashOutcome]:
    """What came of each file, in order. Needs nothing but its arguments: it runs in any process.

    Raises ImageStoreError when the store cannot be reached, and ShortageError when memory is
    short, which are no file's fault.
    """
    use_one_thread()
    with telling_of_shortage():
        return [_hash(store, task) for task in batch]


def _hash(store: ImageStore, task: HashTask) -> HashOutcome:
    try:
        return HashOutcome(task.image_id, hash_image(store.get(task.sha256)))
    except (ImageMissingError, ImageDamagedError) as error:
        return HashOutcome(task.image_id, None, str(error), is_waiting=True)
    except BrokenImageError as error:
        return HashOutcome(task.image_id, None, quote_error(error))


def call_waiting(task: HashTask) -> HashOutcome:
    """The outcome of a file that ended two processes, which says nothing of its content."""
    reason = "decoding the file ended the process"
    return HashOutcome(task.image_id, None, reason, is_waiting=True)


def save_outcomes(
    session: Session, outcomes: Sequence[HashOutcome], *, at: datetime
) -> list[ImageState]:
    """The states that images entered by this.

    An image that is past hashed keeps its state, and its old hashes where new ones failed. So does
    one that waits.
    """
    hashed = [
        (outcome.image_id, outcome.hashed) for outcome in outcomes if outcome.hashed is not None
    ]
    if hashed:
        session.execute(
            update(Image), [{"id": image_id, **hashes.image} for image_id, hashes in hashed]
        )
        image_ids = [image_id for image_id, _ in hashed]
        session.execute(delete(SignatureRow).where(SignatureRow.image_id.in_(image_ids)))
        session.execute(
            insert(SignatureRow),
            [{"image_id": image_id, **hashes.signature} for image_id, hashes in hashed],
        )
    states = ImageState.FETCHED, ImageState.HASHED
    entered = [ImageState.HASHED] * move_images(
        session, [image_id for image_id, _ in hashed], *states, at=at
    )
    for outcome in (outcome for outcome in outcomes if outcome.reason is not None):
        log.warning("image %d cannot be hashed: %s", outcome.image_id, outcome.reason)
        steps = [] if outcome.is_waiting else [(state, ImageState.BROKEN) for state in states]
        for leaves, enters in steps:
            if move_image(session, outcome.image_id, leaves, enters, at=at, reason=outcome.reason):
                entered.append(enters)
    return entered
