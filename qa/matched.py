"""Many annotations of two people matched object by object, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.states import View

from .agreement import match_objects
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
    drawn = {item.class_name for pair in pairs for item in (*pair.first, *pair.second)}
    known = [name for name in class_names if name in drawn]
    classes = (*known, *sorted(drawn - set(known)))
    places = {name: place for place, name in enumerate(classes)}
    matched_rows: list[tuple[Any, ...]] = []
    object_rows: list[tuple[int, int, int, bool]] = []
    people = []
    for image, pair in enumerate(_turn(pair) for pair in pairs):
        people.append((pair.first_id, pair.second_id))
        matching = match_objects(pair.first, pair.second, least_overlap=least_overlap)
        for match in matching.matches:
            words = (*_words(match.first, places), *_words(match.second, places))
            matched_rows.append((image, match.overlap, *words))
        lonely = {id(item) for item in (*matching.only_first, *matching.only_second)}
        for side, objects in enumerate((pair.first, pair.second)):
            object_rows += [
                (image, side, places[item.class_name], id(item) not in lonely) for item in objects
            ]
    matched = np.array(matched_rows, dtype=np.float64).reshape(-1, 2 + 2 * len(FIELDS))
    objects_table = np.array(object_rows, dtype=np.int64).reshape(-1, 4)
    words_table = matched[:, 2:].astype(np.int64)
    return MatchedPairs(
        classes,
        np.array(people, dtype=np.int64).reshape(-1, 2),
        matched[:, 0].astype(np.int64),
        matched[:, 1],
        {field: words_table[:, place] for place, field in enumerate(FIELDS)},
        {field: words_table[:, place + len(FIELDS)] for place, field in enumerate(FIELDS)},
        objects_table[:, 0],
        objects_table[:, 1],
        objects_table[:, 2],
        objects_table[:, 3].astype(bool),
    )


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
