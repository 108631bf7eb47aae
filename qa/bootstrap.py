"""Intervals of anything that is counted over images, by drawing the images again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from .intervals import UNKNOWN, Z_95, Interval, estimate_share

Array: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Array], Array]
"""From rows of summed tallies to rows of figures; NaN where a figure cannot be told."""

ROUNDS = 1000
_PERCENTILES = (2.5, 97.5)
_MOST_CELLS = 4_000_000


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
    drawn. Percentiles of `rounds` draws, spread for few images as T. Hesterberg says (The American
    Statistician 69, 2015, section 4.4), and never beyond what the figure can be: at most 1, and at
    least its floor, which is 0 unless it is given. Where no draw differs from the others, as when
    everything agrees, the interval is Wilson's for as many images; of fewer than two images there
    is none.
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


@lru_cache(maxsize=4096)
def _student_95(freedom: int) -> float:
    return float(student.ppf(0.975, freedom))


def _make_interval(value: float, draws: Array, images: int, floor: float) -> Interval:
    known = draws[~np.isnan(draws)]
    if np.isnan(value) or images < 2 or not known.size:
        return Interval(value, np.nan, np.nan, images)
    low, high = np.percentile(known, _PERCENTILES).tolist()
    if high - low > 1e-12:
        wider = np.sqrt(images / (images - 1)) * _student_95(images - 1) / Z_95
        low, high = value - (value - low) * wider, value + (high - value) * wider
        low, high = max(min(low, value), floor), min(max(high, value), 1.0)
        return Interval(value, low, high, images)
    if value in (0.0, 1.0):
        whole = estimate_share(round(value * images), images)
        return Interval(value, whole.low, whole.high, images)
    return Interval(value, value, value, images)
