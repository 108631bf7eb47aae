"""The rules of a revision, with tables of violations."""

import contextlib
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate_ui.api.schemas import parse_body
from catalog.preset import load_preset
from catalog.refusals import InvalidError, MalformedError
from catalog.states import View
from work.bodies import RevisionBody
from work.rules import Frame, check_revision

from .house import Json, revision, thing

VOC2007 = load_preset("voc2007")
VOC2012 = load_preset("voc2012")
FRAME = Frame(width_px=500, height_px=375, preset=VOC2012, min_box_px=4, max_objects=5)
CAT = thing(**{"class": "cat"}, actions=[], parts=[])
HEAD = {"part": "head", "box": [87, 240, 120, 280]}


def find_wrong_field(objects: list[Json], frame: Frame = FRAME, **more: object) -> str | None:
    try:
        check_revision(parse(revision(None, objects, **more)), frame, {})
    except InvalidError as error:
        return error.field
    return None


def test_a_valid_revision_passes() -> None:
    assert find_wrong_field([]) is None
    assert find_wrong_field([thing(), CAT | {"key": "b"}]) is None
    assert find_wrong_field([], discard_reason="collage") is None


WRONG_BOXES = (
    [0, 240, 195, 371],
    [48, 240, 501, 371],
    [48, 240, 195, 376],
    [-5, 240, 10**30, 371],
    [195, 240, 48, 371],
    [48, 371, 195, 240],
    [48, 240, 50, 371],
    [48, 240, 195, 242],
)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"class": "unicorn"}, "class"),
        ({"class": "Person"}, "class"),
        *(({"box": box}, "box") for box in WRONG_BOXES),
        ({"actions": ["flying"]}, "actions.0"),
        ({"actions": ["walking", "walking"]}, "actions.1"),
        ({"actions": ["walking", "other"]}, "actions"),
        *(({"point": point}, "point") for point in ([0, 300], [501, 300], [100, 376])),
        ({"parts": [HEAD, HEAD]}, "parts.1.part"),
        ({"parts": [HEAD | {"part": "tail"}]}, "parts.0.part"),
        ({"parts": [HEAD | {"part": "hand"}] * 3}, "parts.2.part"),
        ({"parts": [HEAD | {"box": [87, 240, 120, 376]}]}, "parts.0.box"),
        ({"parts": [HEAD | {"box": [120, 240, 87, 280]}]}, "parts.0.box"),
        (CAT | {"actions": ["walking"]}, "actions"),
        (CAT | {"parts": [HEAD]}, "parts"),
        (CAT | {"point": [100, 300]}, "point"),
    ],
)
def test_a_field_that_breaks_a_rule_is_named(change: Json, field: str) -> None:
    first = thing("first")
    assert find_wrong_field([first, thing() | change]) == f"objects.1.{field}"


@pytest.mark.parametrize(
    "change",
    [
        *({"box": box} for box in ([1, 1, 500, 375], [48, 240, 51, 243])),
        *({"actions": names} for names in (["walking", "phoning"], ["other"], [])),
        *({"point": point} for point in ([1, 1], [500, 375])),
        {"parts": [HEAD | {"box": [1, 1, 1, 1]}]},  # outside the person, and tiny
        {"parts": [HEAD | {"part": name} for name in ("hand", "foot", "head", "foot", "hand")]},
    ],
)
def test_a_value_at_the_limit_passes(change: Json) -> None:
    assert find_wrong_field([thing() | change]) is None


def test_an_object_of_a_class_without_views_has_no_view() -> None:
    classes = [replace(item, has_views=item.name != "cat") for item in VOC2012.classes]
    frame = replace(FRAME, preset=replace(VOC2012, classes=tuple(classes)))
    assert find_wrong_field([CAT], frame) == "objects.0.view"
    assert find_wrong_field([CAT | {"view": "Unspecified"}], frame) is None


def test_an_error_says_what_was_expected_and_what_was_sent() -> None:
    body = parse(revision(None, [thing(view="Rear", box=[1, 1, 2, 9])]))
    with pytest.raises(InvalidError) as caught:
        check_revision(body, FRAME, {})
    expected = "objects.0.box is wrong: expected sides of at least 4 pixels, got 2 x 9."
    assert str(caught.value) == expected


def test_objects_are_limited_in_number_and_have_unique_keys() -> None:
    assert find_wrong_field([thing("a"), thing("b"), thing("a")]) == "objects.2.key"
    objects = [thing(str(number)) for number in range(6)]
    assert find_wrong_field(objects[:5]) is None
    assert find_wrong_field(objects) == "objects"


