"""The rows of photographs that ended: an image, a loss or a rest, many in one transaction.

Photos are locked in the order of their ids and images made in the order of their digests, so that
two transactions never wait for each other both ways.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from catalog.image_store import ImageStore
from catalog.party import Party
from catalog.session import keep_files
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo

from .claims import Claim, free, give_back
from .errors import PhotoError
from .picture import StoredPicture
from .rows import insert_new

log = logging.getLogger(__name__)

_NOT_COUNTED = (ImageState.BROKEN, ImageState.TAKEN_DOWN)


class Outcome(Enum):
    """What became of a claim; LATE where it had run out and another one took the photo."""

    FETCHED = auto()
    SAME_BYTES = auto()
    LOST = auto()
    RESTS = auto()
    LATE = auto()


@dataclass(frozen=True)
class Kept:
    """A photo whose picture is stored and shall be recorded."""

    claim: Claim
    picture: StoredPicture
    at: datetime


@dataclass(frozen=True)
class Missed:
    """A photo without a picture: lost by the fault, or tried again from a moment on.

    Without a fault it is given back, as if this attempt had not been.
    """

    claim: Claim
    fault: PhotoError | None = None
    again_at: datetime | None = None


Ended = Kept | Missed


def write_batch(party: Party, ended: Sequence[Ended]) -> list[Outcome]:
    """What became of each claim, in their order, durably, when this returns."""
    kept = [one for one in ended if isinstance(one, Kept)]
    missed = [one for one in ended if isinstance(one, Missed)]
    missed.sort(key=lambda one: one.claim.photo_id)
    outcomes: dict[Claim, Outcome] = {}
    with party.catalogue.writing() as session:
        for one in missed:
            outcomes[one.claim] = record_missed(session, one)
        # Last, because they lock images that other processes may want.
        made = record_kept(session, kept, party.store) if kept else []
    outcomes |= {one.claim: outcome for one, outcome in zip(kept, made, strict=True)}
    return [outcomes[one.claim] for one in ended]


def record_kept(
    session: Session, kept: Sequence[Kept], store: ImageStore | None = None
) -> list[Outcome]:
    """What became of each photo, in their order: FETCHED, SAME_BYTES, RESTS or LATE.

    RESTS where its file, in a store that is a folder, was deleted as another photo's since it was
    stored; the photo is free to be fetched again.
    """
    held = _lock_held(session, kept)
    gone = _give_back_gone(session, held, store) if store is not None and store.folder else []
    held = [one for one in held if one not in gone]
    made = _make_images(session, held)
    known = _load_known_images(session, held)
    outcomes = {one.claim: Outcome.RESTS for one in gone}
    for one in held:
        sha256, original = one.picture.sha256, one.picture.original_sha256
        is_new = made.pop(sha256, None) is not None  # for the first of several with the same bytes
        outcomes[one.claim] = Outcome.FETCHED if is_new else Outcome.SAME_BYTES
        _fetch(session, one, known[sha256] if sha256 in known else known[original])
    return [outcomes.get(one.claim, Outcome.LATE) for one in kept]


def record_missed(session: Session, missed: Missed) -> Outcome:
    """LOST, with the fault as the photo's reason, or RESTS; LATE where another one has it now."""
    claim, fault, again_at = missed.claim, missed.fault, missed.again_at
    if fault is None:
        return Outcome.RESTS if give_back(session, claim) else Outcome.LATE
    if again_at is not None:
        return Outcome.RESTS if free(session, claim, claimed_until_at=again_at) else Outcome.LATE
    lost = {"state": fault.photo_state, "reason": str(fault), "claimed_until_at": None}
    return Outcome.LOST if free(session, claim, **lost) else Outcome.LATE


def load_fetched_count(session: Session) -> int:
    """How many images there are that were neither broken nor taken down.

    Every image comes from photos; those with the same bytes share one, which counts once.
    Near-duplicates count, because they were fetched.
    """
    # All less the few: two short indexes instead of every row.
    every = select(func.count()).select_from(Image)
    few = every.where(Image.state.in_(_NOT_COUNTED))
    return (session.scalar(every) or 0) - (session.scalar(few) or 0)


def _lock_held(session: Session, kept: Sequence[Kept]) -> list[Kept]:
    """Those whose claim still holds, now locked, in the order of their digests."""
    rows = session.execute(
        select(Photo.id, Photo.claimed_by, Photo.attempts)
        .where(Photo.id.in_([one.claim.photo_id for one in kept]), Photo.state == PhotoState.FOUND)
        .order_by(Photo.id)
        .with_for_update()
    )
    claims = {tuple(row) for row in rows}
    held = [
        one for one in kept if (one.claim.photo_id, one.claim.claimant, one.claim.attempt) in claims
    ]
    return sorted(held, key=lambda one: (one.picture.sha256, one.claim.photo_id))


def _give_back_gone(session: Session, held: Sequence[Kept], store: ImageStore) -> list[Kept]:
    """Those whose file is no longer there; no file is deleted until this transaction ends."""
    keep_files(session)
    gone = [one for one in held if not store.has(one.picture.sha256)]
    for one in gone:
        log.info("photo %s: its file was deleted; fetched again", one.claim.photo_id)
        give_back(session, one.claim)
    return gone


def _make_images(session: Session, held: Sequence[Kept]) -> dict[str, int]:
    """The ids of the images that are new, by their digests."""
    originals = {one.picture.original_sha256 for one in held} - {None}
    before = set(
        session.scalars(select(Image.original_sha256).where(Image.original_sha256.in_(originals)))
    )
    new = {one.picture.sha256: one for one in held if one.picture.original_sha256 not in before}
    rows = [
        {**vars(one.picture), "stored_at": one.at, "state": ImageState.FETCHED, "state_at": one.at}
        for one in new.values()
    ]
    return insert_new(session, Image, rows, ("sha256",))


def _load_known_images(session: Session, held: Sequence[Kept]) -> Mapping[str | None, int]:
    """The ids of images by their digests, and by those of the files they were made from."""
    found: dict[str | None, int] = {}
    for column, digests in (
        (Image.original_sha256, {one.picture.original_sha256 for one in held} - {None}),
        (Image.sha256, {one.picture.sha256 for one in held}),
    ):
        rows = select(column, Image.id).where(column.in_(digests)).order_by(Image.id.desc())
        found |= dict(session.execute(rows).tuples().all())
    return found


def _fetch(session: Session, kept: Kept, image_id: int) -> None:
    values = {"state": PhotoState.FETCHED, "image_id": image_id, "fetched_at": kept.at}
    values |= dict.fromkeys(("reason", "claimed_by", "claimed_until_at"))
    statement = update(Photo).where(Photo.id == kept.claim.photo_id).values(values)
    session.execute(statement.execution_options(synchronize_session=False))
