"""When a class's target will be met, at the pace and the luck of the party so far."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.stats import gamma


@dataclass(frozen=True)
class Forecast:
    """Hours of the party until a target is met; 0 where it is, infinite where it never will be.

    `low_hours` to `high_hours` is 95 % certain as far as the luck of the draw goes; people's pace
    may change.
    """

    hours: float
    low_hours: float
    high_hours: float


MET = Forecast(0.0, 0.0, 0.0)
NEVER = Forecast(math.inf, math.inf, math.inf)


def forecast_target(with_class: int, target: int, finished: int, per_hour: float) -> Forecast:
    """How long until `target` images show a class, of which `with_class` of `finished` do now.

    `per_hour` images are finished in an hour. The class's share of images is known from those that
    came so far, as a Poisson count (its exact interval).
    """
    left = target - with_class
    if left <= 0:
        return MET
    if per_hour <= 0 or not finished:
        return NEVER
    rate, low, high = (
        count / finished * per_hour
        for count in (
            with_class,
            float(gamma.ppf(0.025, with_class)) if with_class else 0.0,
            float(gamma.ppf(0.975, with_class + 1)),
        )
    )
    return Forecast(_hours(left, rate), _hours(left, high), _hours(left, low))


def _hours(left: int, rate: float) -> float:
    return left / rate if rate > 0 else math.inf
