from collections import Counter
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.preset import Preset
from catalog.settings import ExportSettings, Settings, make_settings
from catalog.states import View
from qa.check_list import CHECKS, check_names
from qa.checks import (
    ADDED_TOGETHER,
    ANSWERED_ALONE,
    MOST_OF_ONE_CHECK,
    SETTLED_TOGETHER,
    find_revision_findings,
    run_image_checks,
    run_set_checks,
)
from qa.findings import Check, CheckedImage, ImageCheck, Severity, SuggestedObject

from .making import VOC2007, VOC2012, image_of, names, part, run_checks, settings_with, thing

SETTINGS = settings_with()
WITH_NEGATIVES = make_settings({"name": "Test party", "export": {"negatives": True}})
WITH_GROUPS = make_settings({"name": "Test party", "annotate": {"groups": True}})
MANUAL = Path(__file__).parents[2] / "docs/manual/qa.md"

CAR = thing("car", (100, 100, 300, 200), view=View.LEFT)
PERSON = thing("person", (50, 50, 150, 350), view=View.FRONTAL)
BOTTLE = thing("bottle", (400, 100, 420, 160))
GROUP = thing("person", (1, 50, 500, 350), group_of=True, difficult=True)


def with_parts(*parts: tuple[str, tuple[int, int, int, int]]) -> AnnotatedObject:
    return replace(PERSON, parts=tuple(part(name, xyxy) for name, xyxy in parts))


@dataclass(frozen=True)
class Case:
    """An image with what a check must find in it (by object), or must not."""

    image: CheckedImage
    objects: tuple[int | None, ...] = ()
    preset: Preset = VOC2012
    settings: Settings = SETTINGS


HEAD = ("head", (80, 50, 120, 90))
HAND = ("hand", (50, 200, 70, 220))
FOOT = ("foot", (60, 330, 80, 350))

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
IN_SETS = (
    "identical_box",
    "actions_missing",
    "same_hour_labels",
    "seen_by_another",
    "suggested_otherwise",
)
OF_PEOPLE = ("box_size_bias", "class_never_marked")


@pytest.mark.parametrize(
    ("check", "case"),
    [
        pytest.param(name, case, id=f"{name}-{number}")
        for name, cases in CASES.items()
        for number, case in enumerate(cases)
    ],
)
def test_each_check_finds_its_own_errors_and_nothing_else(check: str, case: Case) -> None:
    findings = run_checks(case.image, case.preset, case.settings)
    of_check = [finding for finding in findings if finding.check == check]
    assert tuple(finding.object_number for finding in of_check) == case.objects
    for finding in of_check:
        assert finding.image_id == 7
        has_key = finding.object_number is not None
        assert finding.object_key == (f"object-{finding.object_number}" if has_key else None)
        assert finding.message.endswith((".", "?"))


def test_every_check_has_cases_with_and_without_findings() -> None:
    assert sorted([*CASES, *IN_SETS, *OF_PEOPLE]) == sorted(check_names())
    for cases in CASES.values():
        assert {bool(case.objects) for case in cases} == {True, False}


def test_boxes_copied_from_another_image_are_found() -> None:
    images = [
        image_of(CAR, PERSON, image_id=1),
        image_of(replace(CAR, view=View.REAR), image_id=2),
        image_of(replace(CAR, class_name="bus"), image_id=3),
        image_of(BOTTLE, CAR, image_id=4),
    ]
    copies = run_set_checks(images, VOC2012, SETTINGS)
    assert [(finding.image_id, finding.object_number, finding.check) for finding in copies] == [
        (2, 1, "identical_box"),
        (3, 1, "identical_box"),  # relabelled, but never moved
        (4, 2, "identical_box"),
    ]
    assert all("image 1." in finding.message for finding in copies)


