"""What an edited class of the preset's file is taken for, by the rows of words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from catalog.preset import Preset
from catalog.preset_edits import Edit, find_edits
from catalog.states import WordKind
from catalog.tables import Word
from catalog.words import make_word

from .classes import NOW, preset_of


def row(key: str, name: str, file_name: str | None, **changes: object) -> Word:
    word = make_word(WordKind.CLASS, key, name, file_name=file_name)
    for field, value in changes.items():
        setattr(word, field, value)
    return word


CLASS = WordKind.CLASS
CAT = row("cat", "cat", "cat")
VIEWS = [
    make_word(WordKind.VIEW, view.key, view.name, view.name) for view in preset_of(cat="cat").views
]


def find(preset: Preset, words: list[Word], parents: Mapping[str, str]) -> list[Edit]:
    """The edits, where the rows of views are as their lines."""
    return find_edits(preset, [*words, *VIEWS], parents)


@pytest.mark.parametrize(
    ("preset", "words", "edits"),
    [
        (preset_of(cat="cat"), [CAT], []),
        (preset_of(cat="cat", dog="dog"), [CAT], [Edit(CLASS, "add", "dog", "dog", "dog")]),
        (preset_of(cat="kitten"), [CAT], [Edit(CLASS, "rename", "cat", "cat", "kitten")]),
        (
            preset_of(dog="dog"),
            [CAT, row("dog", "dog", "dog")],
            [Edit(CLASS, "retire", "cat", "cat", "cat")],
        ),
        (
            preset_of(cat="cat"),
            [row("cat", "cat", "cat", retired_at=NOW)],
            [Edit(CLASS, "return", "cat", "cat", "cat")],
        ),
    ],
    ids=["unchanged", "added", "renamed", "gone", "back"],
)
def test_a_line_is_told_by_its_key(preset: Preset, words: list[Word], edits: list[Edit]) -> None:
    assert find(preset, words, {}) == edits


def test_a_class_renamed_by_the_command_keeps_its_line_or_takes_its_new_name() -> None:
    renamed = row("cat", "kitten", "cat")
    assert find(preset_of(cat="cat"), [renamed], {}) == []
    assert find(preset_of(cat="kitten"), [renamed], {}) == []


def test_a_merged_or_retired_class_without_a_line_is_no_edit() -> None:
    gone = [
        row("dog", "dog", "dog", counts_as="cat"),
        row("cow", "cow", "cow", retired_at=NOW),
    ]
    assert find(preset_of(cat="cat"), [CAT, *gone], {}) == []


def test_a_part_of_a_split_stays_while_its_parent_has_a_line() -> None:
    dog = row("dog", "dog", "dog")
    words = [CAT, dog, row("lynx", "lynx", None), row("bobcat", "bobcat", None)]
    parents = {"lynx": "cat", "bobcat": "lynx"}
    assert find(preset_of(cat="cat", dog="dog"), words, parents) == []
    edits = find(preset_of(dog="dog"), words, parents)
    assert [(edit.what, edit.key) for edit in edits] == [
        ("retire", "bobcat"),
        ("retire", "cat"),
        ("retire", "lynx"),
    ]
