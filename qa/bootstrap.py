"""Intervals of anything that is counted over images, by drawing the images again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .intervals import UNKNOWN, Interval, spread_figure

Array: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Array], Array]
"""From rows of summed tallies to rows of figures; NaN where a figure cannot be told."""

ROUNDS = 1000
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