def test_what_another_person_drew_blind_and_the_image_lacks_is_found() -> None:
    near = replace(CAR, key="c", box=Box(110, 100, 310, 200))
    lacking = replace(BOTTLE, number=2, key="b")
    images = [
        image_of(CAR, PERSON, drawn_blind=(near, lacking)),
        image_of(CAR, image_id=8, drawn_blind=(near,)),
        image_of(CAR, image_id=9),
    ]
    [missed] = [
        finding
        for finding in run_set_checks(images, VOC2012, SETTINGS)
        if finding.check == "seen_by_another"
    ]
    assert (missed.image_id, missed.object_key, missed.object_number) == (7, None, None)
    assert "bottle at (400, 100, 420, 160)" in missed.message


def _suggest(
    number: int, class_name: str, xyxy: tuple[int, int, int, int], confidence: float = 0.9
) -> SuggestedObject:
    return SuggestedObject(number, "net", class_name, Box(*xyxy), confidence)


def test_what_lies_in_a_group_of_its_class_is_not_asked_for() -> None:
    group = thing("person", (1, 1, 300, 100), group_of=True, difficult=True)
    inside = replace(PERSON, box=Box(10, 10, 40, 90), key="inside")
    beside = replace(PERSON, box=Box(280, 10, 330, 90), key="beside")
    bottle = replace(BOTTLE, box=Box(50, 10, 70, 60), key="bottle")
    suggested = (_suggest(1, "person", (100, 10, 140, 90)), _suggest(2, "bottle", (5, 5, 30, 60)))
    image = image_of(group, drawn_blind=(inside, beside, bottle), suggested=suggested)
    messages = [finding.message for finding in run_set_checks([image], VOC2012, SETTINGS)]
    assert len(messages) == 3
    assert sum("person at (280, 10, 330, 90)" in message for message in messages) == 1
    assert sum("bottle" in message for message in messages) == 2


def test_what_a_detector_is_sure_of_and_nobody_drew_is_asked_for() -> None:
    bottle_xyxy = (400, 100, 420, 160)
    suggested = (
        _suggest(1, "bottle", bottle_xyxy, 0.93),
        _suggest(2, "bottle", (400, 101, 420, 161)),  # another model's, of the same bottle
        _suggest(3, "bus", (105, 100, 300, 200)),
        _suggest(4, "car", (100, 105, 300, 200)),  # drawn
        _suggest(5, "zebra", (1, 1, 50, 50)),  # no class of the party
    )
    images = [image_of(CAR, PERSON, suggested=suggested), image_of(CAR, image_id=8)]
    asked = [
        finding
        for finding in run_set_checks(images, VOC2012, SETTINGS)
        if finding.check == "suggested_otherwise"
    ]
    assert [(finding.image_id, finding.object_number, finding.message) for finding in asked] == [
        (
            7,
            None,
            "net sees a bottle at (400, 100, 420, 160) (confidence 0.93), where none is drawn. Is "
            "it missing?",
        ),
        (
            7,
            1,
            "net sees a bus here (confidence 0.90), and it is drawn as car. Which one is right?",
        ),
    ]


@pytest.mark.parametrize(
    ("exhaustive", "searched", "asked"),
    [
        ("all", {"car"}, ["bottle", "bus"]),
        ("query", {"car"}, ["bus"]),  # where another object is drawn, it may be this one
        ("query", {"car", "bottle"}, ["bottle", "bus"]),
        ("query", set(), ["bottle", "bus"]),  # people looked for all classes
    ],
)
def test_no_object_is_missed_of_a_class_that_an_image_was_not_asked_about(
    exhaustive: Literal["all", "query"], searched: set[str], asked: list[str]
) -> None:
    suggested = (_suggest(1, "bottle", (400, 100, 420, 160)), _suggest(2, "bus", CAR.box.xyxy))
    image = image_of(CAR, suggested=suggested, searched=frozenset(searched))
    settings = replace(SETTINGS, export=ExportSettings(exhaustive=exhaustive))
    messages = [
        finding.message
        for finding in run_set_checks([image], VOC2012, settings)
        if finding.check == "suggested_otherwise"
    ]
    assert [message.split()[3] for message in messages] == asked


