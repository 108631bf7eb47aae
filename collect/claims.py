"""Who downloads which photo: claims that run out by themselves, so that a killed one loses nothing.

A photo in state `found` may be claimed while `claimed_until_at` is empty or past. With a claimant
that moment is when the claim runs out; without one it is when a photo that failed may be tried
again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    Update,
    and_,
    bindparam,
    false,
    func,
    not_,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from catalog.states import PhotoState
from catalog.tables import Photo, as_table
from catalog.transitions import count_changed

from .addresses import name_host
from .among import dialect_of, is_among, pack
from .reasons import Reason

_photo = as_table(Photo)
_SLICE = 500


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
    """The oldest photos that wait and have attempts left, now claimed by nobody else."""
    connection, dialect = session.connection(), dialect_of(session)
    given = {"now": now, "attempts": attempts, "most": count}
    waiting = connection.execute(_SELECT_WAITING, given).scalars().all()
    if not waiting:
        return []
    claimed = {"photos": pack(dialect, waiting), "now": now, "until": now + lease}
    rows = connection.execute(_claim(dialect), {**claimed, "claimant": claimant})
    return sorted((_read_claim(row, claimant) for row in rows), key=lambda one: one.photo_id)


def _read_claim(row: Sequence[Any], claimant: str) -> Claim:
    photo_id, attempt, url, width, height = row
    size = (width, height) if width and height else None
    return Claim(photo_id, claimant, attempt, url or "", size)


def give_back(session: Session, claim: Claim) -> bool:
    """Whether the photo is free again, as if this attempt had not been."""
    values = {"claimed_by": None, "claimed_until_at": None, "attempts": claim.attempt - 1}
    return count_changed(session, update(Photo).where(is_held(claim)).values(values)) == 1


def set_aside(session: Session, claim: Claim, until: datetime) -> bool:
    """Whether the photo is free again from a moment on, as if this attempt had not been."""
    values = {"claimed_by": None, "claimed_until_at": until, "attempts": claim.attempt - 1}
    return count_changed(session, update(Photo).where(is_held(claim)).values(values)) == 1


def let_rest(session: Session, claim: Claim, until: datetime) -> bool:
    """Whether the photo is free again from a moment on; the attempt counts."""
    values = {"claimed_by": None, "claimed_until_at": until}
    return count_changed(session, update(Photo).where(is_held(claim)).values(values)) == 1


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


def find_next_due(session: Session, now: datetime) -> datetime | None:
    """When the next photo may be claimed: `now` where one is free; None where none waits."""
    due_at = func.coalesce(Photo.claimed_until_at, now)
    return session.scalar(select(func.min(due_at)).where(Photo.state == PhotoState.FOUND))


def waits_elsewhere(session: Session, hosts: Collection[str]) -> bool:
    """Whether a photo waits, now or later, whose address leads to none of these hosts.

    Addresses as Flickr writes them are told apart by the catalogue, which is fast; all others here.
    """
    url = func.coalesce(Photo.image_url, "")
    usual = [url.startswith(f"https://{host}/", autoescape=True) for host in hosts]
    statement = select(url).where(Photo.state == PhotoState.FOUND, not_(or_(false(), *usual)))
    with closing(session.scalars(statement.execution_options(yield_per=_SLICE))) as found:
        return any(name_host(one) not in hosts for one in found)


def is_held(claim: Claim) -> ColumnElement[bool]:
    """The condition that the photo still waits for this claim and for no later one."""
    return and_(
        Photo.id == claim.photo_id,
        Photo.state == PhotoState.FOUND,
        Photo.claimed_by == claim.claimant,
        Photo.attempts == claim.attempt,
    )


def _waits(now: datetime) -> ColumnElement[bool]:
    is_free = or_(Photo.claimed_until_at.is_(None), Photo.claimed_until_at <= now)
    return and_(Photo.state == PhotoState.FOUND, is_free)


def _waits_now() -> ColumnElement[bool]:
    """The same of the parameter `now`, for statements that are made once."""
    now = bindparam("now", type_=_photo.c.claimed_until_at.type)
    is_free = or_(_photo.c.claimed_until_at.is_(None), _photo.c.claimed_until_at <= now)
    return and_(_photo.c.state == PhotoState.FOUND, is_free)


_SELECT_WAITING: Select[tuple[int]] = (
    select(_photo.c.id)
    .where(_waits_now(), _photo.c.attempts < bindparam("attempts"))
    .order_by(_photo.c.id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
)


@cache
def _claim(dialect: str) -> Any:
    claimed: Update = (
        update(_photo)
        .where(is_among(dialect, _photo.c.id, "photos"), _waits_now())
        .values(
            claimed_by=bindparam("claimant"),
            claimed_until_at=bindparam("until"),
            attempts=_photo.c.attempts + 1,
        )
    )
    return claimed.returning(
        _photo.c.id,
        _photo.c.attempts,
        _photo.c.image_url,
        _photo.c.promised_width,
        _photo.c.promised_height,
    )
