"""What was finished, in bins that suit the length of the party."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

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


def load_progress(session: Session, hours: Sequence[HourProgress] | None = None) -> Progress:
    """The party's progress; `hours` are those of load_hours where they are known already."""
    hours = load_hours(session) if hours is None else hours
    if not hours:
        return Progress(HOUR_SECS, ())
    first, last = _parse(hours[0].hour), _parse(hours[-1].hour)
    bin_secs = choose_bin_secs(last - first + timedelta(hours=1))
    rows = load_minutes(session) if bin_secs < HOUR_SECS else hours
    return gather_bins(rows, bin_secs)


def choose_bin_secs(length: timedelta) -> int:
    """Five minutes for a party of an evening, days for one of weeks, else hours."""
    if length <= SHORT_PARTY:
        return FIVE_MINUTES_SECS
    return DAY_SECS if length > LONG_PARTY else HOUR_SECS


def gather_bins(rows: Sequence[HourProgress], bin_secs: int) -> Progress:
    """The rows added up, in bins of this length that begin at multiples of it in UTC."""
    sums: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in rows:
        start = int(_parse(row.hour).timestamp()) // bin_secs * bin_secs
        for place, count in enumerate((row.annotated, row.discarded, row.checked, row.returned)):
            sums[start][place] += count
    bins = (Bin(datetime.fromtimestamp(start, UTC), *sums[start]) for start in sorted(sums))
    return Progress(bin_secs, tuple(bins))


def _parse(moment: str) -> datetime:
    """The moment of "2026-01-31 12" or "2026-01-31 12:05"."""
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)
