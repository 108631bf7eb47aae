"""Whether dates are as recent as uniform ones: the share of the last third of a range.

The interval is cluster-robust: photographs of one draw share a window, so draws count, not
photographs (linearised ratio estimator, Cochran, Sampling Techniques, 1977, section 10.2), with the
effective number and Student's t in Wilson's interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from catalog.plural import format_count

from .intervals import find_student, wilson

_POWER_80 = 0.842  # the normal quantile: a bias of that size would have shown in 80 of 100 samples
NO_BIAS_POINTS = 0.05
"""Where a bias of this size would have shown and none did, there is none to speak of."""


@dataclass(frozen=True)
class Period:
    """The last third of a range: "the last 5 of 15 years", its first day, its share of the days."""

    name: str
    first: date
    uniform: float


@dataclass(frozen=True)
class Recent:
    """Which share of some images is of the last third of the range of dates, and its 95 % interval.

    `uniform` is the share that uniform dates would give. `detectable` is the smallest bias that
    80 of 100 such samples would have shown. All are None or 0 where there are too few draws.
    """

    of: str
    period: str
    photographs: int
    draws: int
    uniform: float
    share: float | None = None
    low: float = 0.0
    high: float = 1.0
    detectable: float = 1.0


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
    uniform, told = period.uniform, Recent(of, period.name, total, count, period.uniform)
    if count < 2:
        return told
    share = recent / total
    spread = sum((y - share * n) ** 2 for n, y in draws) * count / (count - 1) / total**2
    effective = min(total, share * (1 - share) / spread) if spread else count
    student = find_student(count)
    low, high = wilson(share, effective, student)
    detectable = (student + _POWER_80) * math.sqrt(uniform * (1 - uniform) / effective)
    return replace(told, share=share, low=low, high=high, detectable=detectable)


def describe_recent(it: Recent) -> str:
    """The share with its interval and what it says: a bias, none, or not enough to tell."""
    images = format_count(it.photographs, it.of.removesuffix("s"))
    draws = format_count(it.draws, "draw")
    if not it.photographs:
        return f"{it.of.capitalize()}: none with a date in the range yet."
    period = it.period.capitalize()
    if it.share is None:
        return f"{period} in {images} of {draws}: not enough to tell."
    interval = f"{it.low:.0%} to {it.high:.0%}"
    told = f"{period} hold {it.share:.0%} of {images} ({interval}); uniform would be "
    return f"{told}{it.uniform:.0%}. {_judge(it, draws)}"


def _judge(it: Recent, draws: str) -> str:
    smallest = f"a bias of {format_points(it.detectable)} or more would have shown in {draws}"
    if it.low > it.uniform:
        return "They are more recent than uniform dates."
    if it.high < it.uniform:
        return "They are older than uniform dates."
    if it.detectable > max(it.uniform, 1 - it.uniform):
        return f"Not enough to tell whether they are biased: {draws} are too few to show any bias."
    if it.detectable > NO_BIAS_POINTS:
        return f"Not enough to tell whether they are biased: only {smallest}."
    return f"No bias was found; {smallest}."


def format_points(share: float) -> str:
    """A difference of shares in percentage points."""
    return format_count(round(100 * share), "point")
