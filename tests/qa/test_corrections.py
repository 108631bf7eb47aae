from dataclasses import replace
from datetime import UTC, datetime

import pytest

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.states import View
from qa.corrections import CheckedWork, Slip, find_slips, measure_errors

from .making import part, thing

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
CAR = replace(thing("car", (100, 100, 300, 200), view=View.LEFT), key="a")
DOG = replace(thing("dog", (10, 10, 60, 60), view=View.REAR), key="b")


def work(drawn: list[AnnotatedObject], corrected: list[AnnotatedObject]) -> CheckedWork:
    return CheckedWork(1, NOON, tuple(drawn), tuple(corrected))


@pytest.mark.parametrize(
    ("drawn", "corrected", "slips"),
    [
        ([CAR, DOG], [CAR, DOG], []),
        ([CAR, DOG], [DOG, CAR], []),
        ([CAR], [CAR, DOG], [(Slip.MISSED, "dog")]),
        ([CAR, DOG], [CAR], [(Slip.EXTRA, "dog")]),
        ([CAR], [replace(CAR, class_name="bus")], [(Slip.CLASS, "bus")]),
        ([CAR], [replace(CAR, view=View.RIGHT)], [(Slip.VIEW, "car")]),
        ([CAR], [replace(CAR, truncated=True)], [(Slip.TRUNCATED, "car")]),
        ([CAR], [replace(CAR, occluded=True)], [(Slip.OCCLUDED, "car")]),
        ([CAR], [replace(CAR, box=Box(101, 100, 300, 200))], []),
        ([CAR], [replace(CAR, box=Box(100, 100, 250, 200))], [(Slip.BOX, "car")]),
        ([DOG], [replace(DOG, actions=("walking",))], [(Slip.ACTIONS, "dog")]),
        ([DOG], [replace(DOG, parts=(part("head", (20, 20, 30, 30)),))], [(Slip.PARTS, "dog")]),
        (
            [CAR],
            [replace(CAR, class_name="bus", view=View.REAR), DOG],
            [(Slip.CLASS, "bus"), (Slip.VIEW, "bus"), (Slip.MISSED, "dog")],
        ),
        ([CAR], [replace(CAR, difficult=True)], []),
        ([CAR], [replace(CAR, key="new", box=Box(110, 100, 310, 210))], [(Slip.BOX, "car")]),
        ([CAR], [replace(CAR, key="new", class_name="bus")], [(Slip.CLASS, "bus")]),
    ],
)
def test_each_changed_field_is_one_slip(
    drawn: list[AnnotatedObject], corrected: list[AnnotatedObject], slips: list[tuple[Slip, str]]
) -> None:
    assert find_slips(work(drawn, corrected)) == slips


def test_the_rate_of_extra_objects_is_a_share_of_drawn_objects() -> None:
    errors = measure_errors([work([CAR, DOG], [CAR])])
    assert errors.objects == 1
    assert errors.rates[Slip.EXTRA].value == 1 / 2
    assert errors.rates[Slip.MISSED].value == 0
