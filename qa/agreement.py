"""How two annotations of one image agree: which object of the one is which of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import linear_sum_assignment

from catalog.box import overlap

from .overlaps import overlap_matrix
from .subjects import CheckedObject

SAME_CLASS_BONUS = 1e-6
"""Decides between boxes that fit equally well; too little to outweigh a difference one can see."""
FEW_PAIRS = 60
"""Up to so many, one pair after the other is faster than all in one array."""

Fit = tuple[int, int, float]
"""The places of two objects that may be one, and how much they overlap."""


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
    fits = _find_fits(first, second, least_overlap)
    chosen = _choose(fits, first, second)
    rows, columns = {row for row, _, _ in chosen}, {column for _, column, _ in chosen}
    return Matching(
        matches=tuple(Match(first[row], second[column], shared) for row, column, shared in chosen),
        only_first=tuple(item for row, item in enumerate(first) if row not in rows),
        only_second=tuple(item for column, item in enumerate(second) if column not in columns),
    )


def _find_fits(
    first: Sequence[CheckedObject], second: Sequence[CheckedObject], least_overlap: float
) -> list[Fit]:
    """Every two objects that overlap enough, in the first's order and then the second's."""
    if len(first) * len(second) <= FEW_PAIRS:
        pairs = product(enumerate(first), enumerate(second))
        return [
            (row, column, shared)
            for (row, one), (column, other) in pairs
            if (shared := overlap(one.box, other.box)) >= least_overlap
        ]
    overlaps = overlap_matrix([item.box for item in first], [item.box for item in second])
    places = np.argwhere(overlaps >= least_overlap).tolist()
    return [(row, column, float(overlaps[row, column])) for row, column in places]


def _choose(
    fits: Sequence[Fit], first: Sequence[CheckedObject], second: Sequence[CheckedObject]
) -> Sequence[Fit]:
    """The fits that stay, one to one: all of them where none stands against another."""
    if len({row for row, _, _ in fits}) == len(fits) == len({column for _, column, _ in fits}):
        return fits
    weights = np.zeros((len(first), len(second)))
    for row, column, shared in fits:
        is_same = first[row].class_name == second[column].class_name
        weights[row, column] = shared + SAME_CLASS_BONUS * is_same
    rows, columns = linear_sum_assignment(weights, maximize=True)
    kept = set(zip(rows.tolist(), columns.tolist(), strict=True))
    return [fit for fit in fits if fit[:2] in kept]
