"""Intervals of 95 % for shares and for anything that is counted over images."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Z_95 = 1.959964
ROUNDS = 1000
_TINY = 1e-12
_MOST_CELLS = 4_000_000

Array = NDArray[np.float64]
Statistic = Callable[[Array], Array]
"""From rows of summed tallies to rows of figures; NaN where a figure cannot be told."""


@dataclass(frozen=True)
class Interval:
    """An estimate with its interval of 95 %; all three are NaN where nothing is known."""

    value: float
    low: float
    high: float
    count: int

    def holds(self, truth: float) -> bool:
        """Whether the interval covers a value."""
        return self.low <= truth <= self.high


UNKNOWN = Interval(math.nan, math.nan, math.nan, 0)


def estimate_share(hits: int, count: int) -> Interval:
    """The share of independent yeses with Wilson's interval; UNKNOWN of nothing.

    Raises ValueError for fewer hits than none or more than all.
    """
    if not count:
        return UNKNOWN
    if not 0 <= hits <= count:
        raise ValueError(f"hits must be between 0 and {count}, got {hits}")
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


def bootstrap(
    tallies: Array,
    statistic: Statistic,
    *,
    floors: Sequence[float] | None = None,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> list[Interval]:
    """Each figure of the images' summed tallies with its interval of 95 %.

    A row of `tallies` is one image: objects of one image are not independent, so whole images are
    drawn. `rounds` draws tell the figure's error; the interval is that of a share with this error
    (spread_figure), which holds the truth as often as it says also where slips are rare and images
    few. Each figure is at most 1 and at least its floor, 0 unless it is given. Of fewer than two
    images there is no interval.
    """
    images = len(tallies)
    if images == 0:
        width = statistic(np.zeros((1, tallies.shape[1]))).shape[1]
        return [UNKNOWN] * width
    values = statistic(tallies.sum(axis=0, keepdims=True))[0]
    draws = statistic(_draw_sums(tallies, np.random.default_rng(seed), rounds))
    return [
        _make_interval(value, draws[:, column], images, floors[column] if floors else 0.0)
        for column, value in enumerate(values.tolist())
    ]


def ratio(hits: Array, count: Array) -> Array:
    """Shares, NaN of nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(count > 0, hits / count, np.nan), dtype=np.float64)


def _draw_sums(tallies: Array, rng: np.random.Generator, rounds: int) -> Array:
    """The sums of as many images, drawn with replacement, for each round."""
    images = len(tallies)
    chunk = max(min(rounds, _MOST_CELLS // images), 1)
    sums = []
    for start in range(0, rounds, chunk):
        size = min(chunk, rounds - start)
        weights = rng.multinomial(images, np.full(images, 1 / images), size=size)
        sums.append(weights.astype(np.float64) @ tallies)
    return np.concatenate(sums)


def _make_interval(value: float, draws: Array, images: int, floor: float) -> Interval:
    known = draws[~np.isnan(draws)]
    if np.isnan(value) or images < 2 or not known.size:
        return Interval(value, np.nan, np.nan, images)
    # what is drawn with replacement varies as if there were one image less
    error = float(known.std()) * math.sqrt(images / (images - 1))
    return Interval(value, *spread_figure(value, error, images, floor=floor), images)


def _wilson(share: float, count: float, quantile: float) -> tuple[float, float]:
    """E. B. Wilson, Journal of the American Statistical Association 22 (1927).

    scipy.stats has it for whole numbers only; the things here are those of an error.
    """
    squared = quantile**2
    middle = (share + squared / (2 * count)) / (1 + squared / count)
    spread = math.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    half = quantile * spread / (1 + squared / count)
    low = 0.0 if share <= 0 else max(middle - half, 0.0)
    high = 1.0 if share >= 1 else min(middle + half, 1.0)
    return low, high


@lru_cache(maxsize=4096)
def _student_95(freedom: int) -> float:
    from scipy.special import stdtrit  # takes long, and a server starts without it

    return float(stdtrit(freedom, 0.975))
