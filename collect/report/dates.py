"""Dates of photographs: which years are short, and how they fall on the bins of a calendar."""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from catalog.recency import Recent
from collect.sampling import Window

from .figures import Comparison, Shortage, Spread

MONTHS = tuple(calendar.month_abbr[1:])
WEEKDAYS = tuple(calendar.day_abbr)
HOURS = tuple(f"{hour:02}" for hour in range(24))


def compare_recent(names: tuple[str, str], first: Recent, second: Recent) -> Comparison:
    """How much more of the first is recent than of the second (Newcombe, 1998, method 10)."""
    if first.share is None or second.share is None:
        return Comparison(*names, first.period)
    difference = first.share - second.share
    low = difference - math.hypot(first.share - first.low, second.high - second.share)
    high = difference + math.hypot(first.high - first.share, second.share - second.low)
    return Comparison(*names, first.period, difference, low, high)


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
