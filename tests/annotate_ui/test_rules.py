"""What a revision must keep to, as a table of what breaks it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate_ui.errors import InvalidError
from annotate_ui.rules import Frame, check_revision
from annotate_ui.schemas import RevisionBody, parse_body
from catalog.preset import load_preset

from .house import Json, revision, thing

VOC2007, VOC2012 = load_preset("voc2007"), load_preset("voc2012")
FRAME = Frame(width_px=500, height_px=375, preset=VOC2012, min_box_px=4, max_objects=5)
CAT = thing(**{"class": "cat"}, actions=[], parts=[])
HEAD = {"name": "head", "box": [87, 240, 120, 280]}


def find_wrong_field(objects: list[Json], frame: Frame = FRAME, **more: object) -> str | None:
    body = parse_body(RevisionBody, json.dumps(revision(None, objects, **more)).encode())
    try:
        check_revision(body, frame)
    except InvalidError as error:
        return error.field
    return None


def test_what_keeps_to_every_rule_passes() -> None:
    assert find_wrong_field([]) is None
    assert find_wrong_field([thing(), CAT | {"key": "b"}]) is None
    assert find_wrong_field([], discard_reason="collage") is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"class": "unicorn"}, "class"),
        ({"class": "Person"}, "class"),
        ({"box": [0, 240, 195, 371]}, "box"),
        ({"box": [48, 240, 501, 371]}, "box"),
        ({"box": [48, 240, 195, 376]}, "box"),
        ({"box": [195, 240, 48, 371]}, "box"),
        ({"box": [48, 371, 195, 240]}, "box"),
        ({"box": [48, 240, 50, 371]}, "box"),
        ({"box": [48, 240, 195, 242]}, "box"),
        ({"box": [-5, 240, 10**30, 371]}, "box"),
        ({"actions": ["flying"]}, "actions.0"),
        ({"actions": ["walking", "walking"]}, "actions.1"),
        ({"actions": ["walking", "other"]}, "actions"),
        ({"point": [0, 300]}, "point"),
        ({"point": [501, 300]}, "point"),
        ({"point": [100, 376]}, "point"),
        ({"parts": [HEAD, HEAD]}, "parts.1.name"),
        ({"parts": [HEAD | {"name": "tail"}]}, "parts.0.name"),
        ({"parts": [HEAD | {"name": "hand"}] * 3}, "parts.2.name"),
        ({"parts": [HEAD | {"box": [87, 240, 120, 376]}]}, "parts.0.box"),
        ({"parts": [HEAD | {"box": [120, 240, 87, 280]}]}, "parts.0.box"),
        (CAT | {"actions": ["walking"]}, "actions"),
        (CAT | {"parts": [HEAD]}, "parts"),
        (CAT | {"point": [100, 300]}, "point"),
    ],
)
def test_what_breaks_a_rule_is_named(change: Json, field: str) -> None:
    first = thing("first")
    assert find_wrong_field([first, thing() | change]) == f"objects.1.{field}"


@pytest.mark.parametrize(
    "change",
    [
        {"box": [1, 1, 500, 375]},
        {"box": [48, 240, 51, 243]},
        {"actions": ["walking", "phoning"]},
        {"actions": ["other"]},
        {"actions": []},
        {"point": [1, 1]},
        {"point": [500, 375]},
        {"parts": [HEAD | {"box": [1, 1, 1, 1]}]},  # outside the person, and tiny
        {"parts": [HEAD | {"name": name} for name in ("hand", "foot", "head", "foot", "hand")]},
    ],
)
def test_what_touches_a_limit_passes(change: Json) -> None:
    assert find_wrong_field([thing() | change]) is None


def test_a_class_without_views_has_none() -> None:
    classes = [replace(item, has_views=item.name != "cat") for item in VOC2012.classes]
    frame = replace(FRAME, preset=replace(VOC2012, classes=tuple(classes)))
    assert find_wrong_field([CAT], frame) == "objects.0.view"
    assert find_wrong_field([CAT | {"view": "Unspecified"}], frame) is None


def test_a_complaint_says_what_was_expected_and_what_came() -> None:
    body = parse_body(
        RevisionBody, json.dumps(revision(None, [thing(view="Rear", box=[1, 1, 2, 9])])).encode()
    )
    with pytest.raises(InvalidError) as caught:
        check_revision(body, FRAME)
    assert str(caught.value) == (
        "objects.0.box is wrong: expected sides of at least 4 pixels, got 2 x 9."
    )


def test_keys_are_unique() -> None:
    assert find_wrong_field([thing("a"), thing("b"), thing("a")]) == "objects.2.key"


def test_there_are_not_too_many_objects() -> None:
    objects = [thing(str(number)) for number in range(6)]
    assert find_wrong_field(objects[:5]) is None
    assert find_wrong_field(objects) == "objects"


def test_a_discarded_image_is_finished_and_empty_and_the_reason_is_known() -> None:
    assert find_wrong_field([], discard_reason="boring") == "discard_reason"
    assert find_wrong_field([], discard_reason="collage", finish=False) == "finish"
    assert find_wrong_field([thing()], discard_reason="collage") == "objects"


def test_what_the_party_does_not_ask_for_is_refused() -> None:
    frame = Frame(500, 375, VOC2007, 4, 5)
    plain = thing(actions=[], parts=[], occluded=False)
    assert find_wrong_field([plain], frame) is None
    assert find_wrong_field([plain | {"occluded": True}], frame) == "objects.0.occluded"
    assert find_wrong_field([plain | {"actions": ["walking"]}], frame) == "objects.0.actions"


@settings(deadline=None)
@given(st.lists(st.integers(-3, 510), min_size=4, max_size=4))
def test_a_box_passes_exactly_when_it_is_whole_and_inside_and_large_enough(box: list[int]) -> None:
    xmin, ymin, xmax, ymax = box
    is_right = (
        xmin >= 1
        and ymin >= 1
        and xmax <= 500
        and ymax <= 375
        and xmax - xmin >= 3
        and ymax - ymin >= 3
    )
    assert (find_wrong_field([thing(box=box)]) is None) is is_right
