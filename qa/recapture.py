"""How many objects two people both missed: capture and recapture."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from vockit.report.intervals import Z_95

ASSUMPTIONS = (
    "Both annotated the same images, neither knowing of the other's objects.",
    "Among objects of like size, class and difficulty, whether one finds an object does not depend "
    "on whether the other does. Objects that are hard for both break this: then more were missed.",
    "What was drawn is there, once. Boxes on nothing and objects drawn twice raise the estimate.",
    "What is one object is told by overlap. Boxes too far off to match raise the estimate.",
)
"""What must hold for the estimate, to be said wherever it is shown."""

ASSUMED = (
    "if the two found objects of like size, class and difficulty independently of each other, else "
    "a lower bound"
)
"""The assumption that fails most often, to be said next to the number."""

_SMALL = 7
"""Fewer objects in common than this say too little by themselves; D. S. Robson and H. A. Regier,
Transactions of the American Fisheries Society 93 (1964), hold the bias negligible from here on."""
_TAIL = 0.025
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Found:
    """How many objects the first, the second and both of two people found."""

    first: int
    second: int
    both: int

    def __post_init__(self) -> None:
        if not 0 <= self.both <= min(self.first, self.second):
            raise ValueError(f"expected 0 <= both <= first and second, got {self}")

    @property
    def either(self) -> int:
        """How many objects either found."""
        return self.first + self.second - self.both


@dataclass(frozen=True)
class Missed:
    """How many objects there are by estimate, and how many of them neither found.

    `seen` counts those that either found; `low` and `high`, whole numbers, hold the missed ones
    with 95 % or more. `high` is infinite where two people have nothing in common.
    """

    seen: int
    missed: float
    low: float
    high: float

    @property
    def objects(self) -> float:
        """All objects, found or not."""
        return self.seen + self.missed

    @property
    def share(self) -> float:
        """The share of all objects that both missed; NaN of nothing."""
        return self.missed / self.objects if self.objects else math.nan


def estimate_missed(strata: Iterable[Found]) -> Missed:
    """Chapman's estimate, summed over strata such as pairs of people, who see with different eyes.

    The interval of one stratum is exact: it holds the numbers with which as many or as few objects
    in common are not too unlikely (D. G. Chapman, University of California Publications in
    Statistics 1, 1951). That of several is the wider, at either end, of two sums: of the exact ones
    (G. Y. Zou and A. Donner, Statistics in Medicine 27, 2008), and of the variances, log-normal (G.
    A. F. Seber, Biometrika 57, 1970; A. Chao, Biometrics 43, 1987). Strata with few objects in
    common are thrown together first.
    """
    listed = merge_small(strata)
    missed = sum_missed(listed)
    # distances from the estimates are added as if they were spreads
    ranges = [(_chapman(stratum), *_exact_range(stratum)) for stratum in listed]
    low = missed - math.hypot(*(here - least for here, least, _ in ranges))
    high = missed + math.hypot(*(most - here for here, _, most in ranges))
    if len(listed) > 1:
        other_low, other_high = _spread(missed, sum(map(_variance, listed)))
        low, high = min(low, other_low), max(high, other_high)
    return Missed(
        sum(stratum.either for stratum in listed),
        missed,
        float(max(math.floor(low + _ROUNDING), 0)),
        high if math.isinf(high) else float(math.ceil(high - _ROUNDING)),
    )


def sum_missed(strata: Iterable[Found]) -> float:
    """Chapman's estimate of what neither found, summed over the strata."""
    return sum(_chapman(stratum) for stratum in strata)


def merge_small(strata: Iterable[Found]) -> list[Found]:
    """The strata, those with few objects in common as one, with the next larger if need be."""
    listed = sorted(strata, key=lambda stratum: (stratum.both, stratum.first, stratum.second))
    merged = Found(0, 0, 0)
    place = 0
    while place < len(listed) and min(merged.both, listed[place].both) < _SMALL:
        stratum = listed[place]
        merged = Found(
            merged.first + stratum.first, merged.second + stratum.second, merged.both + stratum.both
        )
        place += 1
    return [merged, *listed[place:]]


def _chapman(stratum: Found) -> float:
    """The estimated number that neither found: (first - both) (second - both) / (both + 1)."""
    return (stratum.first - stratum.both) * (stratum.second - stratum.both) / (stratum.both + 1)


def _variance(stratum: Found) -> float:
    only_first = stratum.first - stratum.both
    only_second = stratum.second - stratum.both
    whole = (stratum.first + 1) * (stratum.second + 1) * only_first * only_second
    return whole / ((stratum.both + 1) ** 2 * (stratum.both + 2))


def _spread(missed: float, variance: float) -> tuple[float, float]:
    """From where to where a log-normal number lies with 95 %."""
    if missed <= 0:
        return 0.0, 0.0
    times = math.exp(Z_95 * math.sqrt(math.log1p(variance / missed**2)))
    return missed / times, missed * times


@lru_cache(maxsize=4096)
def _exact_range(stratum: Found) -> tuple[float, float]:
    """The least and the greatest number that neither found and that the counts do not refute."""
    from scipy.stats import hypergeom  # takes long, and a server starts without it

    both = stratum.both
    either = stratum.either
    sides = (stratum.first, stratum.second)
    least = _first_where(lambda missed: hypergeom.cdf(both, either + missed, *sides) > _TAIL)
    if not both:
        return float(least), math.inf
    over = _first_where(lambda missed: hypergeom.sf(both - 1, either + missed, *sides) <= _TAIL)
    return float(least), float(max(over - 1, least))


def _first_where(is_true: Callable[[int], bool]) -> int:
    """The first whole number from which on something is true."""
    most = 1
    while not is_true(most):
        most *= 2
    return bisect_left(range(most), True, key=is_true)
