"""Bodies as bytes: what is read, what is refused, and which field is named."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate_ui.errors import InvalidError, MalformedError
from annotate_ui.schemas import RevisionBody, parse_body
from catalog.states import View

from .house import Json, revision, thing

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def parse(body: object) -> RevisionBody:
    return parse_body(RevisionBody, json.dumps(body).encode())


def test_a_whole_body_is_read() -> None:
    body = parse(revision(31, [thing(point=[100, 300])]))
    (item,) = body.objects
    assert (body.parent_id, body.finish, body.active_secs) == (31, True, 31.4)
    assert (item.class_name, item.box, item.view) == ("person", (48, 240, 195, 371), View.LEFT)
    assert (item.point, item.parts[0].box) == ((100, 300), (87, 240, 120, 280))


def test_what_may_be_left_out_has_its_default() -> None:
    short = {key: thing()[key] for key in ("key", "class", "box", "view", "truncated", "occluded")}
    (item,) = parse(revision(None, [short])).objects
    assert (item.unsure, item.actions, item.point, item.parts, item.drawn_secs) == (
        False, (), None, (), 0.0,
    )  # fmt: skip


@pytest.mark.parametrize("key", ["save_key", "parent_id", "finish", "objects"])
def test_what_a_save_cannot_do_without_is_named(key: str) -> None:
    body = revision(None)
    del body[key]
    with pytest.raises(InvalidError) as caught:
        parse(body)
    assert caught.value.field == key


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"save_key": "seven77"}, "save_key"),
        ({"save_key": "x" * 65}, "save_key"),
        ({"save_key": "with space"}, "save_key"),
        ({"save_key": "newline-\n"}, "save_key"),
        ({"save_key": "ümlautümlaut"}, "save_key"),
        ({"parent_id": "31"}, "parent_id"),
        ({"parent_id": 0}, "parent_id"),
        ({"parent_id": 2**31}, "parent_id"),
        ({"parent_id": True}, "parent_id"),
        ({"finish": 1}, "finish"),
        ({"finish": None}, "finish"),
        ({"comment": None}, "comment"),
        ({"comment": "x" * 2001}, "comment"),
        ({"active_secs": -0.1}, "active_secs"),
        ({"active_secs": 1e9}, "active_secs"),
        ({"active_secs": "3"}, "active_secs"),
        ({"active_secs": float("nan")}, "active_secs"),
        ({"active_secs": float("inf")}, "active_secs"),
        ({"objects": {}}, "objects"),
        ({"objects": [7]}, "objects.0"),
        ({"objects": [thing(), thing(box=[1, 2, 3])]}, "objects.1.box"),
        ({"objects": [thing(box=[1, 2, 3, 4, 5])]}, "objects.0.box"),
        ({"objects": [thing(box=[1, 2, 3, 4.5])]}, "objects.0.box"),
        ({"objects": [thing(box=[1, 2, 3, True])]}, "objects.0.box"),
        ({"objects": [thing(box=[1, 2, 3, "4"])]}, "objects.0.box"),
        ({"objects": [thing(view="left")]}, "objects.0.view"),
        ({"objects": [thing(truncated="no")]}, "objects.0.truncated"),
        ({"objects": [thing(key="")]}, "objects.0.key"),
        ({"objects": [thing(point=[1])]}, "objects.0.point"),
        ({"objects": [thing(actions="walking")]}, "objects.0.actions"),
        ({"objects": [thing(parts=[{"name": "head"}])]}, "objects.0.parts.0.box"),
        ({"objects": [thing(drawn_secs=-1)]}, "objects.0.drawn_secs"),
        ({"objects": [thing(pose="Left")]}, "objects.0.pose"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_field_is_named(change: Json, field: str) -> None:
    with pytest.raises(InvalidError) as caught:
        parse(revision(None) | change)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field} is wrong: ")


def test_the_first_of_several_wrong_fields_is_named() -> None:
    with pytest.raises(InvalidError) as caught:
        parse(revision(None, [thing(), thing(box=[], view="x"), thing(key="")], finish=7))
    assert caught.value.field == "finish"


def test_what_is_no_object_is_refused() -> None:
    with pytest.raises(InvalidError, match="The body is wrong"):
        parse([1, 2])


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_are_read_as_something_else(data: bytes) -> None:
    with pytest.raises((InvalidError, MalformedError)):
        parse_body(RevisionBody, data)


@settings(deadline=None)
@given(JSON_VALUES, st.sampled_from(["parent_id", "comment", "objects", "active_secs"]))
def test_no_value_in_a_field_raises_anything_unnamed(value: object, key: str) -> None:
    with contextlib.suppress(InvalidError, MalformedError):
        parse(revision(None) | {key: value})
