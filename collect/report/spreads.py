"""Calendars: the bins that photographs fall on, what an even spread gives, and the test."""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
from scipy import stats

LEAST_EXPECTED = 5.0
"""Draws that each bin must expect for the test to hold (Cochran, 1954)."""

RESAMPLES = 9_999
"""Random tables for comparing two collections where a bin expects fewer."""

MONTHS = tuple(calendar.month_abbr[1:])
WEEKDAYS = tuple(calendar.day_abbr)
HOURS = tuple(f"{hour:02}" for hour in range(24))


@dataclass(frozen=True)
class UniformTest:
    """Pearson's chi-square test that draws fall on bins as an even spread would have them.

    A draw counts once, however many photographs it chose. `p_value` is None where a bin would
    expect fewer than 5. `p_adjusted` is Holm's, over all tests of the report. `effect` is Cohen's
    w less what chance alone gives: 0.1 is small, 0.3 medium, 0.5 large, whatever the number
    of draws.
    """

    draws: int
    statistic: float | None
    degrees: int
    p_value: float | None
    effect: float | None
    p_adjusted: float | None = None


@dataclass(frozen=True)
class Spread:
    """How photographs fall on the bins of a calendar, and what an even spread would give.

    `counts` are photographs, `draws` those that the test counts, `expected` what it expects.
    """

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    draws: tuple[int, ...]
    expected: tuple[float, ...]
    test: UniformTest


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

    def without(self, is_out: Callable[[DayCount], bool]) -> Days:
        """The dates that are not out."""
        return Days(*([it for it in some if not is_out(it)] for some in vars(self).values()))


@dataclass(frozen=True)
class Hours:
    """Counts by the hour of the day, of all kept photographs and of one of each draw."""

    photographs: Mapping[int, int]
    draws: Mapping[int, int]


def spread_years(days: Days, first: date, last: date) -> Spread:
    """By year of the range from first to last; an even spread gives each of its days the same."""
    labels = [str(year) for year in range(first.year, last.year + 1)]
    return _spread_days(days, first, last, labels, lambda day: day.year - first.year)


def spread_months(days: Days, first: date, last: date) -> Spread:
    """By month of the year, in the range; dates of which only the year is known are left out."""
    return _spread_days(
        days.without(lambda it: it.is_midnight and (it.day.month, it.day.day) == (1, 1)),
        first, last, MONTHS, lambda day: day.month - 1,
    )  # fmt: skip


def spread_weekdays(days: Days, first: date, last: date) -> Spread:
    """By day of the week, in the range; dates of which only the month is known are left out."""
    known = days.without(lambda it: it.is_midnight and it.day.day == 1)
    return _spread_days(known, first, last, WEEKDAYS, date.weekday)


def spread_hours(hours: Hours) -> Spread:
    """By hour of the day, in the local time of the camera."""
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
    ours, theirs = (dict(zip(it.labels, it.draws, strict=True)) for it in (first, second))
    pairs = [(ours.get(label, 0), theirs.get(label, 0)) for label in sorted(ours | theirs)]
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


def _spread_days(
    days: Days, first: date, last: date, labels: Sequence[str], bin_of: Callable[[date], int]
) -> Spread:
    weights = [0] * len(labels)
    for number in range((last - first).days + 1):
        weights[bin_of(first + timedelta(days=number))] += 1
    counts, draws = [0] * len(labels), [0] * len(labels)
    for bins, some in ((counts, days.photographs), (draws, days.draws)):
        for it in some:
            if first <= it.day <= last:
                bins[bin_of(it.day)] += it.count
    return make_spread(labels, counts, draws, weights)
