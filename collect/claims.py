"""Who downloads which photo, and what became of it: an image, a loss, or another attempt.

A photo in state `found` may be claimed while `claimed_until_at` is empty or past: when its claim
runs out, or without a claimant, when a photo that failed may be tried again. A run that passed
over a photo, or that doubts what it got for it, does not claim it again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.image_store import ImageStore
from catalog.session import Lock, hold
from catalog.states import SEARCHED, ImageState, PhotoState
from catalog.tables import Image, Photo
from catalog.transitions import count_changed

from .errors import PhotoError, Reason
from .picture import StoredPicture
from .rows import insert_new


@dataclass(frozen=True)
class Claim:
    """One photo that one claimant downloads; `attempt` counts from 1."""

    photo_id: int
    claimant: str
    attempt: int
    image_url: str
    promised_size: tuple[int, int] | None
    owner_id: str | None = None
    doubt: str = ""  # the code of the reason that an earlier run got
    doubted_at: datetime | None = None  # when that answer came first


Judge = Callable[[Session, Sequence[Photo]], Mapping[int, str]]
"""Why photos may not be fetched, by their ids; those that may be are left out."""


def claim_photos(
    session: Session,
    claimant: str,
    count: int,
    *,
    now: datetime,
    lease: timedelta,
    attempts: int,
    judge: Judge = lambda _session, _photos: {},
) -> list[Claim]:
    """The oldest photos that wait, have attempts left and may be fetched, for this claimant alone.

    Those that may not be stay as they are, and are passed over by this claimant from now on.
    """
    claimed: list[Claim] = []
    while len(claimed) < count:
        waiting = session.scalars(
            select(Photo)
            .where(_waits(now), _is_new_to(claimant), _has_attempt_left(attempts))
            .order_by(Photo.id)
            .limit(count - len(claimed))
            .with_for_update(skip_locked=True)
        ).all()
        if not waiting:
            break
        barred = judge(session, waiting)
        passed = update(Photo).where(Photo.id.in_(barred)).values(passed_by=claimant)
        session.execute(passed.execution_options(synchronize_session=False))
        allowed = [photo.id for photo in waiting if photo.id not in barred]
        claimed += _claim_all(session, claimant, allowed, now=now, until_at=now + lease)
    return claimed


def _claim_all(
    session: Session, claimant: str, ids: Sequence[int], *, now: datetime, until_at: datetime
) -> list[Claim]:
    rows = session.execute(
        update(Photo)
        .where(Photo.id.in_(ids), _waits(now))
        .values(claimed_by=claimant, claimed_until_at=until_at, attempts=Photo.attempts + 1)
        .returning(
            Photo.id,
            Photo.attempts,
            Photo.image_url,
            Photo.promised_width,
            Photo.promised_height,
            Photo.owner_id,
            Photo.reason,
            Photo.doubted_at,
        )
        .execution_options(synchronize_session=False)
    ).all()
    return [
        Claim(
            photo_id=row.id,
            claimant=claimant,
            attempt=row.attempts,
            image_url=row.image_url or "",
            promised_size=read_size(row.promised_width, row.promised_height),
            owner_id=row.owner_id,
            doubt=read_code(row.reason) if row.doubted_at else "",
            doubted_at=row.doubted_at,
        )
        for row in sorted(rows, key=lambda row: row.id)
    ]


def read_size(width: int | None, height: int | None) -> tuple[int, int] | None:
    """Width and height in pixels, None where one of them is not known."""
    return (width, height) if width and height else None


def read_code(reason: str | None) -> str:
    """The code that a row's reason begins with."""
    return (reason or "").partition(":")[0]


def give_back(session: Session, claim: Claim) -> bool:
    """Whether the photo is free again, as if this attempt had not been."""
    return free(session, claim, claimed_until_at=None, attempts=claim.attempt - 1)


def free(session: Session, claim: Claim, **values: Any) -> bool:
    """Whether the photo waited for this claim and for no later one; it has the values now."""
    freed = update(Photo).where(is_held(claim)).values(claimed_by=None, **values)
    return count_changed(session, freed) == 1


def is_held(claim: Claim) -> ColumnElement[bool]:
    """The condition that the photo waits for this claim and for no later one."""
    return and_(
        Photo.id == claim.photo_id,
        Photo.state == PhotoState.FOUND,
        Photo.claimed_by == claim.claimant,
        Photo.attempts == claim.attempt,
    )


