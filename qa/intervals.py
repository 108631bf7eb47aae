"""Intervals for shares and for anything else that is counted over images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scipy.special import stdtrit

Z_95 = 1.959964
_TINY = 1e-12


@dataclass(frozen=True)
class Interval:
    """An estimate that lies from `low` to `high` with 95 %; all three NaN where nothing is known.

    `count` says on how many things it rests.
    """

    value: float
    low: float
    high: float
    count: int

    def holds(self, truth: float) -> bool:
        """Whether the interval covers a value."""
        return self.low <= truth <= self.high


UNKNOWN = Interval(math.nan, math.nan, math.nan, 0)


def estimate_share(hits: int, count: int) -> Interval:
    """The share of independent yeses with Wilson's interval; UNKNOWN of nothing."""
    if not 0 <= hits <= count:
        raise ValueError(f"expected 0 <= hits <= count, got {hits} of {count}")
    if not count:
        return UNKNOWN
    return Interval(hits / count, *_wilson(hits / count, count, Z_95), count)


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
        low, high = _wilson(share, images, Z_95)
    else:
        things = share * (1 - share) / spread**2
        low, high = _wilson(share, things, _student_95(images - 1))
    return floor + low * (1 - floor), floor + high * (1 - floor)


def estimate_share_by_image(hits: Sequence[float], counts: Sequence[float]) -> Interval:
    """The share of yeses that come by image, so that those of one image share its luck.

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


def _wilson(share: float, count: float, quantile: float) -> tuple[float, float]:
    """E. B. Wilson, Journal of the American Statistical Association 22 (1927)."""
    squared = quantile**2
    middle = (share + squared / (2 * count)) / (1 + squared / count)
    spread = math.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    half = quantile * spread / (1 + squared / count)
    low = 0.0 if share <= 0 else max(middle - half, 0.0)
    high = 1.0 if share >= 1 else min(middle + half, 1.0)
    return low, high


@lru_cache(maxsize=4096)
def _student_95(freedom: int) -> float:
    return float(stdtrit(freedom, 0.975))
