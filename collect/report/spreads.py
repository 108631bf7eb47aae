"""Calendars: the bins that photographs fall on, what an even spread gives, and the test."""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from scipy import stats

from .figures import Spread, UniformTest

LEAST_EXPECTED = 5.0
"""Photographs that each bin must expect for the test to hold (Cochran, 1954)."""

MONTHS = tuple(calendar.month_abbr[1:])
WEEKDAYS = tuple(calendar.day_abbr)
HOURS = tuple(f"{hour:02}" for hour in range(24))


@dataclass(frozen=True)
class DayCount:
    """How many photographs are of a day; `is_midnight` where no time of the day is known."""

    day: date
    is_midnight: bool
    count: int


def spread_years(days: Iterable[DayCount], first: date, last: date) -> Spread:
    """By year of the range from first to last; an even spread gives each of its days the same."""
    labels = [str(year) for year in range(first.year, last.year + 1)]
    return _spread_days(days, first, last, labels, lambda day: day.year - first.year)


def spread_months(days: Iterable[DayCount], first: date, last: date) -> Spread:
    """By month of the year, in the range; dates of which only the year is known are left out."""
    known = (it for it in days if not (it.is_midnight and (it.day.month, it.day.day) == (1, 1)))
    return _spread_days(known, first, last, MONTHS, lambda day: day.month - 1)


def spread_weekdays(days: Iterable[DayCount], first: date, last: date) -> Spread:
    """By day of the week, in the range; dates of which only the month is known are left out."""
    known = (it for it in days if not (it.is_midnight and it.day.day == 1))
    return _spread_days(known, first, last, WEEKDAYS, date.weekday)


def spread_hours(counts_by_hour: Mapping[int, int]) -> Spread:
    """By hour of the day, in the local time of whoever took it."""
    return make_spread(HOURS, [counts_by_hour.get(hour, 0) for hour in range(24)], [1] * 24)


def make_spread(labels: Sequence[str], counts: Sequence[int], weights: Sequence[float]) -> Spread:
    """The bins with what an even spread would give them by their weights, and the test."""
    total, weight = sum(counts), sum(weights) or 1.0
    expected = [total * one / weight for one in weights]
    return Spread(tuple(labels), tuple(counts), tuple(expected), _test(counts, expected))


def compare_spreads(first: Spread, second: Spread) -> UniformTest:
    """The chi-square test of homogeneity: that both fall on the same bins alike."""
    pairs = _pair(first, second)
    kept = [pair for pair in pairs if sum(pair)]
    total = sum(map(sum, kept))
    if len(kept) < 2 or not all(map(sum, zip(*kept, strict=True))):
        return UniformTest(total, None, 0, None, None)
    found = stats.chi2_contingency([list(row) for row in zip(*kept, strict=True)], correction=False)
    if found.expected_freq.min() < LEAST_EXPECTED:
        return UniformTest(total, None, int(found.dof), None, None)
    statistic = float(found.statistic)
    effect = math.sqrt(statistic / total)
    return UniformTest(total, statistic, int(found.dof), float(found.pvalue), effect)


def _pair(first: Spread, second: Spread) -> list[tuple[int, int]]:
    labels = sorted({*first.labels, *second.labels})
    ours = dict(zip(first.labels, first.counts, strict=True))
    theirs = dict(zip(second.labels, second.counts, strict=True))
    return [(ours.get(label, 0), theirs.get(label, 0)) for label in labels]


def _test(counts: Sequence[int], expected: Sequence[float]) -> UniformTest:
    # A bin that the range does not hold, such as August of a range of three months, is no bin.
    held = [pair for pair in zip(counts, expected, strict=True) if pair[1] or pair[0]]
    counts, expected = [pair[0] for pair in held], [pair[1] for pair in held]
    total, degrees = sum(counts), max(0, len(counts) - 1)
    if not degrees or not total or min(expected) < LEAST_EXPECTED:
        return UniformTest(total, None, degrees, None, None)
    found = stats.chisquare(counts, expected)
    statistic = float(found.statistic)
    return UniformTest(total, statistic, degrees, float(found.pvalue), math.sqrt(statistic / total))


def _spread_days(
    days: Iterable[DayCount],
    first: date,
    last: date,
    labels: Sequence[str],
    bin_of: Callable[[date], int],
) -> Spread:
    counts, weights = [0] * len(labels), [0] * len(labels)
    for day in days:
        if first <= day.day <= last:
            counts[bin_of(day.day)] += day.count
    for number in range((last - first).days + 1):
        weights[bin_of(first + timedelta(days=number))] += 1
    return make_spread(labels, counts, weights)
