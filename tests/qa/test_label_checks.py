"""What the words of an object say: class, view, flags, actions and parts."""

from dataclasses import replace

import pytest

from catalog.states import View

from .check_cases import (
    FOOT,
    HAND,
    HEAD,
    WITH_GROUPS,
    WITH_NEGATIVES,
    Case,
    confirm,
    list_params,
    with_parts,
)
from .making import VOC2007, VOC2012, image_of, names, part, run_checks, settings_with, thing
from .objects import BOTTLE, CAR, GROUP, PERSON

SETTINGS = settings_with()

CASES: dict[str, list[Case]] = {
    "unknown_class": [
        Case(image_of(CAR)),
        Case(image_of(CAR, thing("zebra", (9, 9, 90, 90)), thing("", (9, 9, 90, 90))), (2, 3)),
        Case(image_of(thing("Car", (9, 9, 90, 90))), (1,)),
    ],
    "unknown_view": [
        Case(image_of(CAR, BOTTLE, thing("zebra", (9, 9, 90, 90), view=View.LEFT))),
        Case(image_of(CAR), (1,), preset=replace(VOC2012, views=VOC2012.views[:1])),
    ],
    "unknown_part": [
        Case(image_of(with_parts(HEAD, HAND, HAND, FOOT, FOOT))),
        Case(image_of(with_parts(HEAD, ("tail", (80, 90, 90, 99)))), (1,)),
        Case(image_of(PERSON, replace(CAR, parts=(part(*HEAD),))), (2,)),
    ],
    "too_many_parts": [
        Case(image_of(with_parts(HEAD, HAND, HAND, FOOT, FOOT))),
        Case(image_of(with_parts(HEAD, HEAD)), (1,)),
        Case(image_of(with_parts(HAND, HAND, HAND, FOOT, FOOT, FOOT)), (1, 1)),
    ],
    "unknown_action": [
        Case(image_of(replace(PERSON, actions=("walking", "phoning")))),
        Case(image_of(replace(PERSON, actions=("walking", "sleeping"))), (1,)),
        Case(image_of(replace(CAR, actions=("walking",))), (1,)),
        Case(image_of(replace(PERSON, actions=("walking",))), (1, 1), preset=VOC2007),
    ],
    "exclusive_action": [
        Case(image_of(replace(PERSON, actions=("other",)))),
        Case(image_of(replace(PERSON, actions=("walking", "reading")))),
        Case(image_of(PERSON, replace(PERSON, actions=("other", "walking"))), (2,)),
    ],
    "no_objects": [
        Case(image_of(CAR)),
        Case(image_of(), (None,)),
        Case(image_of(), settings=WITH_NEGATIVES),
    ],
    "view_missing": [
        Case(image_of(GROUP), settings=WITH_GROUPS),
        Case(image_of(CAR, thing("zebra", (9, 9, 90, 90)))),
        Case(image_of(replace(CAR, view=View.UNSPECIFIED)), (1,)),
        Case(
            image_of(replace(CAR, view=View.UNSPECIFIED)),
            preset=replace(VOC2012, views=VOC2012.views[:1]),
        ),
    ],
    "far_part": [
        Case(image_of(with_parts(("hand", (140, 200, 190, 220))))),
        Case(image_of(with_parts(HEAD, ("hand", (151, 200, 190, 220)))), (1,)),
        Case(image_of(with_parts(HEAD, ("hand", (140, 200, 300, 220))))),
        Case(image_of(with_parts(HEAD, ("hand", (140, 200, 301, 220)))), (1,)),
        Case(
            image_of(with_parts(HEAD, ("hand", (140, 200, 160, 220)))),
            (1,),
            settings=settings_with(far_part_share=0.01),
        ),
    ],
    "large_part": [
        Case(image_of(with_parts(HEAD))),
        Case(image_of(with_parts(("head", (40, 40, 160, 360)))), (1,)),
    ],
    "unknown_flag": [
        Case(image_of(replace(CAR, occluded=True, truncated=True, difficult=True))),
        Case(image_of(CAR, replace(CAR, occluded=True)), (2,), preset=VOC2007),
        Case(image_of(CAR), preset=VOC2007),
        Case(image_of(CAR, GROUP), (2,)),
        Case(image_of(GROUP), settings=WITH_GROUPS),
    ],
    "short_time": [
        Case(image_of(CAR, active_secs=2.0)),
        Case(image_of(CAR)),
        Case(image_of(CAR, active_secs=1.9), (None,)),
        Case(image_of(*[BOTTLE] * 9, active_secs=4.5)),
        Case(image_of(*[BOTTLE] * 9, active_secs=4.4), (None,)),
        Case(image_of(CAR, active_secs=9.0), (None,), settings=settings_with(min_active_secs=10)),
    ],
}


@pytest.mark.parametrize(("check", "case"), list_params(CASES))
def test_each_check_of_labels_finds_its_own_errors_and_nothing_else(check: str, case: Case) -> None:
    confirm(check, case)


def test_an_object_of_a_class_without_views_must_have_no_view() -> None:
    seen = [(item, item.has_views and item.name != "bottle") for item in VOC2012.classes]
    bare = replace(
        VOC2012, classes=tuple(replace(item, has_views=has_views) for item, has_views in seen)
    )
    assert names(run_checks(image_of(BOTTLE), bare, SETTINGS)) == []
    turned = image_of(replace(BOTTLE, view=View.LEFT))
    assert names(run_checks(turned, bare, SETTINGS)) == [("unknown_view", 1)]
