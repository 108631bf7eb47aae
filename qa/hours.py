"""What is finished hour by hour, and the pace that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, case, exists, func, select
from sqlalchemy.orm import Session, aliased

from catalog.states import Verdict
from catalog.tables import Annotation, Review

PACE_HOURS = 24
"""The pace of the party is taken over as many of its last hours in which anything was annotated."""

_HOUR_LENGTH, _MINUTE_LENGTH = 13, 16
LEAST_PART = 1 / 12
"""An hour that has just begun counts as much, lest one quick image makes a forecast."""


@dataclass(frozen=True)
class HourProgress:
    """What was finished within one hour; `hour` is its start ("2026-01-31 12", UTC)."""

    hour: str
    annotated: int
    discarded: int
    checked: int
    returned: int


def load_hours(session: Session) -> list[HourProgress]:
    """What was finished in each hour in which anything was, in order of time.

    An image is annotated or discarded in the hour of its first finished revision, once.
    """
    return _load_by(session, _HOUR_LENGTH)


def load_minutes(session: Session) -> list[HourProgress]:
    """The same by minutes, with `hour` as "2026-01-31 12:05"."""
    return _load_by(session, _MINUTE_LENGTH)


def _load_by(session: Session, length: int) -> list[HourProgress]:
    """What was finished under each beginning, of this length, of the moments."""
    drawn = {hour: (all_ - gone, gone) for hour, all_, gone in _count_first(session, length)}
    checked = {hour: (all_ - back, back) for hour, all_, back in _count_judged(session, length)}
    return [
        HourProgress(hour, *drawn.get(hour, (0, 0)), *checked.get(hour, (0, 0)))
        for hour in sorted({*drawn, *checked})
    ]


def measure_pace(hours: Sequence[HourProgress], *, at: datetime) -> float:
    """Images that come to be annotated in an hour, by the party's last PACE_HOURS hours.

    Hours in which nothing was annotated do not count, so nights and breaks do not either. The hour
    of `at` counts by as much of it as has passed.
    """
    last = [one for one in hours if one.annotated][-PACE_HOURS:]
    passed = float(len(last))
    if last and last[-1].hour == at.strftime("%Y-%m-%d %H"):
        passed -= 1 - max(at.minute / 60, LEAST_PART)
    return sum(one.annotated for one in last) / passed if last else 0.0


def _count_first(session: Session, length: int) -> Sequence[tuple[str, int, int]]:
    """By hour, the images finished in it for the first time, and those of them discarded."""
    hour, earlier = _begin_of(session, Annotation.saved_at, length), aliased(Annotation)
    is_first = ~exists().where(
        earlier.image_id == Annotation.image_id,
        earlier.id < Annotation.id,
        earlier.is_finished.is_(True),
        earlier.is_stale.is_(False),
    )
    rows = session.execute(
        select(hour, func.count(), func.count(Annotation.discard_reason))
        .where(Annotation.is_finished.is_(True), Annotation.is_stale.is_(False), is_first)
        .group_by(hour)
    )
    return rows.tuples().all()


def _count_judged(session: Session, length: int) -> Sequence[tuple[str, int, int]]:
    """By hour, the verdicts given in it, and those that returned the image."""
    hour = _begin_of(session, Review.reviewed_at, length)
    is_returned = case((Review.verdict == Verdict.RETURNED, 1), else_=0)
    rows = session.execute(select(hour, func.count(), func.sum(is_returned)).group_by(hour))
    return rows.tuples().all()


def hour_of(session: Session, column: Any) -> ColumnElement[str]:
    """The column's hour as text, on either database."""
    return _begin_of(session, column, _HOUR_LENGTH)


def _begin_of(session: Session, column: Any, length: int) -> ColumnElement[str]:
    """The beginning of the column's moment as text, of "2026-01-31 12:05"."""
    if session.get_bind().dialect.name == "sqlite":
        return func.substr(column, 1, length)
    template = "YYYY-MM-DD HH24" if length == _HOUR_LENGTH else "YYYY-MM-DD HH24:MI"
    return func.to_char(func.timezone("UTC", column), template)
