"""Intervals of 95 % for shares and for anything that is counted over images."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Z_95 = 1.959964
_TINY = 1e-12

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
    total, images = sum(counts), sum(count > 0 for count in counts)
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
    images, total = len(tallies), tallies.sum(axis=0)
    value, without_one = float(measure(total)), measure(total - tallies)
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
    share, spread = (value - floor) / (1 - floor), error / (1 - floor)
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
