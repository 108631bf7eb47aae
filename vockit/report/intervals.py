"""Intervals of 95 %: of shares, of anything counted over images, and of how recent dates are.

Recency is the share of the last third of a range. Photographs of one draw share a window of dates,
and each year is drawn from until it has as many as the others. So draws count, not photographs, and
the error is that of draws in two strata, the period and what is before it (linearised ratio
estimator, W. G. Cochran, Sampling Techniques, 1977, chapter 5 and section 10.2) and of a round
which has not reached every year yet.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from vockit.format.plural import format_count

Z_95 = 1.959964
_TINY = 1e-12
_POWER_80 = 0.842  # the normal quantile: a bias of that size would have shown in 80 of 100 samples
ENOUGH_IMAGES = 30
"""Of fewer a share says little."""
NO_BIAS = 0.05
"""A share that differs by less from the share of uniform dates is even."""

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
class Draw:
    """The photographs that were drawn at once, and how many of them are recent.

    `is_in_period` says where its window of dates is, None that chance decided the dates.
    """

    is_in_period: bool | None
    photographs: int
    recent: int

    def compare(self, share: float) -> float:
        """How many more are recent than at this share."""
        return self.recent - share * self.photographs


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

    @property
    def is_even(self) -> bool | None:
        """Whether the share is that of uniform dates, but for NO_BIAS; None if it is unknown."""
        if self.share is None or self.detectable > 1 or self.photographs < ENOUGH_IMAGES:
            return None
        if self.uniform - NO_BIAS <= self.low and self.high <= self.uniform + NO_BIAS:
            return True
        return None if self.low <= self.uniform <= self.high else False


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


def estimate_recent(subject: str, draws: Sequence[Draw], period: Period, *, years: int) -> Recent:
    """The share of photographs in the period, given all draws, which are from so many years.

    `subject` names the photographs in the plural, such as "released images". Of a subset, the draws
    of which it has none count too: how many it has of the period's draws is chance.
    """
    total = sum(draw.photographs for draw in draws)
    drawn = sum(draw.photographs > 0 for draw in draws)
    recent = Recent(subject, period.name, total, drawn, period.uniform)
    if drawn < 2:
        return recent
    share = sum(draw.recent for draw in draws) / total
    strata = defaultdict[bool | None, list[Draw]](list)
    for draw in draws:
        strata[draw.is_in_period].append(draw)
    student = find_student(max(2, min(drawn, len(draws) - len(strata) + 1)))
    effective = float(drawn)
    if 0 < share < 1:
        squares = sum(_vary(stratum, share) for stratum in strata.values())
        squares += _vary_round(draws, years, period.uniform)
        effective = share * (1 - share) * total**2 / squares if squares else math.inf
    low, high = wilson(share, effective, student)
    chance = math.sqrt(period.uniform * (1 - period.uniform) / effective)
    detectable = (student + _POWER_80) * chance
    return replace(recent, share=share, low=low, high=high, detectable=detectable)


def _vary(draws: Sequence[Draw], share: float) -> float:
    """The variance of the recent photographs that a stratum has more than at the share of all.

    Where chance decided the dates it is at least that of as many photographs drawn one by one. A
    single draw is compared with all others, as the R package survey does (`lonely.psu`, "adjust").
    """
    if len(draws) == 1:
        squares = draws[0].compare(share) ** 2
    else:
        middle = sum(draw.compare(share) for draw in draws) / len(draws)
        squares = sum((draw.compare(share) - middle) ** 2 for draw in draws)
        squares *= len(draws) / (len(draws) - 1)
    if draws[0].is_in_period is None:
        photographs = sum(draw.photographs for draw in draws)
        return max(squares, share * (1 - share) * photographs)
    return squares


def _vary_round(draws: Sequence[Draw], years: int, uniform: float) -> float:
    """The variance of the recent photographs of the last round of draws, one of each year.

    Which years come first is chance, without replacement (Cochran, section 3.2), until all have
    had their turn.
    """
    counts = [draw.photographs for draw in draws if draw.is_in_period is not None]
    rest = len(counts) % years
    if not rest:
        return 0.0
    in_period = rest * (years - rest) / (years - 1) * uniform * (1 - uniform)
    return in_period * (sum(counts) / len(counts)) ** 2


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
    return f"{sentence}{recent.uniform:.0%}. {_judge(recent, images, draws)}"


def _judge(recent: Recent, images: str, draws: str) -> str:
    if recent.is_even:
        return f"They are uniform to within {format_points(NO_BIAS)}."
    if recent.is_even is False:
        side = "more recent" if recent.low > recent.uniform else "older"
        return f"They are {side} than uniform dates."
    if recent.detectable > max(recent.uniform, 1 - recent.uniform):
        return f"Not enough to tell whether they are biased: {draws} are too few to show any bias."
    if recent.photographs < ENOUGH_IMAGES:
        return f"Not enough to tell whether they are biased: {images} are too few."
    return (
        "Not enough to tell whether they are biased: only a bias of "
        f"{format_points(recent.detectable)} or more would have shown in {draws}."
    )


def format_points(share: float) -> str:
    """A difference of shares in percentage points."""
    return format_count(round(100 * share), "point")
