"""What the preset's file and party.toml mean today, after classes were renamed."""

from __future__ import annotations

import pytest

from catalog.party import Party
from catalog.present_words import PresentWords, load_present_words
from catalog.states import WordKind
from catalog.tables import Word
from catalog.words import register_words
from vockit.errors import SettingsError

from .classes import change, preset_of

PRESET = preset_of(gnu="gnu", yak="yak")


def load_after_rename(party: Party, **files: dict[str, object]) -> PresentWords:
    """The present classes after gnu was renamed to wildebeest."""
    with party.catalogue.writing() as session:
        register_words(session, PRESET)
        row = session.get_one(Word, (WordKind.CLASS, "gnu"))
        row.name = "wildebeest"
        session.add(change("rename", "gnu", gnu="wildebeest"))
        session.flush()
        return load_present_words(
            session,
            PRESET,
            files.get("targets", {}),  # type: ignore[arg-type]
            files.get("queries", {}),  # type: ignore[arg-type]
        )


@pytest.mark.parametrize("word", ["gnu", "wildebeest"])
def test_targets_and_queries_follow_a_renamed_class(party: Party, word: str) -> None:
    present = load_after_rename(party, targets={word: 9}, queries={word: ["herd", "gnu"]})
    spec = present.preset.find_class("wildebeest")
    assert spec is not None
    assert spec.queries == ("gnu", "herd")
    assert present.targets == {"wildebeest": 9}
    assert present.number == 1


def test_targets_by_two_names_of_one_class_are_added(party: Party) -> None:
    present = load_after_rename(party, targets={"gnu": 4, "wildebeest": 5})
    assert present.targets == {"wildebeest": 9}


def test_queries_for_an_unknown_class_are_refused_by_name(party: Party) -> None:
    with pytest.raises(SettingsError, match=r"collect\.queries names 'zebu', which is no class"):
        load_after_rename(party, queries={"zebu": ["zebu"]})
