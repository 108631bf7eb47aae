"""Who draws boxes larger or smaller than others: one number a person, from pairs of annotations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .agreement import match_objects
from .subjects import SeenTwice

Z_99 = 2.5758
"""A person is named in public by this; one in a hundred by chance is enough."""


@dataclass(frozen=True)
class BoxBias:
    """By how much a person's boxes are larger than the typical person's, as a logarithm.

    `log_size` is of the side of a square of the box's area; 0.05 is 5 % wider and higher. `low` and
    `high` hold it with 99 %. `objects` counts those that it rests on.
    """

    person_id: int
    log_size: float
    low: float
    high: float
    objects: int


@dataclass(frozen=True)
class _Difference:
    """The mean over one image's matched objects, and how many they are."""

    first_id: int
    second_id: int
    log_ratio: float
    objects: int


def estimate_box_biases(pairs: Sequence[SeenTwice], *, least_overlap: float) -> list[BoxBias]:
    """The bias of every person who annotated what another did too, in order of their ids.

    Least squares over log(size of the one / size of the other) = bias of the one - bias of the
    other, an image being one observation; the median person is 0. Between two people alone it
    cannot be told who is off: each gets half.
    """
    differences = _list_differences(pairs, least_overlap)
    people = sorted({p for item in differences for p in (item.first_id, item.second_id)})
    if not people:
        return []
    places = {person: place for place, person in enumerate(people)}
    design = np.zeros((len(differences), len(people)))
    for row, item in enumerate(differences):
        design[row, places[item.first_id]] += 1
        design[row, places[item.second_id]] -= 1
    values = np.array([item.log_ratio for item in differences])
    biases, errors = _solve(design, values)
    objects = Counter[int]()
    for item in differences:
        objects[item.first_id] += item.objects
        objects[item.second_id] += item.objects
    return [
        BoxBias(person, bias, bias - Z_99 * error, bias + Z_99 * error, objects[person])
        for person, bias, error in zip(people, biases.tolist(), errors.tolist(), strict=True)
    ]


def _list_differences(pairs: Sequence[SeenTwice], least_overlap: float) -> list[_Difference]:
    found = []
    for pair in pairs:
        if pair.first_id == pair.second_id:
            continue
        matches = match_objects(pair.first, pair.second, least_overlap=least_overlap).matches
        ratios = [
            math.log(match.first.box.area_px / match.second.box.area_px) / 2 for match in matches
        ]
        if ratios:
            mean = sum(ratios) / len(ratios)
            found.append(_Difference(pair.first_id, pair.second_id, mean, len(ratios)))
    return found


def _solve(
    design: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least squares and standard errors, both about the median person; robust to uneven spread."""
    inverse = np.linalg.pinv(design.T @ design)
    biases = inverse @ design.T @ values
    residuals = values - design @ biases
    meat = design.T @ (design * (residuals**2)[:, None])
    covariance = inverse @ meat @ inverse
    freedom = max(len(values) - (design.shape[1] - 1), 1)
    errors = np.sqrt(np.diag(covariance) * len(values) / freedom)
    return biases - np.median(biases), errors
