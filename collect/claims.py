"""Who downloads which photo: claims that run out by themselves, so that a killed one loses nothing.

A photo in state `found` may be claimed while `claimed_until_at` is empty or past. With a claimant
that moment is when the claim runs out; without one it is when a photo that failed may be tried
again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, false, func, not_, or_, select, update
from sqlalchemy.orm import Session

from catalog.states import SEARCHED, PhotoState
from catalog.tables import Photo
from catalog.transitions import count_changed

from .errors import Reason


@dataclass(frozen=True)
class Claim:
    """One photo that one claimant downloads; `attempt` counts from 1."""

    photo_id: int
    claimant: str
    attempt: int
    image_url: str
    promised_size: tuple[int, int] | None


def claim_photos(
    session: Session,
    claimant: str,
    count: int,
    *,
    now: datetime,
    lease: timedelta,
    attempts: int,
    busy_hosts: Collection[str] = (),
) -> list[Claim]:
    """The oldest photos that wait and have attempts left, claimed for this claimant alone.

    Photos of `busy_hosts` are left to wait.
    """
    waiting = session.scalars(
        select(Photo.id)
        .where(_waits(now), Photo.attempts < attempts, _leads_elsewhere(busy_hosts))
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
    """Whether the photo waited for this claim and for no later one; it has the values now.

    A new `claimed_until_at` is when it may be claimed again.
    """
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
    """How many photos were given up because every attempt ended without a word.

    A file that takes the whole collector down with it would otherwise do so for ever.
    """
    statement = (
        update(Photo)
        .where(_waits(now), Photo.attempts >= attempts)
        .values(
            state=PhotoState.BROKEN,
            reason=f"{Reason.NEVER_FINISHED}: the collector ended in each of {attempts} attempts",
            claimed_by=None,
            claimed_until_at=None,
        )
    )
    return count_changed(session, statement)


def retry_broken(session: Session) -> int:
    """How many broken photos of searched sources wait once more, with all their attempts."""
    is_broken = Photo.state == PhotoState.BROKEN, Photo.source.in_(SEARCHED)
    again = {"state": PhotoState.FOUND, "reason": None, "attempts": 0}
    return count_changed(session, update(Photo).where(*is_broken).values(again))


def find_next_due(
    session: Session, now: datetime, busy_hosts: Collection[str] = ()
) -> datetime | None:
    """When the next photo of another host may be claimed: `now` where one is free, None of none."""
    due_at = func.min(func.coalesce(Photo.claimed_until_at, now))
    is_found = Photo.state == PhotoState.FOUND
    return session.scalar(select(due_at).where(is_found, _leads_elsewhere(busy_hosts)))


def _waits(now: datetime) -> ColumnElement[bool]:
    is_free = or_(Photo.claimed_until_at.is_(None), Photo.claimed_until_at <= now)
    return and_(Photo.state == PhotoState.FOUND, is_free)


def _leads_elsewhere(hosts: Collection[str]) -> ColumnElement[bool]:
    """The condition that leaves out photos of these hosts, named as `name_host` does."""
    url = func.lower(func.coalesce(Photo.image_url, ""))
    named = [f"[{host}]" if ":" in host else host for host in hosts]
    starts = [f"{scheme}://{host}{end}" for scheme in ("https", "http") for host in named
              for end in "/:?"]  # fmt: skip
    return not_(or_(false(), *(url.startswith(start, autoescape=True) for start in starts)))
