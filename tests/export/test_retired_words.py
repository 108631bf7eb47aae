"""Words that left the preset: a release has them as long as an object of it does."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from catalog.party import Party, follow_classes
from catalog.states import Verdict
from catalog.tables import Image
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.order import ReleaseOrder
from operate.words import apply_edits
from tests.drawings import draw, read_masks
from tests.exporting import contents, export_release, manifest_of, verify_tree
from tests.party_rows import (
    CAT,
    DOG,
    NOW,
    PERSON,
    Drawn,
    add_image,
    add_people,
    add_review,
    add_revision,
    fill,
)
from tests.trees import make_tree

from .test_editions import correct, names_of

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


def retire(party: Party, kinds: Mapping[str, Sequence[str]] = KINDS) -> Party:
    """The party after each of the words was taken out of the preset's file."""
    preset = party.file_preset
    kept: dict[str, Any] = {
        field: tuple(spec for spec in getattr(preset, field) if spec.name not in words)
        for field, words in kinds.items()
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
    text = " ".join((tmp_path / "out" / "DATASHEET.md").read_text().split())
    assert (
        "Left the preset before the release was made: the class cat, the view Left, the part "
        "head, the action running, the flag occluded." in text
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


PLAIN_DOG = Drawn("dog", key="key-1")


def find_labels(folder: Path, name: str) -> dict[str, bool]:
    """The classes of the label map, in its order, and whether the image's mask has each."""
    classes, _ = read_masks(folder, name)
    [path] = folder.rglob("labelmap.txt")
    lines = path.read_text().splitlines()
    words = [line.partition(":")[0] for line in lines if not line.startswith("#")]
    return {word: bool((classes == number).any()) for number, word in enumerate(words)}


@pytest.mark.parametrize("earlier", [[PLAIN_DOG], [PLAIN_DOG, CAT]])
def test_masks_of_retired_classes_keep_their_numbers_in_an_extension(
    any_party: Party, tmp_path: Path, earlier: list[Drawn]
) -> None:
    """The cat comes later, or was in the release and is gone: it sorts before the dog."""
    fill(any_party, [[PLAIN_DOG], earlier])
    draw(any_party, 1)
    party = retire(any_party, {"classes": ("cat", "dog")})
    export_release(party, tmp_path / "first", year=2026, at=NOW)
    if len(earlier) == 1:
        with party.catalogue.writing() as session:
            add_image(session, party, 9, [CAT])
        draw(party, 3)
    else:
        correct(party, 2, [PLAIN_DOG])
    order = ReleaseOrder(extends="VOC2026")
    plan = export_release(party, tmp_path / "next", year=2027, at=NOW, order=order)
    assert verify_tree(tmp_path / "next") == []
    names = names_of(party)
    shown = find_labels(tmp_path / "next", names[1])
    assert {word for word in shown if shown[word]} == {"background", "dog"}
    if len(earlier) == 1:
        assert list(shown)[-2:] == ["dog", "cat"]
        shown = find_labels(tmp_path / "next", names[3])
        assert {word for word in shown if shown[word]} == {"background", "cat"}
    else:
        assert list(shown)[-2:] == ["cat", "dog"]
        assert plan.recipe.retired == {"class": ("dog",)}


def test_an_edition_names_no_retired_class_that_its_objects_have_no_more(
    any_party: Party, tmp_path: Path
) -> None:
    fill(any_party, [[CAT], [DOG], [DOG], [DOG]])
    party = retire(any_party, {"classes": ("cat",)})
    export_release(party, tmp_path / "first", year=2026, at=NOW)
    assert manifest_of(tmp_path / "first")["settings"]["retired"] == {"class": ["cat"]}
    correct(party, 1, [PLAIN_DOG])
    order = ReleaseOrder(corrects="VOC2026")
    plan = export_release(party, tmp_path / "next", year=None, at=NOW, order=order)
    assert (plan.recipe.retired, plan.recipe.classes[-1]) == ({}, "cat")
    assert "retired" not in manifest_of(tmp_path / "next")["settings"]
    assert "Left the preset" not in (tmp_path / "next" / "DATASHEET.md").read_text()
    assert verify_tree(tmp_path / "next") == []


def test_a_flag_that_an_imported_tree_lacks_did_not_leave_the_preset(
    any_party: Party, tmp_path: Path
) -> None:
    tree = make_tree(tmp_path / "in")
    for path in (tree / "Annotations").iterdir():
        path.write_text(re.sub(r"\s*<occluded>\d</occluded>", "", path.read_text()))
    with any_party.catalogue.writing() as session:
        add_people(session)
    import_tree(any_party, DatasetOrder(tree), at=NOW)
    [image_id] = [key for key, name in names_of(any_party).items() if name == "2012_000004"]
    correct(any_party, image_id, [replace(CAT, key="voc-1", occluded=True)])
    order = ReleaseOrder(corrects="VOC2012")
    plan = export_release(any_party, tmp_path / "next", year=None, at=NOW, order=order)
    assert (plan.recipe.flags, plan.recipe.retired) == (("truncated", "difficult"), {})
    assert texts_of(tmp_path / "next").count("<occluded>") == 1
    assert "<occluded>1</occluded>" in texts_of(tmp_path / "next")
    assert verify_tree(tmp_path / "next") == []
