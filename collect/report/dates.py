"""Dates of photographs: how many are recent, and how they fall on the bins of a calendar.

The interval is cluster-robust: photographs of one draw share a window, so draws count, not
photographs (linearised ratio estimator, Cochran, Sampling Techniques, 1977, section 10.2; Wilson's
interval with the effective number and Student's t).
"""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from scipy import stats

from collect.sampling import Window

from .figures import Comparison, Recent, Shortage, Spread

MONTHS = tuple(calendar.month_abbr[1:])
WEEKDAYS = tuple(calendar.day_abbr)
HOURS = tuple(f"{hour:02}" for hour in range(24))
_POWER_80 = 0.842  # the normal quantile: a bias of that size would have shown in 80 of 100 samples


@dataclass(frozen=True)
class Period:
    """The last third of a range: "the last 5 of 15 years", its first day, its share of the days."""

    name: str
    first: date
    uniform: float


def last_third(first: date, last: date) -> Period:
    """In whole years where the range has three of them, else in days."""
    days = (last - first).days + 1
    years = round(days / 365.25)
    if years >= 3:
        recent, unit, total = round(years / 3), "years", years
        begin = last + timedelta(days=1 - round(recent * 365.25))
    else:
        recent, unit, total = max(1, round(days / 3)), "days", days
        begin = last + timedelta(days=1 - recent)
    name = f"the last {recent} of {total} {unit}"
    return Period(name, begin, ((last - begin).days + 1) / days)


def estimate_recent(of: str, draws: Sequence[tuple[int, int]], period: Period) -> Recent:
    """The share of photographs in the period, given each draw's photographs and recent ones."""
    total, recent, count = sum(n for n, _ in draws), sum(y for _, y in draws), len(draws)
    told = Recent(of, period.name, total, count, period.uniform)
    if count < 2:
        return told
    share, uniform = recent / total, period.uniform
    spread = sum((y - share * n) ** 2 for n, y in draws) * count / (count - 1) / total**2
    effective = min(total, share * (1 - share) / spread) if spread else count
    student = float(stats.t.ppf(0.975, count - 1))
    low, high = _wilson(share, effective, student)
    detectable = (student + _POWER_80) * math.sqrt(uniform * (1 - uniform) / effective)
    return Recent(of, period.name, total, count, uniform, share, low, high, detectable)


def compare_recent(names: tuple[str, str], first: Recent, second: Recent) -> Comparison:
    """How much more of the first is recent than of the second (Newcombe, 1998, method 10)."""
    if first.share is None or second.share is None:
        return Comparison(*names, first.period)
    difference = first.share - second.share
    low = difference - math.hypot(first.share - first.low, second.high - second.share)
    high = difference + math.hypot(first.high - first.share, second.share - second.low)
    return Comparison(*names, first.period, difference, low, high)


def _wilson(share: float, count: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval (1927) for a share of so many independent photographs."""
    weight = quantile**2 / count
    middle = (share + weight / 2) / (1 + weight)
    half = quantile / (1 + weight) * math.sqrt(share * (1 - share) / count + weight / count / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


def find_shortages(
    name: str, counts: Sequence[int], windows: Sequence[Window], most_apart: int
) -> list[Shortage]:
    """The stretches of strata of which a query has too few photographs, and how many are missing.

    Draws go where a query has fewest, so open strata are at most one draw (`most_apart`) apart;
    a stratum with fewer had no more photographs to give.
    """
    short = [max(counts) - count > most_apart for count in counts]
    others = [count for count, is_short in zip(counts, short, strict=True) if not is_short]
    found, begin = list[Shortage](), 0
    for number in range(len(counts) + 1):
        if number < len(counts) and short[number]:
            continue
        if begin < number:
            uniform = (number - begin) * sum(others) / len(others)
            years = _name_years(windows[begin], windows[number - 1])
            found.append(Shortage(name, years, sum(counts[begin:number]), round(uniform)))
        begin = number + 1
    return found


def _name_years(first: Window, last: Window) -> str:
    """The years of the middles, because a stratum is about a year; of short strata the days."""
    if first.secs < 300 * 86_400:
        return f"{first.start:%Y-%m-%d} to {last.end - timedelta(seconds=1):%Y-%m-%d}"
    years = [f"{one.start + (one.end - one.start) / 2:%Y}" for one in (first, last)]
    return years[0] if years[0] == years[1] else f"{years[0]} to {years[1]}"


@dataclass(frozen=True)
class DayCount:
    """How many photographs are of a day; `is_midnight` where no time of the day is known."""

    day: date
    is_midnight: bool
    count: int


def spread_years(days: Iterable[DayCount], first: date, last: date) -> Spread:
    """By year of the range from first to last; an even spread gives each of its days the same."""
    labels = [str(year) for year in range(first.year, last.year + 1)]
    return _spread(days, first, last, labels, lambda day: day.year - first.year)


def spread_months(days: Iterable[DayCount], first: date, last: date) -> Spread:
    """By month of the year, in the range; dates of which only the year is known are left out."""
    known = (it for it in days if not (it.is_midnight and (it.day.month, it.day.day) == (1, 1)))
    return _spread(known, first, last, MONTHS, lambda day: day.month - 1)


def spread_weekdays(days: Iterable[DayCount], first: date, last: date) -> Spread:
    """By day of the week, in the range; dates of which only the month is known are left out."""
    known = (it for it in days if not (it.is_midnight and it.day.day == 1))
    return _spread(known, first, last, WEEKDAYS, date.weekday)


def _spread(
    days: Iterable[DayCount],
    first: date,
    last: date,
    labels: Sequence[str],
    bin_of: Callable[[date], int],
) -> Spread:
    counts, weights = [0] * len(labels), [0] * len(labels)
    for number in range((last - first).days + 1):
        weights[bin_of(first + timedelta(days=number))] += 1
    for it in days:
        if first <= it.day <= last:
            counts[bin_of(it.day)] += it.count
    even = [sum(counts) * weight / sum(weights) for weight in weights]
    return Spread(tuple(labels), tuple(counts), tuple(even))
