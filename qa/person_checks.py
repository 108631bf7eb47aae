"""Checks of people: what is off in a person's work as a whole, and in no single image."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .findings import Complaint, Frame, PartyWork, SeenTwice
from .matching import match_objects

NEVER_BY_CHANCE = 0.001
"""How improbable it must be that a person simply met no image with the class."""
Z_99 = 2.5758
"""A person is named in public by this; one in a hundred by chance is enough."""


def find_box_size_bias(work: PartyWork, frame: Frame) -> Iterator[tuple[int, Complaint]]:
    """A person draws systematically larger or smaller boxes than others do."""
    limits = frame.settings.qa
    least = math.log1p(limits.box_size_bias)
    for bias in estimate_box_biases(work.seen_twice, least_overlap=limits.match_overlap):
        is_sure = bias.low > 0 or bias.high < 0
        if bias.objects < limits.person_min_objects or not is_sure or abs(bias.log_size) < least:
            continue
        share, word = math.expm1(abs(bias.log_size)), "larger" if bias.log_size > 0 else "smaller"
        message = (
            f"The boxes of {work.names[bias.person_id]} are {share:.0%} {word} in width and "
            f"height than those of others on the same {bias.objects} objects."
        )
        yield bias.person_id, Complaint(message, detail=word, badness=abs(bias.log_size))


def find_classes_never_marked(work: PartyWork, frame: Frame) -> Iterator[tuple[int, Complaint]]:
    """A person never marks a class that they should have met by now."""
    images: Counter[int] = Counter()
    with_class: dict[str, Counter[int]] = defaultdict(Counter)
    for image in work.drawn:
        if image.person_id is None or not image.objects:
            continue
        images[image.person_id] += 1
        for name in {item.class_name for item in image.objects}:
            with_class[name][image.person_id] += 1
    for person_id in sorted(images):
        for name in frame.preset.class_names:
            others = images.total() - images[person_id]
            marked = with_class[name]
            if marked[person_id] or not others:
                continue
            share = marked.total() / others
            expected = share * images[person_id]
            if (1 - share) ** images[person_id] < NEVER_BY_CHANCE:
                message = (
                    f"{work.names[person_id]} marked no {frame.display(name)} in "
                    f"{images[person_id]} images; about {expected:.0f} were expected."
                )
                yield person_id, Complaint(message, detail=name, badness=expected)


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


def estimate_box_biases(pairs: Sequence[SeenTwice], *, least_overlap: float) -> list[BoxBias]:
    """The bias of every person who annotated what another did too, in order of their ids.

    Least squares over log(size of the one / size of the other) = bias of the one - bias of the
    other, an image being one observation; the median person is 0. Between two people alone it
    cannot be told who is off: each gets half.
    """
    compared, means, objects = list[tuple[int, int]](), list[float](), Counter[int]()
    for pair in pairs:
        matches = match_objects(pair.first, pair.second, least_overlap=least_overlap).matches
        if matches and pair.first_id != pair.second_id:
            ratios = [math.log(it.first.box.area_px / it.second.box.area_px) / 2 for it in matches]
            compared.append((pair.first_id, pair.second_id))
            means.append(sum(ratios) / len(ratios))
            objects.update(dict.fromkeys(compared[-1], len(ratios)))
    people = sorted(objects)
    if not people:
        return []
    design = np.zeros((len(compared), len(people)))
    for row, (first, second) in enumerate(compared):
        design[row, people.index(first)] = 1
        design[row, people.index(second)] = -1
    biases, errors = _solve(design, np.array(means))
    return [
        BoxBias(person, bias, bias - Z_99 * error, bias + Z_99 * error, objects[person])
        for person, bias, error in zip(people, biases.tolist(), errors.tolist(), strict=True)
    ]


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
