from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.box import Box, overlap
from qa.agreement import Matching, match_objects
from qa.subjects import CheckedObject

from .making import image_of, thing


def objects(*items: CheckedObject) -> tuple[CheckedObject, ...]:
    return image_of(*items).objects


def numbers(matching: Matching) -> list[tuple[int, int]]:
    return [(match.first.number, match.second.number) for match in matching.matches]


def test_each_object_is_matched_with_the_one_it_is() -> None:
    first = objects(thing("car", (10, 10, 50, 50)), thing("dog", (100, 100, 180, 180)))
    second = objects(
        thing("dog", (102, 100, 182, 180)),
        thing("car", (300, 10, 350, 50)),
        thing("car", (10, 11, 50, 51)),
    )
    matching = match_objects(first, second, least_overlap=0.5)
    assert numbers(matching) == [(1, 3), (2, 1)]
    assert matching.matches[0].overlap == pytest.approx(overlap(first[0].box, second[2].box))
    assert matching.only_first == ()
    assert [item.number for item in matching.only_second] == [2]


def test_the_best_single_pair_gives_way_to_the_best_sum() -> None:
    """Taking the largest overlap first would leave the other two without a partner."""
    first = objects(thing("car", (1, 1, 100, 10)), thing("car", (31, 1, 130, 10)))
    second = objects(thing("car", (21, 1, 120, 10)), thing("car", (61, 1, 160, 10)))
    greedy = max((overlap(a.box, b.box), a.number, b.number) for a in first for b in second)
    assert greedy[1:] == (2, 1)
    assert numbers(match_objects(first, second, least_overlap=0.2)) == [(1, 1), (2, 2)]


def test_boxes_of_another_class_may_match_but_the_same_class_is_preferred() -> None:
    first = objects(thing("person", (10, 10, 90, 90)), thing("horse", (10, 10, 90, 90)))
    second = objects(thing("horse", (10, 10, 90, 90)), thing("person", (10, 10, 90, 90)))
    assert numbers(match_objects(first, second, least_overlap=0.5)) == [(1, 2), (2, 1)]
    confused = objects(thing("cow", (10, 10, 90, 90)))
    assert numbers(match_objects(first[1:], confused, least_overlap=0.5)) == [(2, 1)]


def test_what_overlaps_too_little_is_not_matched() -> None:
    first, second = objects(thing("car", (1, 1, 10, 10))), objects(thing("car", (6, 1, 15, 10)))
    assert overlap(first[0].box, second[0].box) == pytest.approx(1 / 3)
    assert numbers(match_objects(first, second, least_overlap=0.3)) == [(1, 1)]
    matching = match_objects(first, second, least_overlap=0.34)
    assert (matching.matches, matching.only_first, matching.only_second) == ((), first, second)


def test_nothing_matches_nothing() -> None:
    one = objects(thing("car", (1, 1, 10, 10)))
    assert match_objects((), (), least_overlap=0.5) == Matching((), (), ())
    assert match_objects(one, (), least_overlap=0.5) == Matching((), one, ())
    assert match_objects((), one, least_overlap=0.5) == Matching((), (), one)


@pytest.mark.parametrize("least_overlap", [0.0, -1.0, 1.1])
def test_an_impossible_least_overlap_is_refused(least_overlap: float) -> None:
    with pytest.raises(ValueError, match="expected 0 < least_overlap <= 1"):
        match_objects((), (), least_overlap=least_overlap)


sides = st.integers(1, 6)
drawn = st.lists(
    st.builds(
        lambda name, x, y, width, height: thing(name, (x, y, x + width, y + height)),
        st.sampled_from(["car", "dog"]),
        sides,
        sides,
        sides,
        sides,
    ),
    max_size=4,
).map(lambda items: objects(*items))


def best_sum(first: tuple[CheckedObject, ...], second: tuple[CheckedObject, ...]) -> float:
    """The largest sum of overlaps of at least 0.3 that any one-to-one matching reaches."""
    if len(first) > len(second):
        first, second = second, first
    overlaps = [
        [value if (value := overlap(one.box, other.box)) >= 0.3 else 0.0 for other in second]
        for one in first
    ]
    return max(
        sum(overlaps[row][column] for row, column in enumerate(columns))
        for columns in permutations(range(len(second)), len(first))
    )


@given(drawn, drawn)
def test_no_other_matching_has_a_larger_sum(
    first: tuple[CheckedObject, ...], second: tuple[CheckedObject, ...]
) -> None:
    matching = match_objects(first, second, least_overlap=0.3)
    assert all(match.overlap >= 0.3 for match in matching.matches)
    total = sum(match.overlap for match in matching.matches)
    assert total == pytest.approx(best_sum(first, second), abs=1e-4)
    assert len(matching.matches) + len(matching.only_first) == len(first)
    assert len(matching.matches) + len(matching.only_second) == len(second)


@given(drawn)
def test_an_annotation_agrees_with_itself(items: tuple[CheckedObject, ...]) -> None:
    matching = match_objects(items, items, least_overlap=1.0)
    assert (matching.only_first, matching.only_second) == ((), ())
    assert all(match.first.box == match.second.box for match in matching.matches)
    assert all(match.first.class_name == match.second.class_name for match in matching.matches)


def test_boxes_are_those_of_voc() -> None:
    """Both ends inside: boxes that share one column of ten overlap by a nineteenth."""
    first, second = objects(thing("car", (1, 1, 10, 1))), objects(thing("car", (10, 1, 19, 1)))
    [match] = match_objects(first, second, least_overlap=0.01).matches
    assert match.overlap == pytest.approx(1 / 19)
    assert Box(1, 1, 10, 1).area_px == 10
