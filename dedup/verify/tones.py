"""What a copy shows whose tones were changed: the original, its levels through a rising curve.

Whatever is done to all pixels alike, brighter, darker, of more contrast, cut off at white or black,
makes one level of each level of the original, and none of two that is in the other order. The
curve that explains a picture best is their isotonic regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

Levels = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]

LEVELS = 256


@dataclass(frozen=True)
class Toned:
    """Pairs of pictures, the original of each as its copy would show it.

    `unexplained` is the share of the copy's variance that the curve leaves; 1 where there is none.
    """

    first: Levels
    second: Levels
    unexplained: Floats


def match_tones(first: Levels, second: Levels) -> Toned:
    """These pairs of pictures in one another's tones.

    The one that explains the other better is taken for the original: what was cut off at white
    cannot be told from the copy.
    """
    forth, lost_forth = _predict(first, second)
    back, lost_back = _predict(second, first)
    is_forth = lost_forth <= lost_back
    is_original = is_forth[:, None, None]
    return Toned(
        np.where(is_original, forth, first),
        np.where(is_original, second, back),
        np.where(is_forth, lost_forth, lost_back),
    )


def _predict(sources: Levels, targets: Levels) -> tuple[Levels, Floats]:
    """The sources through the curves that explain the targets best, and what these leave."""
    predicted, unexplained = np.empty_like(sources), np.ones(len(sources))
    for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
        values = target.ravel().astype(np.int64)
        curve, explained = _rise(source.ravel(), values)
        predicted[number] = np.floor(curve + 0.5)[source]
        power, middle = float((values * values).sum()), float(values.sum()) ** 2 / values.size
        if power > middle:
            unexplained[number] = (power - explained) / (power - middle)
    return predicted, unexplained


def _rise(source: Levels, target: NDArray[np.int64]) -> tuple[Floats, float]:
    """The rising curve of levels nearest to the target, and how much of its power it explains."""
    counts, sums = (np.bincount(source, weights, LEVELS) for weights in (None, target))
    levels = np.flatnonzero(counts)
    means = sums[levels] / counts[levels]
    starts = isotonic_regression(means, weights=counts[levels]).blocks[:-1]
    totals, pooled = (np.add.reduceat(some[levels], starts) for some in (sums, counts))
    curve = np.zeros(LEVELS)
    curve[levels] = np.repeat(totals / pooled, np.diff([*starts, len(levels)]))
    return curve, float((totals * totals / pooled).sum())
