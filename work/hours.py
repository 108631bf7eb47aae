"""What is finished minute by minute, the pace that follows, and bins for a chart of the party."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.orm import Session

from catalog.imports import load_imports
from catalog.states import Verdict
from catalog.tables import Annotation, Review

PACE_WORK = timedelta(hours=24)
"""The pace of the party is that of so much of its latest work."""
BREAK = timedelta(minutes=30)
"""Where nothing was finished for longer, people were not at work."""
AFTER_BREAK = timedelta(minutes=5)
"""A break counts as much, for the first image after it; and so does work that has just begun."""

FIVE_MINUTES_SECS = 300
HOUR_SECS = 3600
DAY_SECS = 86_400
SHORT_PARTY = timedelta(hours=6)
LONG_PARTY = timedelta(days=14)


@dataclass(frozen=True)
class Bin:
    """What was finished from a moment on, within a minute, an hour or a bin of the chart."""

    start_at: datetime
    annotated: int
    discarded: int
    checked: int
    returned: int

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """What was annotated, discarded, checked and returned."""
        return self.annotated, self.discarded, self.checked, self.returned


@dataclass(frozen=True)
class Progress:
    """The bins in which anything was finished, in order of time."""

    bin_secs: int
    bins: tuple[Bin, ...]


def load_minutes(session: Session) -> list[Bin]:
    """What people finished by minute; an image counts in that of its first finished revision.

    Nothing of an import: its makers drew and checked it, at times that no one knows.
    """
    imports = load_imports(session)
    counts = (Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
    first = select(func.min(Annotation.id)).where(*counts).group_by(Annotation.image_id)
    minute = _begin_of(session, Annotation.saved_at)
    is_gone = func.count(Annotation.discard_reason)
    of_first = select(minute, func.count(), is_gone).where(Annotation.id.in_(first))
    of_first = of_first.where(Annotation.person_id.not_in(imports))
    minutes = session.execute(of_first.group_by(minute)).tuples()
    drawn = {minute: (all_ - gone, gone) for minute, all_, gone in minutes}
    minute = _begin_of(session, Review.reviewed_at)
    is_back = Review.verdict == Verdict.RETURNED
    judged = select(minute, func.count(), func.sum(case((is_back, 1), else_=0)))
    judged = judged.where(Review.set_aside_at.is_(None), Review.person_id.not_in(imports))
    judged = judged.group_by(minute)
    said = session.execute(judged).tuples()
    checked = {minute: (all_ - back, back) for minute, all_, back in said}
    return [
        Bin(
            datetime.fromisoformat(minute).replace(tzinfo=UTC),
            *drawn.get(minute, (0, 0)),
            *checked.get(minute, (0, 0)),
        )
        for minute in sorted({*drawn, *checked})
    ]


def measure_pace(
    minutes: Sequence[Bin],
    *,
    at: datetime,
    count: Callable[[Bin], int] = lambda minute: minute.annotated,
) -> float:
    """Images that come to be annotated in an hour of work, by the latest PACE_WORK of it.

    Time counts between two minutes in which `count` counts anything, and from the last to `at`. Of
    a break AFTER_BREAK counts, and nothing before the first minute.
    """
    images = 0
    worked = timedelta()
    end_at = at
    for minute in reversed(minutes):
        if not count(minute):
            continue
        passed = max(end_at - minute.start_at, timedelta())
        worked += passed if passed <= BREAK else AFTER_BREAK
        images += count(minute)
        end_at = minute.start_at
        if worked >= PACE_WORK:
            break
    return images / (max(worked, AFTER_BREAK) / timedelta(hours=1))


def _begin_of(session: Session, column: Any) -> ColumnElement[str]:
    """The minute of the column's moment as text, as in "2026-01-31 12:05"."""
    if session.get_bind().dialect.name == "sqlite":
        return func.substr(column, 1, 16)
    return func.to_char(func.timezone("UTC", column), "YYYY-MM-DD HH24:MI")


def load_progress(minutes: Sequence[Bin], zone: tzinfo = UTC) -> Progress:
    """The party's progress, by days of the zone where it is by days."""
    if not minutes:
        return Progress(HOUR_SECS, ())
    length = minutes[-1].start_at - minutes[0].start_at + timedelta(minutes=1)
    return gather_bins(minutes, choose_bin_secs(length), zone)


def choose_bin_secs(length: timedelta) -> int:
    """Five minutes for a party of an evening, days for one of weeks, else hours."""
    if length <= SHORT_PARTY:
        return FIVE_MINUTES_SECS
    return DAY_SECS if length > LONG_PARTY else HOUR_SECS


def gather_bins(rows: Sequence[Bin], bin_secs: int, zone: tzinfo = UTC) -> Progress:
    """The rows added up in bins; days begin at midnight in the zone, others at multiples in UTC."""

    def find_start(row: Bin) -> datetime:
        if bin_secs == DAY_SECS:
            return datetime.combine(row.start_at.astimezone(zone), time(), zone).astimezone(UTC)
        return datetime.fromtimestamp(int(row.start_at.timestamp()) // bin_secs * bin_secs, UTC)

    bins = []
    for start_at, some in groupby(rows, find_start):
        counts = zip(*(row.counts for row in some), strict=True)
        bins.append(Bin(start_at, *map(sum, counts)))
    return Progress(bin_secs, tuple(bins))
