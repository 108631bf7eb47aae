"""Hashing stored files in parallel, and the rows it makes; a broken file costs only itself.

Only what a decoder says of a file's content makes its image broken.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from catalog.doubts import MOST_IN_A_ROW, Doubt, are_few, is_said_again, renew_doubt
from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore
from catalog.sentences import quote_error
from catalog.session import in_parts
from catalog.states import ImageState
from catalog.tables import Image
from catalog.tables import Signature as SignatureRow
from catalog.transitions import move_image, move_images

from .errors import BrokenImageError
from .executors import telling_of_shortage, use_one_thread
from .signature.picture import check_decoder
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
    process that decoded it was ended. The image keeps its state until that is over. `fault` names
    the kind of what a decoder says.
    """

    image_id: int
    hashed: HashedImage | None
    reason: str | None = None
    is_waiting: bool = False
    fault: str = ""

    @property
    def is_broken(self) -> bool:
        """Whether a decoder says that the file is no whole image."""
        return self.reason is not None and not self.is_waiting


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
        return HashOutcome(task.image_id, None, quote_error(error), fault=type(error).__name__)


def call_waiting(task: HashTask) -> HashOutcome:
    """The outcome of a file that ended two processes, which says nothing of its content."""
    reason = "decoding the file ended the process"
    return HashOutcome(task.image_id, None, reason, is_waiting=True)


def save_hashed(
    session: Session, outcomes: Sequence[HashOutcome], *, at: datetime
) -> list[ImageState]:
    """The states that images entered by their hashes; an image that is past hashed keeps its own.

    Images that wait are told of; what decoders say of others is for `save_broken`.
    """
    hashed = [
        (outcome.image_id, outcome.hashed) for outcome in outcomes if outcome.hashed is not None
    ]
    if hashed:
        good = {"doubt": None, "doubted_at": None}
        session.execute(
            update(Image), [{"id": image_id, **hashes.image, **good} for image_id, hashes in hashed]
        )
        image_ids = [image_id for image_id, _ in hashed]
        session.execute(delete(SignatureRow).where(SignatureRow.image_id.in_(image_ids)))
        session.execute(
            insert(SignatureRow),
            [{"image_id": image_id, **hashes.signature} for image_id, hashes in hashed],
        )
    for outcome in (outcome for outcome in outcomes if outcome.is_waiting):
        _tell(outcome)
    image_ids = [image_id for image_id, _ in hashed]
    return [ImageState.HASHED] * move_images(session, image_ids, *_UNSETTLED, at=at)


def save_broken(
    session: Session,
    outcomes: Sequence[HashOutcome],
    decoded: int,
    *,
    at: datetime,
    began: datetime,
) -> tuple[int, int]:
    """How many images are broken now, and of how many that is doubted, among those of one run.

    `decoded` files of the run were whole images. What a decoder says of many files, or where none
    was whole, is believed when a run that begins an hour later says it again (catalog/doubts.py):
    all of them were whole when they were stored.
    """
    count = Counter(outcome.fault for outcome in outcomes)
    total = decoded + len(outcomes)
    believed = {
        fault
        for fault, number in count.items()
        if decoded and (number < MOST_IN_A_ROW or are_few(number, total))
    }
    if believed != count.keys():
        check_decoder()
    doubts = _load_doubts(session, [outcome.image_id for outcome in outcomes])
    broken = doubted = 0
    for outcome in outcomes:
        _tell(outcome)
        doubt = doubts[outcome.image_id]
        is_new = doubt.said is None
        if (outcome.fault in believed and is_new) or is_said_again(outcome.fault, doubt, began):
            broken += _break(session, outcome, at)
        else:
            renewed = renew_doubt(outcome.fault, doubt, at)
            mark = {"doubt": renewed.said, "doubted_at": renewed.since}
            session.execute(update(Image).where(Image.id == outcome.image_id).values(mark))
            doubted += 1
    return broken, doubted


_UNSETTLED = ImageState.FETCHED, ImageState.HASHED


def _load_doubts(session: Session, image_ids: Sequence[int]) -> dict[int, Doubt]:
    columns = Image.id, Image.doubt, Image.doubted_at
    rows = (
        session.execute(select(*columns).where(Image.id.in_(some)))
        for some in in_parts(image_ids, 500)
    )
    return {image_id: Doubt(said, since) for some in rows for image_id, said, since in some}


def _break(session: Session, outcome: HashOutcome, at: datetime) -> int:
    """1 where the image is broken now, 0 where it is past hashed: it keeps its old hashes.

    It then keeps its doubt, too, so that a later run does not begin to doubt it anew.
    """
    moves = (
        move_image(
            session, outcome.image_id, state, ImageState.BROKEN, at=at, reason=outcome.reason
        )
        for state in _UNSETTLED
    )
    is_broken = any(moves)
    if is_broken:
        settled = {"doubt": None, "doubted_at": None}
        session.execute(update(Image).where(Image.id == outcome.image_id).values(settled))
    return int(is_broken)


def _tell(outcome: HashOutcome) -> None:
    log.warning("image %d cannot be hashed: %s", outcome.image_id, outcome.reason)
