"""What is finished hour by hour, the pace that follows, and bins for a chart of the party."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, case, exists, func, select
from sqlalchemy.orm import Session, aliased

from catalog.states import Verdict
from catalog.tables import Annotation, Review

PACE_HOURS = 24
"""The pace of the party is taken over as many of its last hours in which anything was annotated."""

FIVE_MINUTES_SECS, HOUR_SECS, DAY_SECS = 300, 3600, 86_400
SHORT_PARTY = timedelta(hours=6)
LONG_PARTY = timedelta(days=14)
HOUR_LENGTH, MINUTE_LENGTH = 13, 16
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


@dataclass(frozen=True)
class Bin:
    """What was finished from a moment on, for as long as all bins are."""

    start_at: datetime
    annotated: int
    discarded: int
    checked: int
    returned: int


@dataclass(frozen=True)
class Progress:
    """The bins in which anything was finished, in order of time."""

    bin_secs: int
    bins: tuple[Bin, ...]


def load_hours(session: Session, length: int = HOUR_LENGTH) -> list[HourProgress]:
    """What was finished by hour; an image counts in the hour of its first finished revision.

    With MINUTE_LENGTH by minutes, `hour` as "2026-01-31 12:05".
    """
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
    judged = select(hour, func.count(), func.sum(is_returned))
    rows = session.execute(judged.where(Review.set_aside_at.is_(None)).group_by(hour))
    return rows.tuples().all()


def _begin_of(session: Session, column: Any, length: int) -> ColumnElement[str]:
    """The beginning of the column's moment as text, of "2026-01-31 12:05"."""
    if session.get_bind().dialect.name == "sqlite":
        return func.substr(column, 1, length)
    template = "YYYY-MM-DD HH24" if length == HOUR_LENGTH else "YYYY-MM-DD HH24:MI"
    return func.to_char(func.timezone("UTC", column), template)


def load_progress(
    session: Session, hours: Sequence[HourProgress] | None = None, zone: tzinfo = UTC
) -> Progress:
    """The party's progress, by days of the zone where it is by days."""
    hours = load_hours(session) if hours is None else hours
    if not hours:
        return Progress(HOUR_SECS, ())
    first, last = _parse(hours[0].hour), _parse(hours[-1].hour)
    bin_secs = choose_bin_secs(last - first + timedelta(hours=1))
    rows = hours if bin_secs == HOUR_SECS else load_hours(session, MINUTE_LENGTH)
    return gather_bins(rows, bin_secs, zone)


def choose_bin_secs(length: timedelta) -> int:
    """Five minutes for a party of an evening, days for one of weeks, else hours."""
    if length <= SHORT_PARTY:
        return FIVE_MINUTES_SECS
    return DAY_SECS if length > LONG_PARTY else HOUR_SECS


def gather_bins(rows: Sequence[HourProgress], bin_secs: int, zone: tzinfo = UTC) -> Progress:
    """The rows added up in bins; days begin at midnight in the zone, others at multiples in UTC."""
    begin = partial(_find_midnight, zone=zone) if bin_secs == DAY_SECS else _round_down(bin_secs)
    sums: dict[datetime, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in rows:
        counts = sums[begin(_parse(row.hour))]
        for place, count in enumerate((row.annotated, row.discarded, row.checked, row.returned)):
            counts[place] += count
    return Progress(bin_secs, tuple(Bin(start, *sums[start]) for start in sorted(sums)))


def _find_midnight(moment: datetime, zone: tzinfo) -> datetime:
    """When the day of the zone began, in UTC."""
    local = moment.astimezone(zone)
    return datetime.combine(local.date(), time(), zone).astimezone(UTC)


def _round_down(secs: int) -> Callable[[datetime], datetime]:
    return lambda moment: datetime.fromtimestamp(int(moment.timestamp()) // secs * secs, UTC)


def _parse(moment: str) -> datetime:
    """The moment of "2026-01-31 12" or "2026-01-31 12:05"."""
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)
