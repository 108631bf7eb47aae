"""Which object of one annotation is which of another, for one image or for many as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.annotated import AnnotatedObject
from catalog.box import Box, intersection_px

from .findings import SeenTwice, SuggestedObject

LEAST_OVERLAP_ACROSS_CLASSES = 0.7
"""From here on two boxes of different classes are one object: a rider and the motorbike overlap
less, two people's boxes of one object mostly more (measured in docs/measurements/qa.md)."""


@dataclass(frozen=True)
class Match:
    """One object as two annotations have it."""

    first: AnnotatedObject
    second: AnnotatedObject
    overlap: float


@dataclass(frozen=True)
class Matching:
    """Which objects two annotations share, and what only one of them has; in the first's order."""

    matches: tuple[Match, ...]
    only_first: tuple[AnnotatedObject, ...]
    only_second: tuple[AnnotatedObject, ...]


@dataclass(frozen=True)
class MatchedImage:
    """One image that two people have, the lower id first, with what each drew and what both did."""

    people: tuple[int, int]
    first: tuple[AnnotatedObject, ...]
    second: tuple[AnnotatedObject, ...]
    matches: tuple[Match, ...]
    confused: tuple[Match, ...] = ()
    """Of one class only: objects that both drew and one of them gave another class."""

    def of_class(self, name: str) -> MatchedImage:
        """The same with what each gave the class, and what both gave it."""
        first, second = (
            tuple(item for item in items if item.class_name == name)
            for items in (self.first, self.second)
        )
        given = [
            (match, {match.first.class_name, match.second.class_name}) for match in self.matches
        ]
        alike = tuple(match for match, names in given if names == {name})
        confused = tuple(match for match, names in given if name in names and len(names) == 2)
        return MatchedImage(self.people, first, second, alike, confused)


@dataclass(frozen=True)
class MatchedPairs:
    """Images that two people have, and the classes that were drawn in them."""

    classes: tuple[str, ...]
    images: tuple[MatchedImage, ...]


def match_objects(
    first: Sequence[AnnotatedObject], second: Sequence[AnnotatedObject], *, least_overlap: float
) -> Matching:
    """Each class matched one to one with the largest sum of overlaps, then what is left.

    Within a class boxes overlap by at least `least_overlap`; across classes by as much and at least
    LEAST_OVERLAP_ACROSS_CLASSES. Raises ValueError unless 0 < least_overlap <= 1.
    """
    if not 0 < least_overlap <= 1:
        raise ValueError(f"expected 0 < least_overlap <= 1, got {least_overlap}")
    overlaps = overlap_matrix([item.box for item in first], [item.box for item in second])
    is_same = np.array([[a.class_name == b.class_name for b in second] for a in first], dtype=bool)
    is_same = is_same.reshape(overlaps.shape)
    chosen = assign(overlaps, is_same & (overlaps >= least_overlap))
    is_free = np.ones(overlaps.shape, dtype=bool)
    for row, column in chosen:
        is_free[row, :] = is_free[:, column] = False
    across = overlaps >= max(least_overlap, LEAST_OVERLAP_ACROSS_CLASSES)
    chosen = sorted([*chosen, *assign(overlaps, is_free & across & ~is_same)])
    rows = {row for row, _ in chosen}
    columns = {column for _, column in chosen}
    return Matching(
        tuple(Match(first[a], second[b], float(overlaps[a, b])) for a, b in chosen),
        tuple(item for row, item in enumerate(first) if row not in rows),
        tuple(item for column, item in enumerate(second) if column not in columns),
    )


def is_in_group(
    item: AnnotatedObject | SuggestedObject, objects: Iterable[AnnotatedObject]
) -> bool:
    """Whether one box of its class around a group holds it, or most of it."""
    groups = (other for other in objects if other.group_of and other.class_name == item.class_name)
    return any(intersection_px(group.box, item.box) > item.box.area_px / 2 for group in groups)