def test_a_discard_must_be_finished_and_its_objects_valid() -> None:
    assert find_wrong_field([], discard_reason="boring") == "discard_reason"
    assert find_wrong_field([], discard_reason="collage", finish=False) == "finish"
    assert find_wrong_field([thing()], discard_reason="collage") is None
    wrong = thing(box=[0, 240, 195, 371])
    assert find_wrong_field([wrong], discard_reason="collage") == "objects.0.box"


def test_fields_that_the_preset_does_not_have_are_refused() -> None:
    frame = Frame(500, 375, VOC2007, 4, 5)
    plain = thing(actions=[], parts=[], occluded=False)
    assert find_wrong_field([plain], frame) is None
    assert find_wrong_field([plain | {"occluded": True}], frame) == "objects.0.occluded"
    assert find_wrong_field([plain | {"actions": ["walking"]}], frame) == "objects.0.actions"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def parse(body: object) -> RevisionBody:
    return parse_body(RevisionBody, json.dumps(body).encode())


def test_a_complete_body_is_parsed() -> None:
    body = parse(revision(31, [thing(point=[100, 300])]))
    (item,) = body.objects
    assert (body.parent_id, body.finish, body.active_secs) == (31, True, 31.4)
    assert (item.class_id, item.box, item.view) == ("person", (48, 240, 195, 371), View.LEFT)
    assert (item.point, item.parts[0].box) == ((100, 300), (87, 240, 120, 280))


def test_optional_fields_have_defaults() -> None:
    short = {key: thing()[key] for key in ("key", "class", "box", "view", "truncated", "occluded")}
    (item,) = parse(revision(None, [short])).objects
    assert (item.unsure, item.actions, item.point) == (False, (), None)
    assert (item.parts, item.drawn_secs) == ((), 0.0)


@pytest.mark.parametrize("key", ["save_key", "parent_id", "finish", "objects"])
def test_a_missing_required_field_is_named(key: str) -> None:
    body = revision(None)
    del body[key]
    with pytest.raises(InvalidError) as caught:
        parse(body)
    assert caught.value.field == key


WRONG_VALUES: dict[str, tuple[object, ...]] = {
    "save_key": ("seven77", "x" * 65, "with space", "newline-\n", "ümlautümlaut"),
    "parent_id": ("31", 0, 2**31, True),
    "finish": (1, None),
    "comment": (None, "x" * 2001),
    "active_secs": (-0.1, 1e9, "3", float("nan"), float("inf")),
    "objects": ({},),
    "objects.0": ([7],),
    "objects.1.box": ([thing(), thing(box=[1, 2, 3])],),
    "objects.0.box": tuple(
        [thing(box=[1, 2, 3, *sides])] for sides in ([4, 5], [4.5], [True], ["4"])
    ),
    "objects.0.view": ([thing(view=7)],),
    "objects.0.truncated": ([thing(truncated="no")],),
    "objects.0.key": ([thing(key="")],),
    "objects.0.point": ([thing(point=[1])],),
    "objects.0.actions": ([thing(actions="walking")],),
    "objects.0.parts.0.box": ([thing(parts=[{"part": "head"}])],),
    "objects.0.drawn_secs": ([thing(drawn_secs=-1)],),
    "objects.0.pose": ([thing(pose="Left")],),
    "objects.0.difficult": ([thing(difficult=True)],),  # organisers judge that
    "colour": ("red",),
}


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field, values in WRONG_VALUES.items() for value in values],
)
def test_a_field_of_a_wrong_type_is_named(field: str, value: object) -> None:
    with pytest.raises(InvalidError) as caught:
        parse(revision(None) | {field.partition(".")[0]: value})
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field} is wrong: ")


def test_a_body_that_is_no_json_object_is_refused() -> None:
    with pytest.raises(InvalidError, match="The body is wrong"):
        parse([1, 2])


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_random_bytes_are_never_accepted_as_a_body(data: bytes) -> None:
    with pytest.raises((InvalidError, MalformedError)):
        parse_body(RevisionBody, data)


@settings(deadline=None)
@given(JSON_VALUES, st.sampled_from(["parent_id", "comment", "objects", "active_secs"]))
def test_no_value_of_a_field_raises_an_unexpected_error(value: object, key: str) -> None:
    with contextlib.suppress(InvalidError, MalformedError):
        parse(revision(None) | {key: value})
