"""Renamed, merged or split classes: old releases stay, new ones list the changes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.errors import CatalogueError
from catalog.party import Party, follow_classes
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.order import ReleaseOrder
from export.planning import plan_release
from export.release import write_release
from operate.words import merge_words, rename_word
from tests.exporting import contents, export_release, run, verify_tree
from tests.party_rows import NOW
from tests.trees import make_tree
from vocparty import main

CORRECTS = ReleaseOrder(corrects="VOC2026")


def change(party: Party, how: object, *names: str) -> Party:
    """Change the classes; return the party as a command sees it afterwards."""
    with party.catalogue.writing() as session:
        how(session, party, *names, made_by="olga", at=NOW)  # type: ignore[operator]
    with party.catalogue.reading() as session:
        return follow_classes(party, session)


def texts_of(folder: Path) -> str:
    return "".join(path.read_text() for path in sorted(folder.rglob("Annotations/*.xml")))


def test_a_recorded_release_keeps_its_class_names(any_stocked: Party, tmp_path: Path) -> None:
    export_release(any_stocked, tmp_path / "first", year=2026, at=NOW)
    party = change(any_stocked, rename_word, "cat", "kitty")
    export_release(party, tmp_path / "again", year=2026, at=NOW)
    assert contents(tmp_path / "again") == contents(tmp_path / "first")


def test_a_correcting_release_lists_renamed_classes(any_stocked: Party, tmp_path: Path) -> None:
    export_release(any_stocked, tmp_path / "first", year=2026, at=NOW)
    cats = texts_of(tmp_path / "first").count("<name>cat</name>")
    party = change(any_stocked, rename_word, "cat", "kitty")
    plan = export_release(party, tmp_path / "next", year=None, at=NOW, order=CORRECTS)
    assert verify_tree(tmp_path / "next") == []
    after = texts_of(tmp_path / "next")
    assert (after.count("<name>cat</name>"), after.count("<name>kitty</name>")) == (0, cats)
    changes = [
        (correction["field"], correction["was"], correction["is_now"])
        for correction in plan.notes.corrections
    ]
    assert changes == [("class_name", "cat", "kitty")] * cats
    said = run("release", "diff", "VOC2026", "VOC2026.1", "--party", party.folder).output
    assert said.count("class_name was cat, is kitty") == cats
    order = ReleaseOrder(extends="VOC2026")
    more = export_release(party, tmp_path / "more", year=2027, at=NOW, order=order)
    assert more.notes.corrections == plan.notes.corrections
    assert texts_of(tmp_path / "more").count("<name>kitty</name>") == cats
    assert verify_tree(tmp_path / "more") == []


def test_a_merged_class_is_gone_from_new_releases(any_stocked: Party, tmp_path: Path) -> None:
    party = change(any_stocked, merge_words, "cat", "dog")
    export_release(party, tmp_path / "tree", year=2026, at=NOW)
    assert verify_tree(tmp_path / "tree") == []
    assert "<name>cat</name>" not in texts_of(tmp_path / "tree")
    lists = {path.name for path in (tmp_path / "tree").rglob("ImageSets/Main/*.txt")}
    assert "dog_train.txt" in lists
    assert "cat_train.txt" not in lists


def test_a_class_change_during_an_export_stops_it(stocked: Party, tmp_path: Path) -> None:
    plan = plan_release(stocked, year=2026)
    change(stocked, rename_word, "cat", "kitty")
    with pytest.raises(CatalogueError, match="Run the same command again"):
        write_release(stocked, plan, tmp_path / "tree", at=NOW)
    assert not (tmp_path / "tree").exists()


def test_a_tree_with_a_former_class_name_gets_the_new_one(party: Party, tmp_path: Path) -> None:
    make_tree(tmp_path / "VOC2012")
    first = texts_of(tmp_path / "VOC2012")
    assert "<name>cat</name>" in first
    now = change(party, rename_word, "cat", "kitty")
    report = import_tree(now, DatasetOrder(tmp_path / "VOC2012"), at=NOW)
    assert report.imported
    export_release(now, tmp_path / "out", year=2026, at=NOW)
    assert first.count("<name>cat</name>") == texts_of(tmp_path / "out").count("<name>kitty</name>")
    listed = CliRunner().invoke(main, ["classes", "list", "--json", "--party", str(party.folder)])
    assert "kitty" in json.loads(listed.output)["classes"]


def test_imported_masks_survive_a_rename_but_not_a_merge(party: Party, tmp_path: Path) -> None:
    make_tree(tmp_path / "VOC2012")
    import_tree(party, DatasetOrder(tmp_path / "VOC2012"), at=NOW)
    masks = len(list((tmp_path / "VOC2012").rglob("SegmentationClass/*.png")))
    now = change(party, rename_word, "cat", "kitty")
    export_release(now, tmp_path / "renamed", year=2026, at=NOW)
    assert verify_tree(tmp_path / "renamed") == []
    assert len(list((tmp_path / "renamed").rglob("SegmentationClass/*.png"))) == masks
    now = change(now, merge_words, "aeroplane", "bird")  # all labels behind it move
    export_release(now, tmp_path / "merged", year=2027, at=NOW)
    assert verify_tree(tmp_path / "merged") == []


def test_two_classes_can_swap_their_names(party: Party, tmp_path: Path) -> None:
    make_tree(tmp_path / "VOC2012")
    import_tree(party, DatasetOrder(tmp_path / "VOC2012"), at=NOW)
    for names in (("cat", "x"), ("dog", "cat"), ("x", "dog")):
        party = change(party, rename_word, *names)
    before = texts_of(tmp_path / "VOC2012").count("<name>cat</name>")
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    after = texts_of(tmp_path / "out")
    assert (after.count("<name>dog</name>"), after.count("<name>cat</name>")) == (before, 0)
