"""What became of a claimed photo, recorded in one transaction: an image, a loss, or rest."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from functools import cache
from typing import Any

from sqlalchemy import Column, Select, bindparam, func, select, update
from sqlalchemy.orm import Session

from catalog.file_lock import keep_files
from catalog.image_store import ImageStore
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo, as_table
from catalog.transitions import count_changed

from .among import dialect_of, is_among, pack
from .claims import Claim, give_back, is_held
from .errors import PhotoError
from .inserts import insert_new_keyed
from .picture import Picture, StoredPicture

log = logging.getLogger(__name__)

_NOT_COUNTED = (ImageState.BROKEN, ImageState.TAKEN_DOWN)
_image, _photo = as_table(Image), as_table(Photo)
# Made once, because making a statement takes longer than running it.
_FETCH = (
    update(_photo)
    .where(_photo.c.id == bindparam("photo"))
    .values(
        state=PhotoState.FETCHED,
        reason=None,
        image_id=bindparam("image"),
        fetched_at=bindparam("at"),
        claimed_by=None,
        claimed_until_at=None,
    )
)


class Outcome(Enum):
    """What a download came to; LATE where the claim had run out and another one took it."""

    FETCHED = auto()
    SAME_BYTES = auto()
    LOST = auto()
    RESTS = auto()
    LATE = auto()


class LateError(Exception):
    """The claim was no longer held when its outcome was to be recorded."""


@dataclass(frozen=True)
class Kept:
    """A photo whose picture is stored and shall be recorded."""

    claim: Claim
    picture: StoredPicture
    at: datetime


def record_fetched(
    session: Session, claim: Claim, picture: Picture, sha256: str, *, now: datetime
) -> Outcome:
    """FETCHED with a new image, or SAME_BYTES with the image that had the bytes already.

    The file must be stored before. Raises LateError where another one has the photo now.
    """
    (outcome,) = record_kept(session, [Kept(claim, picture.as_stored(sha256), now)])
    if outcome is Outcome.LATE:
        raise LateError
    return outcome


def record_kept(
    session: Session, kept: Sequence[Kept], store: ImageStore | None = None
) -> list[Outcome]:
    """What recording each photo came to, in their order: FETCHED, SAME_BYTES, RESTS or LATE.

    RESTS where its file, in a store that is a folder, was deleted as another photo's since it was
    stored; the photo is free to be fetched again.

    Few statements for many photos. Photos are locked in the order of their ids and images made in
    the order of their digests, so that two transactions never wait for each other both ways.
    """
    held = _find_held(session, kept)
    gone = _give_back_gone(session, held, store) if store is not None and store.folder else ()
    held = [one for one in held if one not in gone] if gone else held
    made = _make_images(session, held)
    known = _load_known_images(session, held, made)
    outcomes, rows = {one.claim: Outcome.RESTS for one in gone}, []
    for one in held:
        picture = one.picture
        new_id = made.pop(picture.sha256, None)  # for the first of several with the same bytes
        if new_id is not None:
            known[picture.sha256] = new_id
        image_id = known.get(picture.sha256) or known[picture.original_sha256]
        outcomes[one.claim] = Outcome.SAME_BYTES if new_id is None else Outcome.FETCHED
        rows.append({"photo": one.claim.photo_id, "image": image_id, "at": one.at})
    if rows:
        session.connection().execute(_FETCH, rows)
    return [outcomes.get(one.claim, Outcome.LATE) for one in kept]


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
    """How many images there are that were neither broken nor taken down.

    Every image comes from photos; those with the same bytes share one, which counts once.
    Near-duplicates count, because they were fetched.
    """
    # All less the few: two short indexes instead of every row.
    every = select(func.count()).select_from(Image)
    few = every.where(Image.state.in_(_NOT_COUNTED))
    return (session.scalar(every) or 0) - (session.scalar(few) or 0)


def _find_held(session: Session, kept: Sequence[Kept]) -> list[Kept]:
    """Those whose claim still holds, now locked, in the order of their digests."""
    dialect = dialect_of(session)
    given = {"photos": pack(dialect, (one.claim.photo_id for one in kept))}
    claims = {tuple(row) for row in session.connection().execute(_select_held(dialect), given)}
    held = [one for one in kept if _name_claim(one.claim) in claims]
    return sorted(held, key=lambda one: (one.picture.sha256, one.claim.photo_id))


def _give_back_gone(session: Session, held: Sequence[Kept], store: ImageStore) -> Sequence[Kept]:
    """Those whose file is no longer there; none goes until this transaction ends."""
    keep_files(session)
    gone = [one for one in held if not store.has(one.picture.sha256)]
    for one in gone:
        log.info("photo %s: its file was deleted; fetched again", one.claim.photo_id)
        give_back(session, one.claim)
    return gone


@cache
def _select_held(dialect: str) -> Select[tuple[int, str | None, int]]:
    return (
        select(_photo.c.id, _photo.c.claimed_by, _photo.c.attempts)
        .where(is_among(dialect, _photo.c.id, "photos"), _photo.c.state == PhotoState.FOUND)
        .order_by(_photo.c.id)
        .with_for_update()
    )


def _name_claim(claim: Claim) -> tuple[int, str, int]:
    return claim.photo_id, claim.claimant, claim.attempt


def _make_images(session: Session, held: Sequence[Kept]) -> dict[str | None, int]:
    """The ids of the images that are new, by their digests."""
    before = _load_ids(session, _image.c.original_sha256, _originals(held))
    new = {one.picture.sha256: one for one in held if one.picture.original_sha256 not in before}
    rows = [
        {**vars(one.picture), "stored_at": one.at, "state": ImageState.FETCHED, "state_at": one.at}
        for one in new.values()
    ]
    return insert_new_keyed(session, _image, rows, _image.c.sha256)


def _load_known_images(
    session: Session, held: Sequence[Kept], made: Mapping[str | None, int]
) -> dict[str | None, int]:
    """The ids of images that were there before, by their digests and by those they came from."""
    digests = [one.picture.sha256 for one in held if one.picture.sha256 not in made]
    if not digests:
        return {}
    by_original = _load_ids(session, _image.c.original_sha256, _originals(held))
    return {**by_original, **_load_ids(session, _image.c.sha256, digests)}


def _originals(held: Sequence[Kept]) -> list[str]:
    return [one.picture.original_sha256 for one in held if one.picture.original_sha256 is not None]


def _load_ids(
    session: Session, column: Column[Any], digests: Sequence[str]
) -> dict[str | None, int]:
    """The id of the first image with each of the digests in a column."""
    if not digests:
        return {}
    dialect = dialect_of(session)
    given = {"digests": pack(dialect, digests)}
    rows = session.connection().execute(_select_ids(dialect, column), given)
    return dict(rows.tuples().all())


@cache
def _select_ids(dialect: str, column: Column[Any]) -> Select[tuple[str, int]]:
    is_asked = is_among(dialect, column, "digests")
    return select(column, _image.c.id).where(is_asked).order_by(_image.c.id.desc())
