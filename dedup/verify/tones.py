"""What a copy shows whose tones were changed: the original, its levels through a rising curve.

Whatever is done to all pixels alike, brighter, darker, of more contrast, cut off at white or black,
makes one level of each level of the original, and none of two that is in the other order. The
curve that explains a picture best is their isotonic regression: neighbours that fall are pooled
(Ayer, Brunk, Ewing, Reid and Silverman 1955).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.search.kernels import compiled, inlined

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

    Whichever explains the other better is taken for the original: what was cut off at white cannot
    be told from the copy.
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
    predicted = np.empty(sources.shape, np.uint8)
    unexplained = np.empty(len(sources))
    predict_pictures(
        np.ascontiguousarray(sources), np.ascontiguousarray(targets), predicted, unexplained
    )
    return predicted, unexplained


@compiled
def predict_pictures(
    sources: Levels, targets: Levels, predicted: Levels, unexplained: Floats
) -> None:
    """Fill in the sources through the curves that explain the targets best, and what these leave.

    The loops that it calls are here because numba notices no change of another file.
    """
    counts, sums, curve = np.empty(LEVELS), np.empty(LEVELS), np.empty(LEVELS)
    for number in range(len(sources)):
        source, target = sources[number].ravel(), targets[number].ravel()
        power = _sum_up(source, target, counts, sums)
        middle = sums.sum() ** 2 / len(source)
        explained = _rise(counts, sums, curve)
        _look_up(source, curve, predicted[number].ravel())
        has_contrast = power > middle
        unexplained[number] = (power - explained) / (power - middle) if has_contrast else 1.0


@inlined
def _sum_up(source: Levels, target: Levels, counts: Floats, sums: Floats) -> Any:
    """Fill in how often each level is in the source, and the sum of the target's levels there."""
    counts[:] = 0
    sums[:] = 0
    power = 0.0
    for place in range(len(source)):
        level = float(target[place])
        counts[source[place]] += 1
        sums[source[place]] += level
        power += level * level
    return power


@inlined
def _rise(counts: Floats, sums: Floats, curve: Floats) -> Any:
    """Fill in the rising curve that is nearest to the means, and give what power it explains.

    Levels that do not occur take part in what lies before them.
    """
    pooled, totals = np.empty(LEVELS), np.empty(LEVELS)
    ends = np.empty(LEVELS, np.int64)
    pools = 0
    for level in range(LEVELS):
        pooled[pools], totals[pools] = counts[level], sums[level]
        while pools and totals[pools - 1] * pooled[pools] >= totals[pools] * pooled[pools - 1]:
            pools -= 1
            pooled[pools] += pooled[pools + 1]
            totals[pools] += totals[pools + 1]
        ends[pools] = level + 1
        pools += 1
    start, explained = 0, 0.0
    for pool in range(pools):
        curve[start : ends[pool]] = totals[pool] / pooled[pool]
        explained += totals[pool] * curve[start]
        start = ends[pool]
    return explained


@inlined
def _look_up(source: Levels, curve: Floats, values: Levels) -> None:
    for place in range(len(source)):
        values[place] = int(curve[source[place]] + 0.5)
