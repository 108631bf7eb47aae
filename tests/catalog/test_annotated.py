"""Annotated objects as plain values: what counts as changed, and objects with other words."""

from dataclasses import replace

import pytest

from catalog.annotated import (
    AnnotatedObject,
    AnnotatedPart,
    describe_looks,
    list_changed_keys,
    replace_words,
)
from catalog.box import Box
from catalog.states import WordKind

FIRST = Box(1, 1, 30, 40)
SECOND = Box(5, 6, 70, 80)
PERSON = AnnotatedObject(
    number=1,
    key="a",
    class_name="person",
    class_id="person",
    box=FIRST,
    view="Left",
    actions=("running", "jumping"),
    parts=(AnnotatedPart("head", Box(2, 2, 9, 9)), AnnotatedPart("hand", Box(3, 3, 5, 5))),
)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({"a": FIRST}, {"a": FIRST}, []),
        ({"a": FIRST}, {"a": SECOND}, ["a"]),
        ({}, {"b": FIRST, "a": FIRST}, ["b", "a"]),
        ({"a": FIRST, "b": SECOND}, {"b": SECOND}, []),
        ({"a": FIRST, "b": SECOND}, {"a": SECOND, "b": FIRST}, ["a", "b"]),
    ],
)
def test_only_new_and_moved_objects_are_drawn_again(
    before: dict[str, Box], after: dict[str, Box], changed: list[str]
) -> None:
    assert list_changed_keys(before, after) == changed


def test_what_a_judge_of_difficulty_sees_is_the_class_and_the_box() -> None:
    looks = describe_looks("cat", FIRST)
    assert looks == describe_looks("cat", Box(*FIRST.xyxy))
    assert len({looks, describe_looks("dog", FIRST), describe_looks("cat", SECOND)}) == 3


def test_words_of_each_kind_are_replaced_by_those_of_their_kind() -> None:
    words = {
        WordKind.VIEW: {"Left": "Side", "head": "no view"},
        WordKind.ACTION: {"running": "moving"},
        WordKind.PART: {"hand": "arm", "running": "no part"},
        WordKind.CLASS: {"person": "human"},
    }
    replaced = replace_words(PERSON, words)
    assert (replaced.view, replaced.actions) == ("Side", ("moving", "jumping"))
    assert [part.word for part in replaced.parts] == ["head", "arm"]
    assert [part.box for part in replaced.parts] == [part.box for part in PERSON.parts]
    assert (replaced.class_name, replaced.class_id) == ("person", "person")


def test_an_action_that_two_words_became_stands_there_once() -> None:
    merged = {WordKind.ACTION: {"running": "moving", "jumping": "moving"}}
    assert replace_words(PERSON, merged).actions == ("moving",)


def test_words_that_are_not_among_those_given_stay() -> None:
    assert replace_words(PERSON, {}) == PERSON


def test_two_objects_are_equal_whatever_id_their_class_has() -> None:
    assert replace(PERSON, class_id="c-7") == PERSON
    assert replace(PERSON, class_name="human") != PERSON
