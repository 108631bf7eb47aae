"""How many objects two people both missed: capture and recapture."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from .intervals import Z_95

ASSUMPTIONS = (
    "Both annotated the same images, neither knowing of the other's objects.",
    "Whether one finds an object does not depend on whether the other does. Objects that are hard "
    "for everybody break this: then more were missed than estimated.",
    "What was drawn is there, once. Boxes on nothing and objects drawn twice raise the estimate.",
    "What is one object is told by overlap. Boxes too far off to match raise the estimate.",
)
"""What must hold for the estimate, to be said wherever it is shown."""


@dataclass(frozen=True)
class Found:
    """How many objects the first, the second and both of two people found."""

    first: int
    second: int
    both: int

    def __post_init__(self) -> None:
        if not 0 <= self.both <= min(self.first, self.second):
            raise ValueError(f"expected 0 <= both <= first and second, got {self}")


@dataclass(frozen=True)
class Missed:
    """How many objects there are by estimate, and how many of them nobody found.

    `found` counts those that either found; `low` and `high` hold `missed` with 95 %.
    """

    found: int
    missed: float
    low: float
    high: float

    @property
    def objects(self) -> float:
        """All objects, found or not."""
        return self.found + self.missed

    @property
    def share(self) -> float:
        """The share of all objects that both missed; NaN of nothing."""
        return self.missed / self.objects if self.objects else math.nan


def estimate_missed(strata: Iterable[Found]) -> Missed:
    """Chapman's estimate, summed over strata such as pairs of people, who see with different eyes.

    The interval is log-normal about the objects found, so that it never holds fewer. D. G. Chapman,
    University of California Publications in Statistics 1 (1951); G. A. F. Seber, Biometrika 57
    (1970) for the variance; A. Chao, Biometrics 43 (1987) for the interval.
    """
    listed = list(strata)
    found = sum(one.first + one.second - one.both for one in listed)
    missed = sum(_chapman(one) for one in listed)
    variance = sum(_variance(one) for one in listed)
    if missed <= 0:
        return Missed(found, 0.0, 0.0, 0.0)
    spread = math.exp(Z_95 * math.sqrt(math.log1p(variance / missed**2)))
    return Missed(found, missed, missed / spread, missed * spread)


def _chapman(one: Found) -> float:
    """The estimated number that neither found: (first - both) (second - both) / (both + 1)."""
    return (one.first - one.both) * (one.second - one.both) / (one.both + 1)


def _variance(one: Found) -> float:
    only_first, only_second = one.first - one.both, one.second - one.both
    whole = (one.first + 1) * (one.second + 1) * only_first * only_second
    return whole / ((one.both + 1) ** 2 * (one.both + 2))
