"""What was finished, in bins that suit the length of the party."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import partial

from sqlalchemy.orm import Session

from .hours import HourProgress, load_hours, load_minutes

FIVE_MINUTES_SECS, HOUR_SECS, DAY_SECS = 300, 3600, 86_400
SHORT_PARTY = timedelta(hours=6)
LONG_PARTY = timedelta(days=14)


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


def load_progress(
    session: Session, hours: Sequence[HourProgress] | None = None, zone: tzinfo = UTC
) -> Progress:
    """The party's progress, by days of the zone where it is by days.

    `hours` are those of load_hours where they are known already.
    """
    hours = load_hours(session) if hours is None else hours
    if not hours:
        return Progress(HOUR_SECS, ())
    first, last = _parse(hours[0].hour), _parse(hours[-1].hour)
    bin_secs = choose_bin_secs(last - first + timedelta(hours=1))
    is_by_hours = bin_secs == HOUR_SECS or (bin_secs == DAY_SECS and _has_whole_hours(hours, zone))
    return gather_bins(hours if is_by_hours else load_minutes(session), bin_secs, zone)


def choose_bin_secs(length: timedelta) -> int:
    """Five minutes for a party of an evening, days for one of weeks, else hours."""
    if length <= SHORT_PARTY:
        return FIVE_MINUTES_SECS
    return DAY_SECS if length > LONG_PARTY else HOUR_SECS


def gather_bins(rows: Sequence[HourProgress], bin_secs: int, zone: tzinfo = UTC) -> Progress:
    """The rows added up, in bins of this length.

    Days begin at midnight in the zone, others at multiples of their length in UTC.
    """
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


def _has_whole_hours(hours: Sequence[HourProgress], zone: tzinfo) -> bool:
    """Whether midnight in the zone is never within an hour of UTC."""
    return not any(_parse(one.hour).astimezone(zone).minute for one in hours)


def _parse(moment: str) -> datetime:
    """The moment of "2026-01-31 12" or "2026-01-31 12:05"."""
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)
