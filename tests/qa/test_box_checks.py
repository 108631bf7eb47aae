"""Boxes of one image next to one another."""

from dataclasses import replace

import pytest

from catalog.box import Box
from catalog.states import View

from .check_cases import (
    Case,
    confirm,
    list_params,
    with_parts,
)
from .making import VOC2012, image_of, run_checks, settings_with, thing
from .objects import CAR, PERSON

CASES: dict[str, list[Case]] = {
    "outside_image": [
        Case(image_of(CAR, PERSON)),
        Case(image_of(thing("car", (1, 1, 500, 375), view=View.LEFT))),
        Case(image_of(CAR, thing("car", (400, 1, 501, 90))), (2,)),
        Case(image_of(thing("car", (400, 1, 450, 376))), (1,)),
        Case(image_of(with_parts(("foot", (60, 340, 90, 380)))), (1,)),
        Case(image_of(replace(PERSON, point_xy=(500, 375)))),
        Case(image_of(replace(PERSON, point_xy=(0, 9))), (1,)),
        Case(image_of(replace(PERSON, point_xy=(9, 376))), (1,)),
    ],
    "small_box": [
        Case(image_of(thing("car", (10, 10, 13, 13)))),
        Case(image_of(thing("car", (10, 10, 12, 90)), CAR, thing("car", (9, 9, 90, 11))), (1, 3)),
    ],
    "same_class_overlap": [
        Case(image_of(CAR, PERSON, thing("car", (200, 100, 400, 200)))),
        Case(image_of(CAR, replace(CAR, box=Box(101, 100, 301, 200))), (2,)),
        Case(image_of(CAR, CAR, CAR), (2, 3, 3)),
        Case(image_of(CAR, replace(CAR, group_of=True, difficult=True))),
        Case(image_of(CAR, replace(CAR, class_name="bus"))),
        Case(
            image_of(CAR, thing("car", (200, 100, 400, 200))),
            (2,),
            settings=settings_with(same_class_overlap=0.3),
        ),
    ],
    "confusable_overlap": [
        Case(image_of(CAR, CAR)),
        Case(image_of(CAR, replace(CAR, class_name="bus")), (2,)),
        Case(image_of(CAR, replace(CAR, class_name="boat"))),
        Case(image_of(CAR, thing("bus", (150, 100, 350, 200))), (2,)),
        Case(image_of(CAR, thing("bus", (200, 100, 400, 200)))),
        Case(image_of(CAR, replace(CAR, class_name="bus")), settings=settings_with(confusable=[])),
        Case(
            image_of(CAR, replace(CAR, class_name="boat")),
            (2,),
            settings=settings_with(confusable=[["boat", "car"]]),
        ),
    ],
    "other_class_overlap": [
        Case(image_of(CAR, CAR)),
        Case(image_of(CAR, replace(CAR, class_name="boat")), (2,)),
        Case(image_of(CAR, replace(CAR, class_name="bus"))),
        Case(image_of(thing("horse", (50, 100, 300, 350)), PERSON)),
    ],
    "border_not_truncated": [
        Case(image_of(thing("car", (3, 3, 498, 373)))),
        Case(image_of(thing("car", (1, 9, 90, 90), truncated=True))),
        Case(image_of(thing("car", (2, 9, 90, 90))), (1,)),
        Case(image_of(thing("car", (9, 2, 90, 90))), (1,)),
        Case(image_of(thing("car", (9, 9, 499, 90))), (1,)),
        Case(image_of(thing("car", (9, 9, 90, 374))), (1,)),
        Case(image_of(thing("car", (2, 9, 90, 90))), settings=settings_with(border_margin_px=0)),
        Case(
            image_of(thing("car", (1, 9, 90, 90))), (1,), settings=settings_with(border_margin_px=0)
        ),
        Case(image_of(thing("car", (1, 9, 90, 90))), preset=replace(VOC2012, flags=())),
    ],
    "truncated_inside": [
        Case(image_of(CAR)),
        Case(image_of(replace(CAR, truncated=True)), (1,)),
        Case(image_of(replace(CAR, truncated=True, occluded=True))),
        Case(image_of(thing("car", (1, 100, 300, 200), truncated=True))),
        Case(image_of(replace(CAR, truncated=True), thing("bus", (301, 90, 400, 210)))),
        Case(image_of(replace(CAR, truncated=True), thing("bus", (303, 90, 400, 210))), (1,)),
    ],
}


@pytest.mark.parametrize(("check", "case"), list_params(CASES))
def test_each_check_of_boxes_finds_its_own_errors_and_nothing_else(check: str, case: Case) -> None:
    confirm(check, case)


@pytest.mark.parametrize(
    ("class_name", "says"), [("diningtable", "object 1 (dining table)"), ("unicorn", "1 (unicorn)")]
)
def test_messages_use_the_display_name_of_a_class(class_name: str, says: str) -> None:
    alike = settings_with(confusable=[["sofa", class_name]])
    image = image_of(replace(CAR, class_name=class_name), replace(CAR, class_name="sofa"))
    overlaps = [
        finding
        for finding in run_checks(image, VOC2012, alike)
        if finding.check == "confusable_overlap"
    ]
    assert [says in finding.message for finding in overlaps] == [True]
