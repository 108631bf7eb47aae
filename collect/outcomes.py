"""What became of a claimed photo, as rows: an image, a loss, or another attempt."""

from __future__ import annotations

import logging
from datetime import datetime
from enum import Enum, auto

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.image_store import ImageStore
from catalog.session import keep_files
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo

from .claims import Claim, free, give_back, is_held
from .errors import PhotoError
from .picture import StoredPicture
from .rows import insert_new

log = logging.getLogger(__name__)


class Outcome(Enum):
    """What became of a claim; LATE where it had run out and another one took the photo."""

    FETCHED = auto()
    SAME_BYTES = auto()
    LOST = auto()
    RESTS = auto()
    LATE = auto()


def record_kept(
    session: Session, claim: Claim, picture: StoredPicture, store: ImageStore, at: datetime
) -> Outcome:
    """FETCHED, SAME_BYTES where the image is known, LATE, or RESTS.

    RESTS where the file was deleted as another photo's since it was stored: it is fetched again.
    """
    held = select(Photo.id).where(is_held(claim)).with_for_update()
    if session.scalar(held) is None:
        return Outcome.LATE
    if store.folder is not None:
        keep_files(session)  # none is deleted until this transaction ends
        if not store.has(picture.sha256):
            log.info("photo %s: its file was deleted; fetched again", claim.photo_id)
            give_back(session, claim)
            return Outcome.RESTS
    image_id, is_new = _find_or_make_image(session, picture, at)
    free(
        session, claim, state=PhotoState.FETCHED, image_id=image_id, fetched_at=at, reason=None,
        claimed_until_at=None,
    )  # fmt: skip
    return Outcome.FETCHED if is_new else Outcome.SAME_BYTES


def record_missed(
    session: Session, claim: Claim, fault: PhotoError, again_at: datetime | None = None
) -> Outcome:
    """LOST, with the fault as the reason; RESTS until `again_at`; LATE where another has it now."""
    if again_at is not None:
        return Outcome.RESTS if free(session, claim, claimed_until_at=again_at) else Outcome.LATE
    lost = {"state": fault.photo_state, "reason": str(fault), "claimed_until_at": None}
    return Outcome.LOST if free(session, claim, **lost) else Outcome.LATE


def load_fetched_count(session: Session) -> int:
    """How many images there are that were neither broken nor taken down.

    Those with the same bytes count once. Near-duplicates count, because they were fetched.
    """
    # All less the few: two short indexes instead of every row.
    every = select(func.count()).select_from(Image)
    few = every.where(Image.state.in_((ImageState.BROKEN, ImageState.TAKEN_DOWN)))
    return (session.scalar(every) or 0) - (session.scalar(few) or 0)


def _find_or_make_image(session: Session, picture: StoredPicture, at: datetime) -> tuple[int, bool]:
    """The id of the image with these bytes, or made from the same file, and whether it is new."""
    is_new = False
    ids = select(Image.id).order_by(Image.id).limit(1)
    original = picture.original_sha256
    known = session.scalar(ids.where(Image.original_sha256 == original)) if original else None
    if known is None:
        row = {**vars(picture), "stored_at": at, "state": ImageState.FETCHED, "state_at": at}
        is_new = bool(insert_new(session, Image, [row], ("sha256",)))
    same = session.scalar(ids.where(Image.sha256 == picture.sha256))
    image_id = known if same is None else same
    assert image_id is not None, "it was found or made"
    return image_id, is_new
