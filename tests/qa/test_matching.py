"""Objects of two people are matched by overlap and class."""

import pytest

from catalog.annotated import AnnotatedObject
from catalog.box import overlap
from qa.matching import Matching, match_objects

from .making import image_of, thing


def objects(*items: AnnotatedObject) -> tuple[AnnotatedObject, ...]:
    return image_of(*items).objects


def numbers(matching: Matching) -> list[tuple[int, int]]:
    return [(match.first.number, match.second.number) for match in matching.matches]


def test_objects_are_matched_by_overlap_and_class() -> None:
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


def test_the_matching_maximises_the_sum_of_overlaps() -> None:
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


def test_boxes_match_across_only_classes_that_people_confuse() -> None:
    rider = thing("person", (10, 10, 90, 90))
    motorbike = thing("motorbike", (10, 40, 90, 110))
    assert overlap(rider.box, motorbike.box) > 0.5
    apart = match_objects(objects(rider), objects(motorbike), least_overlap=0.3)
    assert (numbers(apart), len(apart.only_first), len(apart.only_second)) == ([], 1, 1)
    bicycle = objects(thing("bicycle", (10, 42, 92, 110)))
    assert numbers(match_objects(objects(motorbike), bicycle, least_overlap=0.3)) == [(1, 1)]


def test_objects_below_the_least_overlap_are_not_matched() -> None:
    first = objects(thing("car", (1, 1, 10, 10)))
    second = objects(thing("car", (6, 1, 15, 10)))
    assert overlap(first[0].box, second[0].box) == pytest.approx(1 / 3)
    assert numbers(match_objects(first, second, least_overlap=0.3)) == [(1, 1)]
    matching = match_objects(first, second, least_overlap=0.34)
    assert (matching.matches, matching.only_first, matching.only_second) == ((), first, second)


@pytest.mark.parametrize("least_overlap", [0.0, -1.0, 1.1])
def test_an_impossible_least_overlap_is_refused(least_overlap: float) -> None:
    with pytest.raises(ValueError, match="expected 0 < least_overlap <= 1"):
        match_objects((), (), least_overlap=least_overlap)
