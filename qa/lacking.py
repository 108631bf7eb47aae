"""Estimates the labels missing in an image after one person's work, before and after checking."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add

import numpy as np

from catalog.annotated import AnnotatedObject
from vockit.report.intervals import Array, Interval, find_student

from .matching import MatchedImage
from .recapture import Found, merge_small

SIZE_CUTS_PX = (16, 32, 64, 128)
"""Limits of the strata of size: sides of a square with the area of a box. Objects of one stratum
are assumed to be equally easy to find. The limits are fixed, since the median of the objects found
would rise if both people missed small ones."""
MOST_OF_NONE = 3.69
"""The Poisson mean at which a count of 0 has a probability of 2.5 %."""

_MOST_LOG = 50.0  # of a bound divided by the value; more would leave floating point
_LOG_SIDE = 4.0  # of 55 pixels, about which sizes are centred
_PRIOR = ((2.0, 5.0), (1.0, 1.0), (0.0, 1.0))
"""Mean and spread, in logits, of what is held before any image is seen, of all objects, of size and
of difficulty. It matters where few images are annotated twice."""
_CLASS_SPREAD = 1.0
_MOST_STEPS = 30
_TINY = 1e-8

_Size = tuple[int, bool]
_Counts = dict[_Size, dict[object, list[int]]]


@dataclass(frozen=True)
class MissingLabels:
    """The estimated missing labels per image, with an interval of 95 %."""

    value: float
    low: float
    high: float


def count_found(images: Sequence[MatchedImage]) -> list[Found]:
    """What two people found, in strata of objects that are assumed to be equally easy to find.

    The strata are size, difficult, class and the pair of people. An object that both drew counts
    as found by both, even if they gave it different classes.
    """
    counts = _count(images)
    return [stratum for size in counts for stratum in _merge(counts[size])]


def estimate_lacking(images: Sequence[MatchedImage]) -> MissingLabels:
    """The labels per image that one person misses, from images that two people annotated blind.

    The value is the estimated number of all objects, less those that one person found on average.
    The error is that of a mean over images, each with the labels that it lacks and with its pull on
    the model. NaN for fewer than two images.
    """
    number = len(images)
    if number < 2:
        return MissingLabels(math.nan, math.nan, math.nan)
    seen = [
        (place, item, both)
        for place, image in enumerate(images)
        for item, (_, _, both) in _list_finders(image)
    ]
    is_both = np.array([both for _, _, both in seen], dtype=float)
    if is_both.all():  # of nothing, too
        return MissingLabels(0.0, 0.0, MOST_OF_NONE / number)
    places = np.array([place for place, _, _ in seen])
    objects, pull = _estimate_objects(_describe([item for _, item, _ in seen]), is_both)
    drawn = np.array([len(image.first) + len(image.second) for image in images])
    lacking = np.bincount(places, objects, number) - drawn / 2
    error = float((lacking + np.bincount(places, pull, number)).std()) / math.sqrt(number - 1)
    return _span(float(lacking.mean()), error, number)


def _span(value: float, error: float, images: int) -> MissingLabels:
    """The labels per image with their interval.

    It has Student's quantile on a logarithmic scale, since counts are skewed. The upper bound is at
    least the value plus MOST_OF_NONE labels divided by the number of images.
    """
    times = float(np.exp(min(find_student(images) * error / value, _MOST_LOG)))
    return MissingLabels(value, value / times, max(value * times, value + MOST_OF_NONE / images))


def _describe(items: Sequence[AnnotatedObject]) -> Array:
    """What may decide how easily each object is found: size, difficult and class."""
    names = sorted({item.class_name for item in items})
    design = np.zeros((len(items), len(_PRIOR) + len(names)))
    for row, item in zip(design, items, strict=True):
        row[: len(_PRIOR)] = 1, math.log(item.box.area_px) / 2 - _LOG_SIDE, item.difficult
        row[len(_PRIOR) + names.index(item.class_name)] = 1
    return design


def _estimate_objects(design: Array, is_both: Array) -> tuple[Array, Array]:
    """For how many objects each found object stands, and by how much it changes that of all.

    The logit of the chance p that a person finds an object is linear in the columns of `design`.
    Of objects that at least one of two people found, both found p / (2 - p), so the model is a
    logistic regression on these with an offset of -log 2, and each stands for 1 / (1 - (1 - p)^2)
    objects (R. M. Huggins, Biometrika 76, 1989; J. M. Alho, Biometrics 46, 1990).
    """
    fitted, both, curve = _fit(design, is_both)
    misses = 1 / (1 + np.exp(design @ fitted))
    objects = 1 / (1 - misses**2)
    change = design.T @ (-2 * objects**2 * misses**2 * (1 - misses))
    return objects, (is_both - both) * (design @ np.linalg.solve(curve, change))


def _fit(design: Array, is_both: Array) -> tuple[Array, Array, Array]:
    """The most probable coefficients, each object's chance that both found it, and the curvature.

    Newton's method, with each step halved until the fit is no worse: where both almost surely found
    every object, the curve is nearly flat, and a whole step would lead far away.
    """
    means, spreads = np.zeros((2, design.shape[1]))
    spreads += _CLASS_SPREAD
    means[: len(_PRIOR)], spreads[: len(_PRIOR)] = np.transpose(_PRIOR)

    def weigh(coefficients: Array) -> float:
        """The logarithm of how probable the coefficients are, but for a constant."""
        logits = design @ coefficients - math.log(2)
        likelihood = (is_both * logits - np.logaddexp(0, logits)).sum()
        return float(likelihood - (((coefficients - means) / spreads) ** 2).sum() / 2)

    fitted = np.zeros_like(means)  # where the curve is steep
    for _ in range(_MOST_STEPS):
        both = 1 / (1 + 2 * np.exp(-design @ fitted))
        slope = design.T @ (is_both - both) - (fitted - means) / spreads**2
        curve = (design.T * (both * (1 - both))) @ design + np.diag(spreads**-2)
        step = np.linalg.solve(curve, slope)
        while np.abs(step).max() >= _TINY and weigh(fitted + step) < weigh(fitted):
            step /= 2
        fitted += step
        if np.abs(step).max() < _TINY:
            break
    return fitted, both, curve


def subtract_added(lacking: MissingLabels, added: Interval) -> MissingLabels:
    """The missing labels per image after checking: less the labels that checkers add.

    `added` is the labels that checkers add per image. The interval is that of a difference of two
    estimates with intervals (G. Y. Zou and A. Donner, Statistics in Medicine 27, 2008).
    """
    if math.isnan(added.value):
        return lacking
    value = lacking.value - added.value
    low = value - math.hypot(lacking.value - lacking.low, added.high - added.value)
    high = value + math.hypot(lacking.high - lacking.value, added.value - added.low)
    return MissingLabels(max(value, 0.0), max(low, 0.0), max(high, 0.0))


def _count(images: Sequence[MatchedImage]) -> _Counts:
    """By size and difficult, then by people and class, what the first, second and both found."""
    counts: _Counts = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
    for image in images:
        for item, finders in _list_finders(image):
            side_px = math.sqrt(item.box.area_px)
            of_size = counts[bisect_right(SIZE_CUTS_PX, side_px), item.difficult]
            stratum = of_size[image.people, item.class_name]
            stratum[:] = map(add, stratum, finders)
    return counts


def _merge(strata: dict[object, list[int]]) -> list[Found]:
    """The strata of a size; where a class has too few, others of the same size come first."""
    return merge_small(Found(*counts) for counts in strata.values())


def _list_finders(image: MatchedImage) -> Iterator[tuple[AnnotatedObject, tuple[int, int, int]]]:
    """Each object, and whether the first, the second and both people found it, as 1 or 0."""
    both = (*image.matches, *image.confused)
    first_numbers = {match.first.number for match in both}
    second_numbers = {match.second.number for match in both}
    for match in both:
        yield match.first, (1, 1, 1)
    for item in image.first:
        if item.number not in first_numbers:
            yield item, (1, 0, 0)
    for item in image.second:
        if item.number not in second_numbers:
            yield item, (0, 1, 0)
