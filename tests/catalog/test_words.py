"""The classes as rows: what ids and names mean after classes were renamed, merged and split."""

from __future__ import annotations

import pytest

from catalog.errors import CatalogueError
from catalog.party import Party
from catalog.states import WordKind
from catalog.words import (
    apply_changes,
    hold_classes,
    list_words,
    load_names,
    load_names_since,
    make_word,
    read_words,
    register_words,
)

from .classes import NOW, change, preset_of

CLASSES = ("cat", "dog", "cow")
PRESET = preset_of(cat="cat", dog="dog", cow="cow")


def test_a_merged_class_counts_as_the_other_and_keeps_its_name_as_a_former_one() -> None:
    words = [make_word(WordKind.CLASS, name, name) for name in CLASSES]
    words[1].counts_as = "cat"
    classes = read_words(words, [change("merge", "dog", cat="cat")])
    assert classes.today("dog") == classes.today("cat") == "cat"
    assert classes.ids["dog"] == "cat"
    assert classes.members("cat") == ("cat", "dog")


def test_a_present_name_wins_over_a_former_one() -> None:
    words = [make_word(WordKind.CLASS, name, name) for name in CLASSES]
    words[0].name = "pet"
    words[1].name = "cat"
    classes = read_words(words, [change("rename", "cat", cat="pet")])
    assert classes.ids["cat"] == "dog"
    assert classes.ids["pet"] == "cat"


def test_a_merge_joins_queries_and_a_split_keeps_the_place() -> None:
    words = [make_word(WordKind.CLASS, name, name) for name in (*CLASSES, "calf")]
    changes = [change("merge", "dog", cat="cat"), change("split", "cow", cow="cow", calf="calf")]
    preset = apply_changes(PRESET, words, changes)
    assert [(spec.name, spec.queries) for spec in preset.classes] == [
        ("cat", ("dog", "cat")),
        ("cow", ("cow",)),
        ("calf", ()),
    ]


def test_a_retired_class_leaves_the_preset_and_keeps_its_name() -> None:
    words = [make_word(WordKind.CLASS, name, name) for name in CLASSES]
    words[2].retired_at = NOW
    assert [spec.name for spec in apply_changes(PRESET, words, []).classes] == ["cat", "dog"]
    assert read_words(words, []).retired == {"cow": "cow"}


def test_names_of_an_earlier_time_are_found_again(party: Party) -> None:
    with party.catalogue.writing() as session:
        register_words(session, PRESET)
        before = len(load_names(session)[WordKind.CLASS])
        for row in list_words(session):
            if row.key == "cat":
                row.name = "kitten"
        session.add(change("rename", "cat", cat="kitten"))
    with party.catalogue.reading() as session:
        assert load_names(session)[WordKind.CLASS]["cat"] == "kitten"
        assert load_names(session, 0)[WordKind.CLASS]["cat"] == "cat"
        assert load_names_since(session, 0)[WordKind.CLASS]["cat"] == "kitten"
        assert len(load_names(session)[WordKind.CLASS]) == before


def test_words_are_registered_once(party: Party) -> None:
    with party.catalogue.writing() as session:
        register_words(session, PRESET)
        first = len(list_words(session))
        register_words(session, PRESET)
        assert len(list_words(session)) == first


def test_work_that_began_before_a_class_changed_is_refused(party: Party) -> None:
    with party.catalogue.writing() as session:
        hold_classes(session, 0)
        session.add(change("rename", "cat", cat="kitten"))
    with (
        party.catalogue.writing() as session,
        pytest.raises(CatalogueError, match="Run the same command again"),
    ):
        hold_classes(session, 0)
