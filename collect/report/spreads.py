"""Calendars: the bins that photographs fall on, what an even spread gives, and the test."""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
from scipy import stats

from .figures import Spread, UniformTest

LEAST_EXPECTED = 5.0
"""Draws that each bin must expect for the test to hold (Cochran, 1954)."""

RESAMPLES = 9_999
"""Random tables for comparing two collections where a bin expects fewer."""

MONTHS = tuple(calendar.month_abbr[1:])
WEEKDAYS = tuple(calendar.day_abbr)
HOURS = tuple(f"{hour:02}" for hour in range(24))


@dataclass(frozen=True)
class DayCount:
    """How many photographs are of a day; `is_midnight` where no time of the day is known."""

    day: date
    is_midnight: bool
    count: int


@dataclass(frozen=True)
class Days:
    """The same dates twice: of all kept photographs, and of one of each draw."""

    photographs: Sequence[DayCount]
    draws: Sequence[DayCount]


@dataclass(frozen=True)
class Hours:
    """Counts by the hour of the day, of all kept photographs and of one of each draw."""

    photographs: Mapping[int, int]
    draws: Mapping[int, int]


@dataclass(frozen=True)
class _Calendar:
    """Bins of days: their labels, the bin of a day, and which dates are known that far."""

    labels: Sequence[str]
    bin_of: Callable[[date], int]
    is_known: Callable[[DayCount], bool] = lambda _day: True


def spread_years(days: Days, first: date, last: date) -> Spread:
    """By year of the range from first to last; an even spread gives each of its days the same."""
    labels = [str(year) for year in range(first.year, last.year + 1)]
    return _spread_days(days, first, last, _Calendar(labels, lambda day: day.year - first.year))


def spread_months(days: Days, first: date, last: date) -> Spread:
    """By month of the year, in the range; dates of which only the year is known are left out."""

    def is_known(it: DayCount) -> bool:
        return not (it.is_midnight and (it.day.month, it.day.day) == (1, 1))

    return _spread_days(days, first, last, _Calendar(MONTHS, lambda day: day.month - 1, is_known))


def spread_weekdays(days: Days, first: date, last: date) -> Spread:
    """By day of the week, in the range; dates of which only the month is known are left out."""

    def is_known(it: DayCount) -> bool:
        return not (it.is_midnight and it.day.day == 1)

    return _spread_days(days, first, last, _Calendar(WEEKDAYS, date.weekday, is_known))


def spread_hours(hours: Hours) -> Spread:
    """By hour of the day, in the local time of whoever took it."""
    counts, draws = ([it.get(hour, 0) for hour in range(24)]
                     for it in (hours.photographs, hours.draws))  # fmt: skip
    return make_spread(HOURS, counts, draws, [1] * 24)


def make_spread(
    labels: Sequence[str], counts: Sequence[int], draws: Sequence[int], weights: Sequence[float]
) -> Spread:
    """The bins with what an even spread would give the draws by their weights, and the test."""
    total, weight = sum(draws), sum(weights) or 1.0
    expected = [total * one / weight for one in weights]
    test = _test(draws, expected)
    return Spread(tuple(labels), tuple(counts), tuple(draws), tuple(expected), test)


def adjust_tests(spreads: Mapping[str, Spread]) -> dict[str, Spread]:
    """The same spreads, their tests with p-values adjusted for being many."""
    adjusted = adjust_holm([spread.test for spread in spreads.values()])
    return {
        name: replace(spread, test=test)
        for (name, spread), test in zip(spreads.items(), adjusted, strict=True)
    }


def adjust_holm(tests: Sequence[UniformTest]) -> list[UniformTest]:
    """The same tests with Holm's p-values (Scandinavian Journal of Statistics 6, 1979)."""
    by_p = sorted((test.p_value, n) for n, test in enumerate(tests) if test.p_value is not None)
    adjusted: dict[int, float] = {}
    largest = 0.0
    for place, (p_value, number) in enumerate(by_p):
        largest = max(largest, min(1.0, (len(by_p) - place) * p_value))
        adjusted[number] = largest
    return [replace(test, p_adjusted=adjusted.get(n)) for n, test in enumerate(tests)]


def compare_spreads(first: Spread, second: Spread) -> UniformTest:
    """The chi-square test of homogeneity: that the draws of both fall on the same bins alike."""
    pairs = _pair(first, second)
    kept = [pair for pair in pairs if sum(pair)]
    total = sum(map(sum, kept))
    if len(kept) < 2 or not all(map(sum, zip(*kept, strict=True))):
        return UniformTest(total, None, 0, None, None)
    table = [list(row) for row in zip(*kept, strict=True)]
    found = stats.chi2_contingency(table, correction=False)
    p_value = float(found.pvalue)
    if found.expected_freq.min() < LEAST_EXPECTED:
        p_value = _sample_p_value(table)
    statistic, degrees = float(found.statistic), int(found.dof)
    return UniformTest(total, statistic, degrees, p_value, _effect(statistic, degrees, total))


def _sample_p_value(table: Sequence[Sequence[int]]) -> float:
    """The share of random tables with the same sums that differ as much; the same each time."""
    method = stats.MonteCarloMethod(n_resamples=RESAMPLES, rng=np.random.default_rng(0))
    return float(stats.chi2_contingency(table, correction=False, method=method).pvalue)


def _effect(statistic: float, degrees: int, total: int) -> float:
    """Cohen's w without what chance alone gives: chi-square is its degrees of freedom then."""
    return math.sqrt(max(0.0, statistic - degrees) / total)


def _pair(first: Spread, second: Spread) -> list[tuple[int, int]]:
    labels = sorted({*first.labels, *second.labels})
    ours = dict(zip(first.labels, first.draws, strict=True))
    theirs = dict(zip(second.labels, second.draws, strict=True))
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
    effect = _effect(statistic, degrees, total)
    return UniformTest(total, statistic, degrees, float(found.pvalue), effect)


def _spread_days(days: Days, first: date, last: date, bins: _Calendar) -> Spread:
    range_days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    weights = [0] * len(bins.labels)
    for day in range_days:
        weights[bins.bin_of(day)] += 1
    counts, draws = (
        _count_bins((it for it in some if first <= it.day <= last and bins.is_known(it)), bins)
        for some in (days.photographs, days.draws)
    )
    return make_spread(bins.labels, counts, draws, weights)


def _count_bins(days: Iterable[DayCount], bins: _Calendar) -> list[int]:
    counts = [0] * len(bins.labels)
    for day in days:
        counts[bins.bin_of(day.day)] += day.count
    return counts
