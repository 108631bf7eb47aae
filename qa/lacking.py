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
from vockit.report.intervals import Interval, find_student

from .matching import MatchedImage
from .recapture import Found, merge_small, sum_missed

SIZE_CUTS_PX = (16, 32, 64, 128)
"""Limits of the strata of size: sides of a square with the area of a box. Objects of one stratum
are assumed to be equally easy to find. The limits are fixed, since the median of the objects found
would rise if both people missed small ones."""
MOST_OF_NONE = 3.69
"""The Poisson mean at which a count of 0 has a probability of 2.5 %."""

_Size = tuple[int, bool]
_Counts = dict[_Size, dict[object, list[int]]]


@dataclass(frozen=True)
class MissingLabels:
    """The estimated missing labels per image, with an interval of 95 %; `high` may be infinite."""

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
    The error is the jackknife's, leaving out one image at a time (B. Efron and C. Stein, Annals of
    Statistics 9, 1981), with Student's quantile on a logarithmic scale, since counts are skewed.
    The upper bound is at least the value plus MOST_OF_NONE labels divided by the number of images.
    NaN for fewer than two images.
    """
    number = len(images)
    if number < 2:
        return MissingLabels(math.nan, math.nan, math.nan)
    whole = _count(images)
    merged = {size: _merge(strata) for size, strata in whole.items()}
    drawn = [len(image.first) + len(image.second) for image in images]
    value = _lack(merged, sum(drawn), number)
    without = np.array(
        [
            _lack(_leave_out(whole, merged, image), sum(drawn) - objects, number - 1)
            for image, objects in zip(images, drawn, strict=True)
        ]
    )
    error = float(without.std()) * math.sqrt(number - 1)
    least_high = value + MOST_OF_NONE / number
    if value <= 0 or error <= 0:
        return MissingLabels(max(value, 0.0), 0.0, max(least_high, 0.0))
    times = math.exp(find_student(number) * error / value)
    return MissingLabels(value, value / times, max(value * times, least_high))


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


def _lack(merged: dict[_Size, list[Found]], drawn: int, images: int) -> float:
    strata = [stratum for listed in merged.values() for stratum in listed]
    either = sum(stratum.either for stratum in strata)
    return (either - drawn / 2 + sum_missed(merge_small(strata))) / images


def _leave_out(
    whole: _Counts, merged: dict[_Size, list[Found]], image: MatchedImage
) -> dict[_Size, list[Found]]:
    """The merged strata without one image."""
    others = dict(merged)
    for size, strata in _count([image]).items():
        left = whole[size] | {
            stratum: [all_ - less for all_, less in zip(whole[size][stratum], counts, strict=True)]
            for stratum, counts in strata.items()
        }
        others[size] = _merge(left)
    return others


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
