"""How two annotations of one image agree: which object of the one is which of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from .overlaps import overlap_matrix
from .subjects import CheckedObject

SAME_CLASS_BONUS = 1e-6
"""Decides between boxes that fit equally well; too little to outweigh a difference one can see."""


@dataclass(frozen=True)
class Match:
    """One object as two annotations have it."""

    first: CheckedObject
    second: CheckedObject
    overlap: float


@dataclass(frozen=True)
class Matching:
    """Which objects two annotations share, and what only one of them has; in the first's order."""

    matches: tuple[Match, ...]
    only_first: tuple[CheckedObject, ...]
    only_second: tuple[CheckedObject, ...]


def match_objects(
    first: Sequence[CheckedObject], second: Sequence[CheckedObject], *, least_overlap: float
) -> Matching:
    """The one-to-one matching with the largest sum of overlaps, each at least `least_overlap`.

    Classes need not agree, so that confusions can be counted; of boxes that fit equally well those
    of one class are matched. Raises ValueError unless 0 < least_overlap <= 1.
    """
    if not 0 < least_overlap <= 1:
        raise ValueError(f"expected 0 < least_overlap <= 1, got {least_overlap}")
    overlaps = overlap_matrix([item.box for item in first], [item.box for item in second])
    same_class = np.array(
        [[one.class_name == other.class_name for other in second] for one in first], dtype=bool
    ).reshape(overlaps.shape)
    fits = overlaps >= least_overlap
    weights = np.where(fits, overlaps + SAME_CLASS_BONUS * same_class, 0.0)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    places = [
        (row, column)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        if fits[row, column]
    ]
    return _make_matching(first, second, places, overlaps.tolist())


def _make_matching(
    first: Sequence[CheckedObject],
    second: Sequence[CheckedObject],
    places: Sequence[tuple[int, int]],
    overlaps: Sequence[Sequence[float]],
) -> Matching:
    rows, columns = {row for row, _ in places}, {column for _, column in places}
    return Matching(
        matches=tuple(
            Match(first[row], second[column], overlaps[row][column]) for row, column in places
        ),
        only_first=tuple(item for row, item in enumerate(first) if row not in rows),
        only_second=tuple(item for column, item in enumerate(second) if column not in columns),
    )