def give_up_unfinished(session: Session, *, now: datetime, attempts: int) -> int:
    """How many photos were given up because every attempt ended without a word, twice over.

    The first time that all attempts are used up, the photo is in doubt and gets them once more:
    collectors that are killed, or a lower setting of the attempts, are no fault of a photo.
    """
    reason = f"{Reason.NEVER_FINISHED}: the collector ended in each of {attempts} attempts"
    ended = _waits(now), ~_has_attempt_left(attempts)
    is_repeated = Photo.doubted_at.is_not(None), Photo.reason.startswith(Reason.NEVER_FINISHED)
    lost = {"state": PhotoState.BROKEN, "reason": reason, "claimed_by": None, **_AT_REST}
    count = count_changed(session, update(Photo).where(*ended, *is_repeated).values(lost))
    doubted = {"reason": reason, "doubted_at": now, "attempts": 0, "claimed_by": None}
    session.execute(update(Photo).where(*ended).values(**doubted, claimed_until_at=None))
    return count


def retry_broken(session: Session) -> int:
    """How many broken photos of searched sources wait once more, with all their attempts."""
    is_broken = Photo.state == PhotoState.BROKEN, Photo.source.in_(SEARCHED)
    again = {"state": PhotoState.FOUND, "reason": None, "attempts": 0, "doubted_at": None}
    return count_changed(session, update(Photo).where(*is_broken).values(again))


def find_next_due(session: Session, now: datetime, claimant: str = "") -> datetime | None:
    """When the claimant may claim the next photo: `now` where one is free, None for never."""
    due_at = func.min(func.coalesce(Photo.claimed_until_at, now))
    return session.scalar(select(due_at).where(_is_queued(), _is_new_to(claimant)))


def _has_attempt_left(attempts: int) -> ColumnElement[bool]:
    """The condition that a photo may be tried again.

    One without a claimant may be: its last attempt ended, and it was to have another one.
    """
    return or_(Photo.attempts < attempts, Photo.claimed_by.is_(None))


def _is_queued() -> ColumnElement[bool]:
    """The condition that a photo of a search waits, or is being fetched; imports take their own."""
    return and_(Photo.state == PhotoState.FOUND, Photo.source.in_(SEARCHED))


def _is_new_to(claimant: str) -> ColumnElement[bool]:
    """The condition that this run of the claimant's has not passed over the photo."""
    return or_(Photo.passed_by.is_(None), Photo.passed_by != claimant)


def _waits(now: datetime) -> ColumnElement[bool]:
    is_free = or_(Photo.claimed_until_at.is_(None), Photo.claimed_until_at <= now)
    return and_(_is_queued(), is_free)


log = logging.getLogger(__name__)


class Outcome(Enum):
    """What became of a claim; LATE where it had run out and another one took the photo.

    DOUBTED is a fault that may be the world's: the photo waits for another run.
    """

    FETCHED = auto()
    SAME_BYTES = auto()
    LOST = auto()
    RESTS = auto()
    DOUBTED = auto()
    LATE = auto()


def record_kept(
    session: Session, claim: Claim, picture: StoredPicture, store: ImageStore, at: datetime
) -> Outcome:
    """FETCHED, SAME_BYTES where the image is known, LATE, or RESTS."""
    held = select(Photo.id).where(is_held(claim)).with_for_update()
    if session.scalar(held) is None:
        return Outcome.LATE
    if store.folder is not None:
        hold(session, Lock.FILES)  # none is deleted until this transaction ends
        if not store.has(picture.sha256):
            log.info("photo %s: its file was deleted; fetched again", claim.photo_id)
            give_back(session, claim)
            return Outcome.RESTS
    is_new = False
    ids = select(Image.id).order_by(Image.id).limit(1)
    original = picture.original_sha256
    # An image made of the same file, else the one with these bytes, else a new one.
    known = session.scalar(ids.where(Image.original_sha256 == original)) if original else None
    if known is None:
        row = {**vars(picture), "stored_at": at, "state": ImageState.FETCHED, "state_at": at}
        is_new = bool(insert_new(session, Image, [row], ("sha256",)))
    same = session.scalar(ids.where(Image.sha256 == picture.sha256))
    image_id = known if same is None else same
    kept = {"state": PhotoState.FETCHED, "image_id": image_id, "fetched_at": at, "reason": None}
    free(session, claim, **kept, **_AT_REST)
    return Outcome.FETCHED if is_new else Outcome.SAME_BYTES


def is_known_picture(session: Session, picture: StoredPicture) -> bool:
    """Whether an image has the picture already."""
    is_same = Image.sha256 == picture.sha256
    if picture.original_sha256 is not None:
        is_same = or_(is_same, Image.original_sha256 == picture.original_sha256)
    return session.scalar(select(Image.id).where(is_same).limit(1)) is not None


