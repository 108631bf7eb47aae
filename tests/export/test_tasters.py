"""Images for Layout or Action alone, from the catalogue to the lists, the tables and the scores."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import select, update

from catalog.party import Party
from catalog.states import Taster, Verdict
from catalog.tables import Annotation, Image
from export.order import ReleaseOrder
from export.plan import ReleasePlan
from export.planning import plan_release
from tests.exporting import export_release, manifest_of, verify_tree
from tests.kit_reader import read_record
from tests.party_rows import CAT, NOW, Drawn, add_image, add_review, add_revision, fill
from vockit.evaluate.curves import Rules
from vockit.evaluate.truth import open_truth
from vockit.foreign.tree_images import load_tree

HEAD = (("head", (3, 3, 10, 10)),)
WALKER = Drawn("person", actions=("walking",), point_xy=(5, 6))
STANDING = Drawn("person", parts=HEAD)
PLAIN = Drawn("person", (10, 10, 20, 20))
TASTERS = {
    **dict.fromkeys(range(9, 15), Taster.ACTION),
    **dict.fromkeys(range(15, 19), Taster.LAYOUT),
}
"""By image, from 1, the task that it is annotated for alone."""


def move(item: Drawn, number: int) -> Drawn:
    """The object with a box as no other image has it."""
    return replace(item, box=(2 + number, 3, 50, 30))


def mark(party: Party, tasters: dict[int, Taster]) -> None:
    """Let these images have been annotated for one task alone."""
    with party.catalogue.writing() as session:
        for image_id, taster in tasters.items():
            for table, key in ((Image, Image.id), (Annotation, Annotation.image_id)):
                session.execute(update(table).where(key == image_id).values(taster=taster))


@pytest.fixture
def mixed(party: Party) -> Party:
    """Eight images annotated in full, six for Action alone, four for Layout alone."""
    images = [*[[CAT, PLAIN], [CAT]] * 4, *[[WALKER]] * 6, *[[STANDING]] * 4]
    fill(party, [[move(item, number) for item in drawn] for number, drawn in enumerate(images)])
    mark(party, TASTERS)
    return party


def list_names(root: Path, folder: str) -> set[str]:
    """The images that the lists of the folder name."""
    paths = [root / "ImageSets" / folder / f"{name}.txt" for name in ("train", "val", "test")]
    there = [path for path in paths if path.is_file()]
    return {line.split()[0] for path in there for line in path.read_text().splitlines()}


def name_tasters(plan: ReleasePlan, *tasters: Taster) -> set[str]:
    return {image.public_id for image in plan.images if image.row.taster in tasters}


def release(party: Party, out: Path, **more: Any) -> tuple[ReleasePlan, Path]:
    """A valid release, and its tree."""
    plan = export_release(party, out, year=2026, at=NOW, **more)
    assert verify_tree(out) == []
    return plan, out / "VOCdevkit/VOC2026"


def test_tasters_stand_in_their_own_lists_alone(mixed: Party, tmp_path: Path) -> None:
    plan, root = release(mixed, tmp_path / "out")
    action, layout = (name_tasters(plan, taster) for taster in (Taster.ACTION, Taster.LAYOUT))
    assert (len(action), len(layout)) == (6, 4)
    assert list_names(root, "Action") == action
    assert list_names(root, "Layout") == layout
    assert len(list_names(root, "Main")) == 8
    assert list_names(root, "Main").isdisjoint(action | layout)
    cats = (root / "ImageSets/Main/cat_trainval.txt").read_text().split()[::2]
    assert action.isdisjoint(cats)
    assert {*(path.stem for path in (root / "Annotations").iterdir())} >= action | layout
    for task in (action, layout):  # each is split by itself
        assert {image.split for image in plan.images if image.public_id in task} == {
            "train",
            "val",
            "test",
        }


def test_the_release_says_that_nothing_else_was_asked(mixed: Party, tmp_path: Path) -> None:
    plan, _ = release(mixed, tmp_path / "out")
    tasters = name_tasters(plan, *Taster)
    out = tmp_path / "out"
    asked = {
        image["id"]: image["asked"] for image in manifest_of(out)["images"] if "asked" in image
    }
    assert asked == {name: [] for name in tasters}
    lists = dict.fromkeys(name_tasters(plan, Taster.ACTION), "Action")
    lists |= dict.fromkeys(name_tasters(plan, Taster.LAYOUT), "Layout")
    rows = {row["image_id"]: row for row in pq.read_table(out / "data/images.parquet").to_pylist()}
    classes = set(mixed.preset.class_names)
    for image_id, row in rows.items():
        is_taster = image_id in tasters
        assert (row["set"] == "unlisted") is is_taster
        assert set(row["not_asked"]) == (classes if is_taster else set())
        assert row["lists"] == [lists.get(image_id, "Main")]
    sheet = (out / "DATASHEET.md").read_text()
    assert "10 of 18 images are in the lists of Layout or Action alone" in sheet
    assert "| person | 4 | 4 | 0 |" in sheet
    splits = json.loads((out / "splits.json").read_text())
    (person,) = [row for row in splits["classes"] if row["class"] == "person"]
    assert sum(person["images"].values()) == 4


def test_other_formats_and_the_truth_leave_tasters_out(mixed: Party, tmp_path: Path) -> None:
    plan, root = release(mixed, tmp_path / "out")
    tasters = name_tasters(plan, *Taster)
    content = load_tree(root)
    assert {image.image_id for image in content.images if image.set_name == "unlisted"} == tasters
    assert {image.image_id for image in content.images if image.is_taster} == tasters
    truths = [open_truth(root.parent, name, Rules.VOC2012) for name in ("trainval", "test")]
    assert frozenset().union(*(truth.tasters for truth in truths)) == tasters
    assert sum(len(truth.objects("person").images) for truth in truths) == 4
    walking = [truth.action_labels("walking")[0] for truth in truths]
    assert {image_id for keys in walking for image_id, _ in keys} == name_tasters(
        plan, Taster.ACTION
    )


def test_the_kits_reader_has_what_each_task_reads(mixed: Party, tmp_path: Path) -> None:
    plan, root = release(mixed, tmp_path / "out")
    for image in plan.images:
        record = read_record((root / f"Annotations/{image.public_id}.xml").read_bytes())
        if image.row.taster is Taster.ACTION:
            assert all(item.actions and item.point and not item.parts for item in record.objects)
        elif image.row.taster is Taster.LAYOUT:
            assert all(item.parts and not item.point for item in record.objects)


def test_images_that_are_annotated_in_full_still_join_the_tasks(
    mixed: Party, tmp_path: Path
) -> None:
    with mixed.catalogue.writing() as session:
        add_image(session, mixed, 19, [move(WALKER, 19)])
        add_image(session, mixed, 20, [move(CAT, 20), move(STANDING, 20)])
    plan, root = release(mixed, tmp_path / "out")
    both = list_names(root, "Main") & (list_names(root, "Action") | list_names(root, "Layout"))
    assert len(both) == 2
    assert both.isdisjoint(name_tasters(plan, *Taster))


def test_a_blind_release_has_no_taster_among_its_hidden_images(
    mixed: Party, tmp_path: Path
) -> None:
    plan, _ = release(mixed, tmp_path / "out", order=ReleaseOrder(is_blind=True))
    tasters = [image for image in plan.images if image.row.taster is not None]
    assert len(tasters) == 10
    assert not any(image.split.is_test for image in tasters)


def test_asking_by_query_keeps_tasters_in_their_test_sets(mixed: Party) -> None:
    export = replace(mixed.settings.export, exhaustive="query")
    party = replace(mixed, settings=replace(mixed.settings, export=export))
    plan = plan_release(party, year=2026)
    assert any(image.split.is_test for image in plan.images if image.row.taster is not None)


def add_corrected(
    party: Party, image_id: int, drawn: Iterable[Drawn], taster: Taster | None
) -> None:
    """Ann saves the image anew, as the page asked then, and chris lets it pass."""
    with party.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        drawn = list(drawn)
        newer = add_revision(session, image, drawn, person_id=1, parent_id=image.annotation_id)
        newer.taster = taster
        add_review(session, newer, Verdict.ACCEPT)


def test_editions_and_extensions_keep_tasters_apart(mixed: Party, tmp_path: Path) -> None:
    first, _ = release(mixed, tmp_path / "first")
    add_corrected(mixed, 9, [replace(WALKER, actions=("running",)), WALKER], Taster.ACTION)
    with mixed.catalogue.writing() as session:
        image = add_image(session, mixed, 19, [move(WALKER, 19)])
        newest = select(Annotation).where(Annotation.id == image.annotation_id)
        session.scalars(newest).one().taster = Taster.ACTION
    for name, order in (
        ("MORE", ReleaseOrder(extends="VOC2026")),
        (None, ReleaseOrder(corrects="VOC2026")),
    ):
        out = tmp_path / (name or "edition")
        year = 2026 if name else None
        plan = export_release(mixed, out, year=year, at=NOW, name=name, order=order)
        assert verify_tree(out) == []
        (root,) = (out / "VOCdevkit").iterdir()
        action = name_tasters(plan, Taster.ACTION)
        assert list_names(root, "Action") == action
        assert len(action) == (7 if name else 6)
        assert list_names(root, "Main") == {
            image.public_id for image in first.images if image.row.taster is None
        }
        (changed,) = [image.public_id for image in plan.images if image.row.id == 9]
        lines = [
            line
            for path in (root / "ImageSets/Action").glob("running_*.txt")
            for line in path.read_text().splitlines()
            if line.startswith(changed) and "trainval" not in path.name
        ]
        assert sorted(lines) == [f"{changed}  1  1", f"{changed}  2 -1"]


def test_a_taster_that_was_annotated_in_full_since_is_like_any_other(
    mixed: Party, tmp_path: Path
) -> None:
    release(mixed, tmp_path / "first")
    add_corrected(mixed, 9, [WALKER, CAT], None)
    order = ReleaseOrder(corrects="VOC2026")
    plan = export_release(mixed, tmp_path / "edition", year=None, at=NOW, order=order)
    assert verify_tree(tmp_path / "edition") == []
    (root,) = (tmp_path / "edition/VOCdevkit").iterdir()
    (changed,) = [image.public_id for image in plan.images if image.row.id == 9]
    assert changed in list_names(root, "Main")
    assert changed not in list_names(root, "Action")


def test_a_hidden_image_of_a_blind_release_does_not_become_a_taster(
    mixed: Party, tmp_path: Path
) -> None:
    first, _ = release(mixed, tmp_path / "first", order=ReleaseOrder(is_blind=True))
    hidden = next(image for image in first.images if image.split.is_test)
    train = next(image for image in first.images if image.split == "train" and image.row.id < 9)
    for number, image in enumerate((hidden, train), start=30):
        add_corrected(mixed, image.row.id, [move(WALKER, number)], Taster.ACTION)
    order = ReleaseOrder(corrects="VOC2026")
    plan = export_release(mixed, tmp_path / "edition", year=None, at=NOW, order=order)
    assert verify_tree(tmp_path / "edition") == []
    assert {item.image_id: item.reason for item in plan.kept_back} == {
        hidden.row.id: "its correction cannot be released: it is for Action alone, and a blind "
        "release hides the people of test"
    }
    (root,) = (tmp_path / "edition/VOCdevkit").iterdir()
    assert hidden.public_id in list_names(root, "Main")
    assert train.public_id in list_names(root, "Action") - list_names(root, "Main")


def test_a_taster_that_lacks_what_its_task_needs_is_left_out(mixed: Party) -> None:
    mark(mixed, {2: Taster.ACTION, 9: Taster.LAYOUT})
    left_out = {
        omission.image_id: omission.reason for omission in plan_release(mixed, year=2026).left_out
    }
    assert left_out == {
        2: "it is for Action alone, and object 1 is no person",
        9: "it is for Layout alone, and person 1 has nothing that it needs",
    }
