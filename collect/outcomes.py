"""What became of a claimed photo, recorded in one transaction: an image, a loss, or rest."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import Enum, auto

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo
from catalog.transitions import count_changed

from .claims import Claim, is_held
from .errors import PhotoError
from .inserts import insert_new_ids
from .picture import Picture

_NOT_COUNTED = (ImageState.BROKEN, ImageState.TAKEN_DOWN)


class Outcome(Enum):
    """What a download came to; LATE where the claim had run out and another one took it."""

    FETCHED = auto()
    SAME_BYTES = auto()
    LOST = auto()
    RESTS = auto()
    LATE = auto()


class LateError(Exception):
    """The claim was no longer held when its outcome was to be recorded."""


def record_fetched(
    session: Session, claim: Claim, picture: Picture, sha256: str, *, now: datetime
) -> Outcome:
    """FETCHED with a new image, or SAME_BYTES with the image that had the bytes already.

    The file must be stored before. Raises LateError, for the transaction to be undone.
    """
    is_new, image_id = _insert_image(session, picture, sha256, now)
    statement = (
        update(Photo)
        .where(is_held(claim))
        .values(
            state=PhotoState.FETCHED,
            reason=None,
            image_id=image_id,
            fetched_at=now,
            claimed_by=None,
            claimed_until_at=None,
        )
    )
    if count_changed(session, statement) != 1:
        raise LateError
    return Outcome.FETCHED if is_new else Outcome.SAME_BYTES


def record_lost(session: Session, claim: Claim, fault: PhotoError) -> Outcome:
    """LOST, with the fault as the photo's reason; LATE where another one has the photo now."""
    statement = (
        update(Photo)
        .where(is_held(claim))
        .values(
            state=fault.photo_state,
            reason=str(fault),
            claimed_by=None,
            claimed_until_at=None,
        )
    )
    return Outcome.LOST if count_changed(session, statement) == 1 else Outcome.LATE


def load_fetched_count(session: Session) -> int:
    """How many images there are that came from photos and were neither broken nor taken down.

    Photos with the same bytes share one image and count once; near-duplicates count, because they
    were fetched.
    """
    statement = (
        select(func.count(func.distinct(Photo.image_id)))
        .join(Image, Image.id == Photo.image_id)
        .where(Photo.state == PhotoState.FETCHED, Image.state.not_in(_NOT_COUNTED))
    )
    return session.scalar(statement) or 0


def _insert_image(
    session: Session, picture: Picture, sha256: str, now: datetime
) -> tuple[bool, int]:
    """Whether the image is new, and its id; also found by the file that it was made from."""
    if picture.original_sha256 is not None:
        known = _find_image(session, sha256, picture.original_sha256)
        if known is not None:
            return False, known
    row = {
        "sha256": sha256,
        "original_sha256": picture.original_sha256,
        "width": picture.width,
        "height": picture.height,
        "bytes": len(picture.data),
        "stored_at": now,
        "state": ImageState.FETCHED,
        "state_at": now,
    }
    made = insert_new_ids(session, Image, [row], ("sha256",))
    found = made[0] if made else _find_image(session, sha256, None)
    assert found is not None
    return bool(made), found


def _find_image(session: Session, sha256: str, original_sha256: str | None) -> int | None:
    digests: Iterable[tuple[object, str | None]] = (
        (Image.sha256, sha256),
        (Image.original_sha256, original_sha256),
    )
    for column, digest in digests:
        if digest is not None:
            found = session.scalar(
                select(Image.id).where(column == digest).order_by(Image.id).limit(1)  # type: ignore[arg-type]
            )
            if found is not None:
                return found
    return None
