"""Who downloads which photo, and what became of it: an image, a loss, or another attempt.

A photo in state `found` may be claimed while `claimed_until_at` is empty or past: when its claim
runs out, or without a claimant, when a photo that failed may be tried again.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
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

from .errors import PhotoError, Reason, format_reasons
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


def claim_photos(
    session: Session, claimant: str, count: int, *, now: datetime, lease: timedelta, attempts: int
) -> list[Claim]:
    """The oldest photos that wait and have attempts left, claimed for this claimant alone."""
    waiting = session.scalars(
        select(Photo.id)
        .where(_waits(now), Photo.attempts < attempts)
        .order_by(Photo.id)
        .limit(count)
        .with_for_update(skip_locked=True)
    ).all()
    claimed = session.execute(
        update(Photo)
        .where(Photo.id.in_(waiting), _waits(now))
        .values(claimed_by=claimant, claimed_until_at=now + lease, attempts=Photo.attempts + 1)
        .returning(
            Photo.id, Photo.attempts, Photo.image_url, Photo.promised_width, Photo.promised_height
        )
        .execution_options(synchronize_session=False)
    )
    found = [
        Claim(photo_id, claimant, attempt, url or "", (width, height) if width and height else None)
        for photo_id, attempt, url, width, height in claimed
    ]
    return sorted(found, key=lambda one: one.photo_id)


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
    """How many photos were given up because every attempt ended without a word."""
    told = f"{Reason.NEVER_FINISHED}: the collector ended in each of {attempts} attempts"
    lost = {"state": PhotoState.BROKEN, "reason": told, "claimed_by": None}
    ended = update(Photo).where(_waits(now), Photo.attempts >= attempts)
    return count_changed(session, ended.values(**lost, claimed_until_at=None))


def retry_broken(session: Session) -> int:
    """How many broken photos of searched sources wait once more, with all their attempts."""
    is_broken = Photo.state == PhotoState.BROKEN, Photo.source.in_(SEARCHED)
    again = {"state": PhotoState.FOUND, "reason": None, "attempts": 0}
    return count_changed(session, update(Photo).where(*is_broken).values(again))


def find_next_due(session: Session, now: datetime) -> datetime | None:
    """When the next photo may be claimed: `now` where one is free, None where none waits."""
    due_at = func.min(func.coalesce(Photo.claimed_until_at, now))
    return session.scalar(select(due_at).where(Photo.state == PhotoState.FOUND))


def _waits(now: datetime) -> ColumnElement[bool]:
    is_free = or_(Photo.claimed_until_at.is_(None), Photo.claimed_until_at <= now)
    return and_(Photo.state == PhotoState.FOUND, is_free)


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
    is_new, ids = False, select(Image.id).order_by(Image.id).limit(1)
    original = picture.original_sha256
    # An image made of the same file, else the one with these bytes, else a new one.
    known = session.scalar(ids.where(Image.original_sha256 == original)) if original else None
    if known is None:
        row = {**vars(picture), "stored_at": at, "state": ImageState.FETCHED, "state_at": at}
        is_new = bool(insert_new(session, Image, [row], ("sha256",)))
    same = session.scalar(ids.where(Image.sha256 == picture.sha256))
    image_id = known if same is None else same
    kept = {"state": PhotoState.FETCHED, "image_id": image_id, "fetched_at": at, "reason": None}
    free(session, claim, **kept, claimed_until_at=None)
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
    """How many images there are that were neither broken nor taken down."""
    lost = ImageState.BROKEN, ImageState.TAKEN_DOWN
    return session.scalar(select(func.count()).where(Image.state.not_in(lost))) or 0


@dataclass
class Tally:
    """What one run fetched and lost; `left_out` says why results of searches were, by page."""

    fetched: int = 0
    same_bytes: int = 0  # as an image that was there
    gone: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    left_out: Mapping[str, str] = field(default_factory=dict)

    def count(self, outcome: Outcome, fault: PhotoError | None = None) -> None:
        """Count one outcome, and with a loss its reason."""
        self.fetched += outcome is Outcome.FETCHED
        self.same_bytes += outcome is Outcome.SAME_BYTES
        if outcome is Outcome.LOST and fault is not None:
            lost = self.gone if fault.photo_state is PhotoState.GONE else self.broken
            lost[fault.reason] += 1


def format_left_out(tally: Tally) -> str:
    """A line for each reason why results were left out, with one of them; most first."""
    counts = Counter(tally.left_out.values()).most_common()
    first = {reason: page for page, reason in reversed(list(tally.left_out.items()))}
    lines = (
        f"Skipped {count} ({first[reason]}, for example): {reason}." for reason, count in counts
    )
    return "\n".join(lines)


def format_summary(tally: Tally) -> str:
    """The summary in one line."""
    return (
        f"Fetched {tally.fetched:,}; "
        f"gone {format_reasons(tally.gone)}; broken {format_reasons(tally.broken)}; "
        f"identical files {tally.same_bytes}."
    )