@dataclass(frozen=True)
class Compared:
    """What counts of two annotations, and which of these objects are the same."""

    first: tuple[AnnotatedObject, ...]
    second: tuple[AnnotatedObject, ...]
    matches: tuple[Match, ...]


def compare_objects(
    first: Sequence[AnnotatedObject], second: Sequence[AnnotatedObject], *, least_overlap: float
) -> Compared:
    """The objects matched one to one, without what one drew as a group and the other one by one.

    As difficult objects in an evaluation, these count neither as found nor as missed: boxes without
    a partner in a group of the other, and a group without one that holds several such boxes.
    """
    matching = match_objects(first, second, least_overlap=least_overlap)
    only_first = matching.only_first
    only_second = matching.only_second
    gone = {id(item) for item in _list_grouped(first, only_first, only_second)}
    gone |= {id(item) for item in _list_grouped(second, only_second, only_first)}
    return Compared(
        tuple(item for item in first if id(item) not in gone),
        tuple(item for item in second if id(item) not in gone),
        matching.matches,
    )


def _list_grouped(
    items: Sequence[AnnotatedObject],
    left: Sequence[AnnotatedObject],
    others_left: Sequence[AnnotatedObject],
) -> Iterator[AnnotatedObject]:
    """What does not count for the groups among the items; `left` are those without a partner."""
    without_partner = {id(item) for item in left}
    singles = [item for item in others_left if not item.group_of]
    for group in items:
        inside = [item for item in singles if is_in_group(item, [group])]
        if id(group) not in without_partner:
            yield from inside
        elif len(inside) > 1:
            yield from (group, *inside)


def assign(overlaps: NDArray[np.float64], fits: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Rows and columns of the assignment with the largest sum of overlaps among those that fit."""
    from scipy.optimize import linear_sum_assignment  # takes long, and a server starts without it

    pairs = zip(*linear_sum_assignment(np.where(fits, overlaps, 0.0), maximize=True), strict=True)
    return [(int(row), int(column)) for row, column in pairs if fits[row, column]]


def overlap_matrix(first: Sequence[Box], second: Sequence[Box]) -> NDArray[np.float64]:
    """Intersection over union of each box of the one list (rows) with each of the other."""
    edges = [np.array([box.xyxy for box in some], float).reshape(-1, 4) for some in (first, second)]
    for boxes in edges:
        boxes[:, :2] -= 1  # from pixels, both ends of which belong to the box, to its edges
    return overlap_edges(*edges)


def overlap_edges(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """As overlap_matrix, of rows of left, top, right and bottom edges."""
    least = np.maximum(a[:, None, :2], b[:, :2])
    most = np.minimum(a[:, None, 2:], b[:, 2:])
    shared = np.prod(np.maximum(most - least, 0), axis=-1)
    areas = [np.prod(corners[:, 2:] - corners[:, :2], axis=-1) for corners in (a, b)]
    return np.asarray(shared / (areas[0][:, None] + areas[1] - shared), dtype=np.float64)


def match_pairs(
    pairs: Sequence[SeenTwice], class_names: Sequence[str], *, least_overlap: float
) -> MatchedPairs:
    """All pairs as compare_objects has them; `classes` are those drawn, as `class_names` go."""
    drawn = {item.class_name for pair in pairs for item in (*pair.first, *pair.second)}
    images = []
    for pair in pairs:
        sides = [(pair.first_id, pair.first), (pair.second_id, pair.second)]
        (first_id, first), (second_id, second) = sorted(sides, key=lambda side: side[0])
        both = compare_objects(first, second, least_overlap=least_overlap)
        people = (first_id, second_id)
        images.append(MatchedImage(people, both.first, both.second, both.matches))
    names = add_drawn(class_names, drawn)
    return MatchedPairs(tuple(name for name in names if name in drawn), tuple(images))


def add_drawn(names: Iterable[str], drawn: Iterable[str]) -> tuple[str, ...]:
    """The names, then those that only objects have, which left the preset."""
    known = tuple(names)
    return (*known, *sorted({*drawn} - {*known}))
