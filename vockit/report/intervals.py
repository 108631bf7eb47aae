"""Intervals of 95 %: of shares, of anything counted over images, and of how recent dates are.

Recency is the share of the last third of a range. Its interval is cluster-robust: photographs of
one draw share a window, so draws count, not photographs (linearised ratio estimator, Cochran,
Sampling Techniques, 1977, section 10.2), with the effective number and Student's t in Wilson's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from vockit.format.plural import format_count

Z_95 = 1.959964
_TINY = 1e-12
_POWER_80 = 0.842  # the normal quantile: a bias of that size would have shown in 80 of 100 samples
NO_BIAS_POINTS = 0.05  # where such a bias would have shown, there is none to speak of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """An estimate with its interval of 95 %; all three are NaN where nothing is known."""

    value: float
    low: float
    high: float
    count: int


UNKNOWN = Interval(math.nan, math.nan, math.nan, 0)


def estimate_share(hits: int, count: int) -> Interval:
    """The share of independent yeses with Wilson's interval; ValueError for impossible hits."""
    if not count:
        return UNKNOWN
    if not 0 <= hits <= count:
        raise ValueError(f"hits must be between 0 and {count}, got {hits}")
    return Interval(hits / count, *wilson(hits / count, count, Z_95), count)


def estimate_share_by_image(hits: Sequence[float], counts: Sequence[float]) -> Interval:
    """The share of yeses, given those of each image, since answers about one image are alike.

    `count` is of the yeses and noes. The error is that of a ratio of sums over images (W. G.
    Cochran, Sampling Techniques, 1977, section 6.4); UNKNOWN of nothing. A single image says
    nothing of others: its interval is from 0 to 1.
    """
    total = sum(counts)
    images = sum(count > 0 for count in counts)
    if not total:
        return UNKNOWN
    share = sum(hits) / total
    if images < 2:
        return Interval(share, 0.0, 1.0, round(total))
    squares = sum((hit - share * count) ** 2 for hit, count in zip(hits, counts, strict=True))
    error = math.sqrt(squares * images / (images - 1)) / total
    return Interval(share, *spread_figure(share, error, images), round(total))


def jackknife(tallies: Array, measure: Callable[[Array], Array], *, floor: float = 0.0) -> Interval:
    """A figure of the sum of the images' tallies, with its interval.

    The first axis of `tallies` is the image. Leaving out one image at a time gives the error (B.
    Efron and C. Stein, Annals of Statistics 9, 1981). The figure is at most 1 and at least `floor`,
    NaN where it cannot be computed. Of fewer than two images there is no interval.
    """
    images = len(tallies)
    total = tallies.sum(axis=0)
    value = float(measure(total))
    without_one = measure(total - tallies)
    known = without_one[~np.isnan(without_one)]
    if math.isnan(value) or images < 2 or not known.size:
        return Interval(value, math.nan, math.nan, images)
    error = float(known.std()) * math.sqrt(images - 1)
    return Interval(value, *spread_figure(value, error, images, floor=floor), images)


def spread_figure(
    value: float, error: float, images: int, *, floor: float = 0.0
) -> tuple[float, float]:
    """Wilson's interval of a figure between `floor` and 1 whose standard error is known.

    It is that of a share of as many independent things as would have this error, with Student's
    quantile for as many images, on which the error rests (E. L. Korn and B. I. Graubard, Survey
    Methodology 24, 1998; C. Franco et al., Journal of Survey Statistics and Methodology 7, 2019).
    Where nothing varies, every image says the same, the interval is that of as many images.
    """
    share = (value - floor) / (1 - floor)
    spread = error / (1 - floor)
    if not _TINY < share < 1 - _TINY or spread <= _TINY:
        low, high = wilson(share, images, Z_95)
    else:
        low, high = wilson(share, share * (1 - share) / spread**2, find_student(images))
    return floor + low * (1 - floor), floor + high * (1 - floor)


def find_student(images: int) -> float:
    """Student's quantile for an interval of 95 % whose error rests on as many images."""
    from scipy.special import stdtrit  # takes long, and a server starts without it

    return float(stdtrit(images - 1, 0.975))


def wilson(share: float, count: float, quantile: float) -> tuple[float, float]:
    """E. B. Wilson, Journal of the American Statistical Association 22 (1927), of any `count`."""
    squared = quantile**2
    middle = (share + squared / (2 * count)) / (1 + squared / count)
    spread = math.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    half = quantile * spread / (1 + squared / count)
    low = 0.0 if share <= 0 else max(middle - half, 0.0)
    high = 1.0 if share >= 1 else min(middle + half, 1.0)
    return low, high


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

    subject: str
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
        recent = round(years / 3)
        unit = "years"
        total = years
        begin = last + timedelta(days=1 - round(recent * 365.25))
    else:
        recent = max(1, round(days / 3))
        unit = "days"
        total = days
        begin = last + timedelta(days=1 - recent)
    name = f"the last {recent} of {total} {unit}"
    return Period(name, begin, ((last - begin).days + 1) / days)


def estimate_recent(subject: str, draws: Sequence[tuple[int, int]], period: Period) -> Recent:
    """The share of photographs in the period, given each draw's photographs and recent ones.

    `subject` names the photographs in the plural, such as "released images".
    """
    total = sum(n for n, _ in draws)
    in_period = sum(y for _, y in draws)
    count = len(draws)
    uniform = period.uniform
    recent = Recent(subject, period.name, total, count, uniform)
    if count < 2:
        return recent
    share = in_period / total
    spread = sum((y - share * n) ** 2 for n, y in draws) * count / (count - 1) / total**2
    effective = min(total, share * (1 - share) / spread) if spread else count
    student = find_student(count)
    low, high = wilson(share, effective, student)
    detectable = (student + _POWER_80) * math.sqrt(uniform * (1 - uniform) / effective)
    return replace(recent, share=share, low=low, high=high, detectable=detectable)


def describe_recent(recent: Recent) -> str:
    """The share with its interval and what it says: a bias, none, or not enough to tell."""
    images = format_count(recent.photographs, recent.subject.removesuffix("s"))
    draws = format_count(recent.draws, "draw")
    if not recent.photographs:
        return f"{recent.subject.capitalize()}: none with a date in the range yet."
    period = recent.period.capitalize()
    if recent.share is None:
        return f"{period} in {images} of {draws}: not enough to tell."
    interval = f"{recent.low:.0%} to {recent.high:.0%}"
    sentence = f"{period} hold {recent.share:.0%} of {images} ({interval}); uniform would be "
    return f"{sentence}{recent.uniform:.0%}. {_judge(recent, draws)}"


def _judge(recent: Recent, draws: str) -> str:
    smallest = f"a bias of {format_points(recent.detectable)} or more would have shown in {draws}"
    if recent.low > recent.uniform:
        return "They are more recent than uniform dates."
    if recent.high < recent.uniform:
        return "They are older than uniform dates."
    if recent.detectable > max(recent.uniform, 1 - recent.uniform):
        return f"Not enough to tell whether they are biased: {draws} are too few to show any bias."
    if recent.detectable > NO_BIAS_POINTS:
        return f"Not enough to tell whether they are biased: only {smallest}."
    return f"No bias was found; {smallest}."


def format_points(share: float) -> str:
    """A difference of shares in percentage points."""
    return format_count(round(100 * share), "point")
