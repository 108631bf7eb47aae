"""Boxes around groups in a release: difficult in its files, and told as groups beside them."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pyarrow.parquet as pq
from sqlalchemy import select, update

from catalog.annotated import describe_looks
from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Difficulty, Image, Object
from tests.exporting import export_release, manifest_of, read_croissant, verify_tree
from tests.party_rows import NOW, stock
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import load_tree


def mark_cats(party: Party) -> set[str]:
    """The cats of even images become groups; the digests of these images."""
    with party.catalogue.writing() as session:
        joined = Object.annotation_id == Image.annotation_id
        even = select(Image.sha256, Object.id).join(Object, joined)
        even = even.where(Object.class_id == "cat", Image.id % 2 == 0)
        rows = session.execute(even).tuples().all()
        ids = [object_id for _, object_id in rows]
        marks = update(Object).where(Object.id.in_(ids))
        session.execute(marks.values(group_of=True, difficult=True))
    return {sha256 for sha256, _ in rows}


def read_difficult(release: Path) -> dict[tuple[str, int], bool]:
    """Whether each object is difficult in its annotation file, by image and number."""
    return {
        (path.stem, number): item.findtext("difficult") == "1"
        for path in release.glob("VOCdevkit/*/Annotations/*.xml")
        for number, item in enumerate(ET.parse(path).iterfind("object"), start=1)
    }


def test_groups_of_a_release_are_recounted_in_every_file(party: Party, tmp_path: Path) -> None:
    marked = mark_cats(stock(party))
    out = tmp_path / "out"
    plan = export_release(party, out, year=2026, at=NOW)
    assert verify_tree(out) == []
    said_groups = {
        (image["id"], item["number"]): item.get("group_of", False)
        for image in manifest_of(out)["images"]
        for item in image["objects"]
    }
    expected = {
        (image["id"], item["number"]): item["class"] == "cat" and image["stored_sha256"] in marked
        for image in manifest_of(out)["images"]
        for item in image["objects"]
    }
    assert said_groups == expected
    assert sum(said_groups.values()) == plan.groups == len(marked) > 0
    rows = pq.read_table(out / "data" / "objects.parquet").to_pylist()
    of_tables = {(row["image_id"], row["object_number"]): row["group_of"] for row in rows}
    assert of_tables == expected
    [records] = read_croissant(out, "objects")
    assert sum(record["objects/group_of"] for record in records) == len(marked)
    difficult = read_difficult(out)
    assert set(difficult) == set(said_groups)
    assert all(difficult[place] for place, is_group in said_groups.items() if is_group)
    datasheet = (out / "DATASHEET.md").read_text("utf-8")
    assert f"Boxes around a group of more than ten that touch: {len(marked)}." in datasheet
    convert_tree(load_tree(out / "VOCdevkit" / "VOC2026"), tmp_path / "coco", "coco")
    crowds = [
        row["iscrowd"]
        for path in (tmp_path / "coco").rglob("*.json")
        for row in json.loads(path.read_text("utf-8")).get("annotations", ())
    ]
    assert sum(crowds) == sum(difficult.values())


def test_a_release_without_groups_says_nothing_of_them(party: Party, tmp_path: Path) -> None:
    export_release(stock(party), tmp_path / "out", year=2026, at=NOW)
    assert "group_of" not in pq.read_schema(tmp_path / "out" / "data" / "objects.parquet").names
    for name in ("release.json", "DATASHEET.md", "croissant.json"):
        assert "group_of" not in (tmp_path / "out" / name).read_text("utf-8")


def test_a_word_of_before_does_not_make_a_released_group_easy(party: Party, tmp_path: Path) -> None:
    """The judgement of an object that became a group later, without another box."""
    marked = mark_cats(stock(party))
    export_release(party, tmp_path / "first", year=2026, at=NOW)
    with party.catalogue.writing() as session:
        groups = session.scalars(select(Object).where(Object.group_of)).all()
        for item in groups:
            image = session.scalars(
                select(Image).where(Image.annotation_id == item.annotation_id)
            ).one()
            assert image.state is ImageState.RELEASED
            session.add(
                Difficulty(
                    image_id=image.id,
                    object_key=item.object_key,
                    is_difficult=False,
                    looks_sha256=describe_looks(item.class_id, item.box),
                    person_id=1,
                    judged_at=NOW,
                )
            )
    export_release(party, tmp_path / "later", year=2026, at=NOW, name="VOC2026b")
    for folder in (tmp_path / "first", tmp_path / "later"):
        difficult = read_difficult(folder)
        of_groups = [
            difficult[image["id"], item["number"]]
            for image in manifest_of(folder)["images"]
            for item in image["objects"]
            if item.get("group_of")
        ]
        assert of_groups == [True] * len(marked)