def test_no_object_is_asked_for_whose_class_left_the_preset_since_it_was_drawn_blind() -> None:
    image = image_of(CAR, drawn_blind=(CAR, replace(BOTTLE, number=2, key="b")))
    kept = tuple(item for item in VOC2012.classes if item.name != "bottle")
    assert names(run_set_checks([image], VOC2012, SETTINGS)) == [("seen_by_another", None)]
    assert run_set_checks([image], replace(VOC2012, classes=kept), SETTINGS) == []


def of_hour(*objects: AnnotatedObject, image_id: int, **values: str | None) -> CheckedImage:
    return image_of(
        *objects, image_id=image_id, **({"owner": "ann", "taken_hour": "2007-05-01 14"} | values)
    )


DOG = thing("dog", (20, 20, 200, 200), view=View.LEFT)
CAT = replace(DOG, class_name="cat")


@pytest.mark.parametrize(
    ("images", "image_ids"),
    [
        ([of_hour(DOG, image_id=1), of_hour(DOG, CAR, image_id=2)], []),
        ([of_hour(DOG, CAR, image_id=1), of_hour(CAT, CAR, image_id=2)], [2]),
        ([of_hour(DOG, image_id=1), of_hour(CAR, image_id=2)], [1, 2]),
        ([of_hour(DOG, image_id=1), of_hour(CAT, image_id=2, owner="bob")], []),
        ([of_hour(DOG, image_id=1), of_hour(CAT, image_id=2, taken_hour="2007-05-01 15")], []),
        ([of_hour(DOG, image_id=1), of_hour(CAT, image_id=2, taken_hour=None)], []),
        ([of_hour(DOG, image_id=1), of_hour(image_id=2)], []),
        ([of_hour(DOG, image_id=1), of_hour(DOG, image_id=2), of_hour(CAT, image_id=3)], [3, 3, 3]),
    ],
)
def test_images_of_one_owner_and_hour_should_have_the_same_classes(
    images: list[CheckedImage], image_ids: list[int]
) -> None:
    findings = run_set_checks(images, VOC2012, settings_with(switched_off=["identical_box"]))
    hour = [finding for finding in findings if finding.check == "same_hour_labels"]
    assert sorted(finding.image_id or 0 for finding in hour) == image_ids
    assert len({finding.key for finding in hour}) == len(hour)


def test_a_finding_keeps_its_key_when_only_numbers_change() -> None:
    [first] = run_checks(image_of(CAR, CAR), VOC2012, SETTINGS)
    nearly = replace(CAR, box=Box(101, 100, 301, 200))
    [second] = run_checks(image_of(CAR, nearly), VOC2012, SETTINGS)
    assert first.message != second.message
    assert first.key == second.key
    assert first.subject_sha256 != second.subject_sha256
    [elsewhere] = run_checks(image_of(CAR, CAR, image_id=8), VOC2012, SETTINGS)
    assert elsewhere.key != first.key


def moments_of(check: Check) -> tuple[bool, bool]:
    """Whether the check runs at a save, and at submission; on demand and before export all do."""
    is_alone = isinstance(check, ImageCheck)
    return (
        is_alone or check.name in ANSWERED_ALONE,
        is_alone or check.name in (*SETTLED_TOGETHER, *ADDED_TOGETHER),
    )


