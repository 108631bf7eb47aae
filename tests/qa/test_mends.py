from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from catalog.box import Box
from catalog.states import View
from qa.error_rates import count_words, measure_errors
from qa.mends import CheckedWork, Slip, find_slips
from qa.subjects import CheckedObject

from .making import part, thing

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
CAR = replace(thing("car", (100, 100, 300, 200), view=View.LEFT), key="a")
DOG = replace(thing("dog", (10, 10, 60, 60), view=View.REAR), key="b")


def work(drawn: list[CheckedObject], mended: list[CheckedObject]) -> CheckedWork:
    return CheckedWork(1, 1, 2, NOON, tuple(drawn), tuple(mended))


@pytest.mark.parametrize(
    ("drawn", "mended", "slips"),
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
    ],
)
def test_a_mend_is_a_difference_by_field(
    drawn: list[CheckedObject], mended: list[CheckedObject], slips: list[tuple[Slip, str]]
) -> None:
    found = find_slips(work(drawn, mended))
    assert [(one.slip, one.class_name) for one in found] == slips


def test_what_was_said_and_should_have_been_is_counted() -> None:
    bus = replace(CAR, class_name="bus")
    listed = [work([CAR], [bus]), work([CAR], [bus]), work([bus], [CAR]), work([CAR], [CAR])]
    assert count_words(listed, Slip.CLASS) == [("car", "bus", 2), ("bus", "car", 1)]


def test_what_was_drawn_for_nothing_is_a_share_of_what_was_drawn() -> None:
    errors = measure_errors([work([CAR, DOG], [CAR])])
    assert errors.objects == 1
    assert errors.rates[Slip.EXTRA].value == 1 / 2
    assert errors.rates[Slip.MISSED].value == 0
