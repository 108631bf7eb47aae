"""Words that left the preset: a release has them as long as an object of it does."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from catalog.party import Party, follow_classes
from catalog.states import Verdict
from catalog.tables import Image
from export.order import ReleaseOrder
from operate.words import apply_edits
from tests.exporting import contents, export_release, manifest_of, verify_tree
from tests.party_rows import CAT, DOG, NOW, PERSON, add_image, add_people, add_review, add_revision

KINDS = {
    "classes": ("cat",),
    "views": ("Left",),
    "parts": ("head",),
    "actions": ("running",),
    "flags": ("occluded",),
}
RETIRED = {
    "class": ["cat"],
    "view": ["Left"],
    "part": ["head"],
    "action": ["running"],
    "flag": ["occluded"],
}
"""The same as a release names it."""


@pytest.fixture
def filled(any_party: Party) -> Party:
    """Eight checked images, each with a cat, a dog or a person that has every word."""
    with any_party.catalogue.writing() as session:
        add_people(session)
        for number, drawn in enumerate((PERSON, CAT, DOG, PERSON, PERSON, DOG, CAT, PERSON)):
            add_image(session, any_party, number, [drawn])
    return any_party


def retire(party: Party) -> Party:
    """The party after each of the words was taken out of the preset's file."""
    preset = party.file_preset
    kept: dict[str, Any] = {
        field: tuple(spec for spec in getattr(preset, field) if spec.name not in words)
        for field, words in KINDS.items()
    }
    edited = replace(preset, **kept)
    with party.catalogue.writing() as session:
        given = replace(party, preset=edited, file_preset=edited)
        apply_edits(session, given, made_by="olga", at=NOW)
    with party.catalogue.reading() as session:
        given = replace(party, preset=edited, file_preset=edited, classes_number=-1)
        return follow_classes(given, session)


def texts_of(folder: Path) -> str:
    return "".join(path.read_text() for path in sorted(folder.rglob("Annotations/*.xml")))


def count_words(folder: Path) -> list[int]:
    texts = texts_of(folder)
    marks = ("<name>cat<", "<pose>Left<", "<name>head<", "<running>1<", "<occluded>1<")
    return [texts.count(mark) for mark in marks]


def test_a_release_has_retired_words_where_objects_have_them(filled: Party, tmp_path: Path) -> None:
    party = retire(filled)
    plan = export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert (len(plan.images), plan.left_out) == (8, ())
    assert verify_tree(tmp_path / "out") == []
    assert count_words(tmp_path / "out") == [2, 4, 4, 4, 4]
    assert "<occluded>0<" not in texts_of(tmp_path / "out")
    assert manifest_of(tmp_path / "out")["settings"]["retired"] == RETIRED
    [label_map] = (tmp_path / "out").rglob("labelmap.txt")
    lines = label_map.read_text().splitlines()
    assert lines[-1].startswith("cat:")  # behind the others, whose numbers stay
    [person] = [line for line in lines if line.startswith("person:")]
    assert person.endswith("running")
    assert "head" in person
    lists = {path.name for path in (tmp_path / "out").rglob("ImageSets/*/*.txt")}
    assert {"cat_trainval.txt", "running_trainval.txt"} <= lists
    counts = (tmp_path / "out" / "statistics" / "classes.csv").read_text()
    assert "\ncat," in counts
    told = " ".join((tmp_path / "out" / "DATASHEET.md").read_text().split())
    assert (
        "Left the preset before the release was made: the class cat, the view Left, the part "
        "head, the action running, the flag occluded." in told
    )


def test_a_release_with_retired_words_is_written_again_as_it_was(
    filled: Party, tmp_path: Path
) -> None:
    party = retire(filled)
    export_release(party, tmp_path / "first", year=2026, at=NOW)
    export_release(party, tmp_path / "again", year=2026, at=NOW)
    assert contents(tmp_path / "again") == contents(tmp_path / "first")


def test_a_release_without_such_an_object_has_no_retired_word(
    any_party: Party, tmp_path: Path
) -> None:
    with any_party.catalogue.writing() as session:
        add_people(session)
        for number in range(4):
            add_image(session, any_party, number, [DOG])
    plan = export_release(retire(any_party), tmp_path / "out", year=2026, at=NOW)
    assert (plan.recipe.retired, "cat" in plan.recipe.classes) == ({}, False)
    assert "retired" not in manifest_of(tmp_path / "out")["settings"]
    assert verify_tree(tmp_path / "out") == []


@pytest.mark.parametrize(
    "order", [ReleaseOrder(corrects="VOC2026"), ReleaseOrder(extends="VOC2026")]
)
def test_a_later_release_keeps_the_retired_words_of_an_earlier_one(
    filled: Party, tmp_path: Path, order: ReleaseOrder
) -> None:
    export_release(filled, tmp_path / "first", year=2026, at=NOW)
    with filled.catalogue.writing() as session:
        image = session.get_one(Image, 3)
        drawn = replace(DOG, key="key-1", truncated=True)
        before = image.annotation_id
        corrected = add_revision(session, image, [drawn], person_id=1, parent_id=before)
        add_review(session, corrected, Verdict.ACCEPT)
    party = retire(filled)
    year = None if order.corrects else 2027
    plan = export_release(party, tmp_path / "next", year=year, at=NOW, order=order)
    assert (len(plan.images), plan.left_out, plan.kept_back) == (8, (), ())
    assert verify_tree(tmp_path / "next") == []
    assert count_words(tmp_path / "next") == [2, 4, 4, 4, 4]
    assert plan.recipe.classes[-1] == "cat"
