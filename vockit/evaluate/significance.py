"""Whether differences between methods mean anything: bootstrap over images, Friedman and Nemenyi.

The bootstrap is exact: an image that is drawn twice counts twice, with its rows and its objects.
Source: Assessing the significance of performance differences on the PASCAL VOC challenges via
bootstrapping (Everingham, Eslami, Van Gool, Williams, Winn, Zisserman, 2013).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from .curves import ELEVEN_POINTS, Floats, Ints, Judged, Rules
from .metrics import Counts

if TYPE_CHECKING:
    from scipy import sparse

LEVEL = 0.95
_TINY = 1e-12
_EXACT_DECIMALS = 12
"""Replicates that differ after these are equal: sums of the same numbers in another order are."""


@dataclass(frozen=True)
class Comparison:
    """Methods compared on one class, or on the mean over classes, with intervals.

    `behind` compares two methods at a time, as the paper does. `best` are those that are not
    separated from the best one when all are compared at once.
    """

    scores: Mapping[str, float]
    behind: Mapping[str, tuple[float, float]]  # by how much the best method is ahead
    best: tuple[str, ...]
    ranks: Mapping[str, tuple[float, float]]  # from 1


@dataclass(frozen=True)
class RankTest:
    """Friedman's test over classes, and Nemenyi's critical difference; `left_out` lack a class."""

    mean_ranks: Mapping[str, float]
    statistic: float
    p: float
    critical_difference: float
    left_out: tuple[str, ...] = ()


def draw_weights(images: int, replicates: int = 1000, seed: int = 0) -> Floats:
    """How often each image is drawn in each replicate (images x replicates)."""
    draws = np.random.default_rng(seed).multinomial(images, np.full(images, 1 / images), replicates)
    return np.ascontiguousarray(draws.T, dtype=np.float64)


def bootstrap_ap(judged: Judged, weights: Floats, rules: Rules = Rules.VOC2012) -> Floats:
    """The AP of each replicate; NaN where a replicate has no positive, 0 without a right row.

    Copies of a row stand next to one another in the ranking. Recall only changes at right rows, and
    the best precision from there on is reached after the last copy of a right row, so right rows
    alone are enough.
    """
    places = np.flatnonzero(judged.is_right)
    npos = weights[judged.positives].sum(axis=0)
    if not len(places):
        return np.where(npos > 0, 0.0, np.nan)
    drawn = weights[judged.images[places]]
    right = np.cumsum(drawn, axis=0)
    wrong = np.cumsum(_count_wrong(judged, places, weights.shape[0]) @ weights, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.nan_to_num(right / (right + wrong))
        highest = np.maximum.accumulate(precision[::-1], axis=0)[::-1]
        if rules is Rules.VOC2012:
            return np.asarray((drawn * highest).sum(axis=0) / npos)
        recall = right / npos
    total = np.zeros(weights.shape[1])
    padded = np.vstack([highest, np.zeros(weights.shape[1])])
    for point in ELEVEN_POINTS:
        first = np.count_nonzero(recall < point, axis=0)
        total += padded[first, np.arange(weights.shape[1])] / 11
    return np.where(npos > 0, total, np.nan)


def bootstrap_iou(pixels: Counts, weights: Floats) -> Floats:
    """The accuracy of each class in each replicate, percent (classes x replicates)."""
    hits, true, given = (pixels[:, row].T.astype(np.float64) @ weights for row in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100 * hits / (true + given - hits))


def compare(scores: Mapping[str, float], replicates: Mapping[str, Floats]) -> Comparison:
    """The methods against the best one, from paired replicates; percentile intervals of 95 %.

    The best of equal methods is the luckiest one, and each of the others has a chance of 5 % to
    look worse than it by itself. So a method is separated only by more than 95 % of the largest
    differences that chance makes between any two of them, by the bootstrap, in standard errors (J.
    Romano and M. Wolf, Econometrica 73, 2005, section 4).
    """
    from scipy import stats  # takes a second, and the score of one method needs none of it

    names = list(scores)
    best = max(names, key=lambda name: scores[name])
    tails = [100 * (1 - LEVEL) / 2, 100 * (1 + LEVEL) / 2]
    behind = {}
    for name in names:
        low, high = np.nanpercentile(replicates[best] - replicates[name], tails)
        behind[name] = float(low), float(high)
    drawn = -np.array([replicates[name] for name in names]).round(_EXACT_DECIMALS)
    ranked = stats.rankdata(drawn, axis=0, nan_policy="omit")
    lows, highs = np.nanpercentile(ranked, tails, axis=1)
    ranks = {name: (float(lows[row]), float(highs[row])) for row, name in enumerate(names)}
    return Comparison(dict(scores), behind, _find_near(scores, replicates), ranks)


def _find_near(scores: Mapping[str, float], replicates: Mapping[str, Floats]) -> tuple[str, ...]:
    """The methods that are behind the best one by no more than chance explains.

    Differences are measured in their own standard errors, so that a method that varies much makes
    no other one look good.
    """
    noise = {name: drawn - np.nanmean(drawn) for name, drawn in replicates.items()}
    largest = np.zeros(len(next(iter(noise.values()))))
    errors = dict[frozenset[str], float]()
    for pair in combinations(noise, 2):
        difference = noise[pair[0]] - noise[pair[1]]
        error = errors[frozenset(pair)] = float(np.nanstd(difference))
        if error > _TINY:
            largest = np.fmax(largest, np.abs(difference) / error)
    most = float(np.percentile(largest, 100 * LEVEL))
    best = max(scores, key=lambda name: scores[name])
    return tuple(
        name
        for name in scores
        if scores[best] - scores[name] <= most * errors.get(frozenset((best, name)), 0.0)
    )


def friedman(scores: Mapping[str, Mapping[str, float]]) -> RankTest | None:
    """The Friedman test of methods, without those that lack a class; None for fewer than three."""
    from scipy import stats

    classes = sorted({name for by_class in scores.values() for name in by_class})
    every = {
        method: [by_class.get(name, np.nan) for name in classes]
        for method, by_class in scores.items()
    }
    whole = [method for method, row in every.items() if not np.isnan(row).any()]
    left_out = tuple(method for method in scores if method not in whole)
    if len(whole) < 3 or len(classes) < 2:
        return None
    table = np.array([every[method] for method in whole])
    ranks = stats.rankdata(-table, axis=0).mean(axis=1)
    is_tied = bool((table == table[0]).all())  # in every class, which scipy divides by zero for
    statistic, p = (0.0, 1.0) if is_tied else stats.friedmanchisquare(*table)
    count = len(whole)
    quantile = stats.studentized_range.ppf(LEVEL, count, np.inf) / np.sqrt(2)
    difference = quantile * np.sqrt(count * (count + 1) / (6 * len(classes)))
    return RankTest(
        dict(zip(whole, map(float, ranks), strict=True)),
        float(statistic),
        float(p),
        float(difference),
        left_out,
    )


def _count_wrong(judged: Judged, places: Ints, images: int) -> sparse.csr_array:
    """How many wrong rows of each image come before each right row, after the one before it."""
    from scipy import sparse

    wrong = np.flatnonzero(judged.is_wrong)
    segments = np.searchsorted(places, wrong)
    is_before = segments < len(places)
    ones = np.ones(int(is_before.sum()))
    where = (segments[is_before], judged.images[wrong[is_before]])
    return sparse.coo_array((ones, where), shape=(len(places), images)).tocsr()