def take_back(
    session: Session,
    claim: Claim,
    fault: PhotoError,
    at: datetime,
    until_at: datetime | None = None,
) -> bool:
    """Whether a photo that had got its picture is found again, with the fault as the reason.

    It is left to this run until `until_at`, as one that record_doubted writes.
    """
    is_kept = Photo.id == claim.photo_id, Photo.state == PhotoState.FETCHED
    doubted = {
        "state": PhotoState.FOUND,
        "reason": str(fault),
        "doubted_at": at,
        "passed_by": claim.claimant,
        "claimed_until_at": until_at,
        "image_id": None,
        "fetched_at": None,
        "attempts": 0,
    }
    return count_changed(session, update(Photo).where(*is_kept).values(doubted)) == 1


def record_missed(
    session: Session, claim: Claim, fault: PhotoError, again_at: datetime | None = None
) -> Outcome:
    """LOST, with the fault as the reason; RESTS until `again_at`; LATE where another has it now.

    One that is gone, and of which there may be a copy, RESTS too: the copy is asked for next.
    """
    if again_at is not None:
        return Outcome.RESTS if free(session, claim, claimed_until_at=again_at) else Outcome.LATE
    if _turn_to_copy(session, is_held(claim), fault):
        return Outcome.RESTS
    lost = {"state": fault.photo_state, "reason": str(fault), **_AT_REST}
    return Outcome.LOST if free(session, claim, **lost) else Outcome.LATE


def _turn_to_copy(session: Session, is_meant: ColumnElement[bool], fault: PhotoError) -> bool:
    """Whether the photo is gone and waits once more, for the copy of its picture."""
    if fault.photo_state is not PhotoState.GONE:
        return False
    anew: dict[str, Any] = {"image_url": Photo.second_url, "attempts": 0, **_AT_REST}
    anew |= dict.fromkeys(("second_url", "claimed_by", "reason"))
    has_copy = Photo.second_url.is_not(None)
    return count_changed(session, update(Photo).where(is_meant, has_copy).values(anew)) == 1


_AT_REST = dict.fromkeys(("claimed_until_at", "doubted_at", "passed_by"))


def record_doubted(
    session: Session,
    claim: Claim,
    fault: PhotoError,
    at: datetime,
    until_at: datetime | None = None,
) -> Outcome:
    """DOUBTED: the photo stays found, with the reason, for another run; LATE as above.

    `doubted_at` stays the moment at which this answer came first. Until `until_at`, or until
    release_doubted, the photo is left to this run, which may believe the answer yet. Else two runs
    at once would ask for it in turns.
    """
    is_same = claim.doubt == fault.reason and claim.doubted_at is not None
    doubted = {
        "reason": str(fault),
        "doubted_at": claim.doubted_at if is_same else at,
        "passed_by": claim.claimant,
        "claimed_until_at": until_at,
        "attempts": 0,
    }
    return Outcome.DOUBTED if free(session, claim, **doubted) else Outcome.LATE


def release_doubted(session: Session, claimant: str) -> int:
    """How many photos that this claimant doubted other runs may ask for from now on."""
    is_its_own = Photo.passed_by == claimant, Photo.doubted_at.is_not(None)
    is_found = Photo.state == PhotoState.FOUND, Photo.claimed_by.is_(None)
    free_now = update(Photo).where(*is_its_own, *is_found).values(claimed_until_at=None)
    return count_changed(session, free_now)


def record_believed(session: Session, claim: Claim, fault: PhotoError) -> Outcome:
    """LOST for a photo that this claimant doubted; LATE where another run has it by now.

    RESTS where a copy of its picture is asked for next.
    """
    is_doubted = and_(
        Photo.id == claim.photo_id,
        Photo.state == PhotoState.FOUND,
        Photo.claimed_by.is_(None),
        Photo.passed_by == claim.claimant,
        Photo.doubted_at.is_not(None),
    )
    if _turn_to_copy(session, is_doubted, fault):
        return Outcome.RESTS
    lost = {"state": fault.photo_state, "reason": str(fault), **_AT_REST}
    changed = count_changed(session, update(Photo).where(is_doubted).values(lost))
    return Outcome.LOST if changed else Outcome.LATE


def load_fetched_count(session: Session) -> int:
    """How many images there are that were neither broken nor taken down."""
    lost = ImageState.BROKEN, ImageState.TAKEN_DOWN
    return session.scalar(select(func.count()).where(Image.state.not_in(lost))) or 0