def test_the_manual_says_when_each_check_runs() -> None:
    lines = MANUAL.read_text().partition("| check | at a save |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines.splitlines()[2:]]
    moments = {
        row[0].strip("`"): tuple(cell.partition(" ")[0] != "no" for cell in row[1:]) for row in rows
    }
    assert moments == {check.name: (*moments_of(check), True, True) for check in CHECKS}


def test_missing_actions_are_found_only_if_the_party_marks_actions() -> None:
    silent = [image_of(PERSON, CAR, image_id=1), image_of(PERSON, image_id=2)]
    assert "actions_missing" not in [
        finding.check for finding in run_set_checks(silent, VOC2012, SETTINGS)
    ]
    marked = [image_of(replace(PERSON, actions=("walking",)), GROUP, image_id=3), *silent]
    missing = run_set_checks(marked, VOC2012, SETTINGS)
    missing = [finding for finding in missing if finding.check == "actions_missing"]
    assert [(finding.image_id, finding.object_number) for finding in missing] == [(1, 1), (2, 1)]
    assert {finding.severity for finding in missing} == {Severity.HINT}


def test_at_a_save_only_the_revision_itself_is_checked() -> None:
    walker = replace(PERSON, actions=("walking",))
    image = image_of(walker, replace(PERSON, box=Box(200, 9, 300, 90)))
    assert names(find_revision_findings(image, VOC2012, SETTINGS)) == [("actions_missing", 2)]
    assert names(find_revision_findings(image_of(PERSON), VOC2012, SETTINGS)) == []


def test_the_manual_explains_every_check_and_its_settings() -> None:
    text = " ".join(MANUAL.read_text(encoding="utf-8").split())
    assert len(set(check_names())) == len(CHECKS)
    for check in CHECKS:
        assert check.explanation.endswith(".")
        assert f"| `{check.name}` | {check.severity.value} | {check.explanation} |" in text
        for key in check.settings:
            assert f"`{key}`" in text
            assert attrgetter(key)(SETTINGS) is not None


sides = st.tuples(st.integers(1, 60), st.integers(1, 60)).map(sorted)
boxes = st.tuples(sides, sides).map(
    lambda ends: Box(ends[0][0], ends[1][0], ends[0][1], ends[1][1])
)
objects = st.builds(
    AnnotatedObject,
    number=st.just(0),
    key=st.just(""),
    class_name=st.sampled_from(["person", "car", "bottle", "zebra"]),
    box=boxes,
    view=st.sampled_from(View),
    truncated=st.booleans(),
    occluded=st.booleans(),
    actions=st.lists(st.sampled_from(["other", "walking", "sleeping"]), max_size=3).map(tuple),
    parts=st.lists(
        st.builds(part, st.sampled_from(["head", "hand", "tail"]), boxes.map(lambda box: box.xyxy)),
        max_size=4,
    ).map(tuple),
)


@given(st.lists(objects, max_size=5), st.sampled_from([VOC2007, VOC2012]))
def test_checks_accept_any_drawing(drawn: list[AnnotatedObject], preset: Preset) -> None:
    image = image_of(*drawn, width_px=50, height_px=50)
    numbers = {item.number for item in image.objects} | {None}
    for finding in find_revision_findings(image, preset, SETTINGS):
        assert finding.object_number in numbers


def test_a_check_reports_a_limited_number_of_findings_per_image() -> None:
    findings = run_image_checks([image_of(*[CAR] * 60)], VOC2012, SETTINGS)
    assert max(Counter(finding.check for finding in findings).values()) == MOST_OF_ONE_CHECK


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


def test_an_object_of_a_class_without_views_must_have_no_view() -> None:
    seen = [(item, item.has_views and item.name != "bottle") for item in VOC2012.classes]
    bare = replace(
        VOC2012, classes=tuple(replace(item, has_views=has_views) for item, has_views in seen)
    )
    assert names(run_checks(image_of(BOTTLE), bare, SETTINGS)) == []
    turned = image_of(replace(BOTTLE, view=View.LEFT))
    assert names(run_checks(turned, bare, SETTINGS)) == [("unknown_view", 1)]


def test_equal_boxes_on_one_image_or_along_borders_are_no_copies() -> None:
    whole = thing("cat", (1, 1, 500, 375))
    three_sides = thing("dog", (1, 1, 500, 200))
    images = [image_of(whole, three_sides, image_id=number) for number in (1, 2)]
    assert run_set_checks([*images, image_of(CAR, CAR)], VOC2012, SETTINGS) == []
