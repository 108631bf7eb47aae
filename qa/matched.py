"""Many annotations of two people matched object by object, as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.states import View

from .agreement import Match, Matching, match_objects
from .subjects import CheckedObject, SeenTwice

FIELDS = ("class", "view", "truncated", "occluded")
VIEWS = tuple(View)

Column = NDArray[np.int64]


@dataclass(frozen=True)
class MatchedPairs:
    """What two people each said of every object, and which each of them alone has.

    `people` are (first, second) by image, the lower id first; a row of `pair_image` and its
    neighbours is one matched object, its words as places in `classes` and VIEWS; a row of
    `object_image` is one drawn object, `object_side` 0 for the first's. `is_matched` says whether
    it has a partner.
    """

    classes: tuple[str, ...]
    people: NDArray[np.int64]
    pair_image: Column
    overlaps: NDArray[np.float64]
    first_words: dict[str, Column]
    second_words: dict[str, Column]
    object_image: Column
    object_side: Column
    object_class: Column
    is_matched: NDArray[np.bool_]

    @property
    def images(self) -> int:
        """How many images two people have."""
        return len(self.people)


def match_pairs(
    pairs: Sequence[SeenTwice], class_names: Sequence[str], *, least_overlap: float
) -> MatchedPairs:
    """All pairs matched one to one.

    `classes` of the answer are those that somebody drew: in the order of `class_names`, and after
    them, sorted, those that it lacks.
    """
    turned = [_turn(pair) for pair in pairs]
    classes = _list_drawn(turned, class_names)
    places = {name: place for place, name in enumerate(classes)}
    matched: list[tuple[float, ...]] = []
    objects: list[tuple[int, ...]] = []
    for image, pair in enumerate(turned):
        matching = match_objects(pair.first, pair.second, least_overlap=least_overlap)
        matched += [(image, *_describe_match(match, places)) for match in matching.matches]
        objects += [(image, *row) for row in _describe_objects(pair, matching, places)]
    people = [(pair.first_id, pair.second_id) for pair in turned]
    return _make_columns(classes, people, matched, objects)


def _make_columns(
    classes: tuple[str, ...],
    people: Sequence[tuple[int, int]],
    matched: Sequence[tuple[float, ...]],
    objects: Sequence[tuple[int, ...]],
) -> MatchedPairs:
    """What is known row by row, as columns."""
    pairs = np.array(matched, dtype=np.float64).reshape(-1, 2 + 2 * len(FIELDS))
    drawn = np.array(objects, dtype=np.int64).reshape(-1, 4)
    first, second = np.split(pairs[:, 2:].astype(np.int64), 2, axis=1)
    images, sides, names, are_matched = drawn.T
    return MatchedPairs(
        classes,
        np.array(people, dtype=np.int64).reshape(-1, 2),
        pairs[:, 0].astype(np.int64),
        pairs[:, 1],
        dict(zip(FIELDS, first.T, strict=True)),
        dict(zip(FIELDS, second.T, strict=True)),
        images,
        sides,
        names,
        are_matched.astype(bool),
    )


def _list_drawn(pairs: Sequence[SeenTwice], class_names: Sequence[str]) -> tuple[str, ...]:
    drawn = {item.class_name for pair in pairs for item in (*pair.first, *pair.second)}
    known = [name for name in class_names if name in drawn]
    return (*known, *sorted(drawn - set(known)))


def _describe_match(match: Match, places: dict[str, int]) -> tuple[float, ...]:
    """The overlap of two objects and what is said of each."""
    return (match.overlap, *_words(match.first, places), *_words(match.second, places))


def _describe_objects(
    pair: SeenTwice, matching: Matching, places: dict[str, int]
) -> Iterator[tuple[int, int, bool]]:
    """Of each drawn object its side, its class and whether it has a partner."""
    lonely = {id(item) for item in (*matching.only_first, *matching.only_second)}
    for side, objects in enumerate((pair.first, pair.second)):
        for item in objects:
            yield side, places[item.class_name], id(item) not in lonely


def _turn(pair: SeenTwice) -> SeenTwice:
    """The pair with the lower id first, so that two people are one pair whoever drew first."""
    if pair.first_id <= pair.second_id:
        return pair
    return SeenTwice(
        pair.image_id, pair.second_id, pair.first_id, pair.second, pair.first, pair.is_blind
    )


def _words(item: CheckedObject, places: dict[str, int]) -> tuple[int, ...]:
    return (
        places[item.class_name],
        VIEWS.index(item.view),
        int(item.truncated),
        int(item.occluded),
    )
