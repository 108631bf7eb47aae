"""Annotation files of VOC are read wherever they lie."""

from pathlib import Path

import pytest

from tests import trees
from tests.party_rows import jpeg_bytes
from vockit.foreign.datasets.opening import open_dataset
from vockit.format.records import VocBox

from .reading import fit, list_rules, read

FORM = "VOC"


@pytest.mark.parametrize(
    ("annotations", "pictures"),
    [
        ("Annotations", "JPEGImages"),
        ("annotations", "images"),
        (".", "."),
        ("set/annotations", "set/images"),
    ],
)
@pytest.mark.parametrize("name", ["a", "ali (1)", "cat_jpg.rf.0123456789abcdef0123456789abcdef01"])
def test_any_layout_and_any_name_is_read(
    tmp_path: Path, annotations: str, pictures: str, name: str
) -> None:
    trees.write(tmp_path / f"{annotations}/{name}.xml", trees.annotation("a", (trees.CAT,)))
    trees.write(tmp_path / f"{pictures}/{name}.jpg", jpeg_bytes(1))
    (item,), notes = fit(tmp_path, FORM)
    assert item.box == VocBox(2, 3, 50, 30)
    assert (item.source.class_name, item.source.view) == ("cat", "Left")
    assert notes == []


def test_a_picture_elsewhere_is_found_by_the_name_that_the_file_says(tmp_path: Path) -> None:
    trees.write(tmp_path / "xml/7.xml", trees.annotation("a", (trees.CAT,)))
    trees.write(tmp_path / "elsewhere/a.jpg", jpeg_bytes(1))
    (image,), _notes = read(tmp_path, FORM)
    assert image.name == "elsewhere/a.jpg"


def test_a_tree_names_the_command_that_keeps_more_of_it(tmp_path: Path) -> None:
    root = trees.make_tree(tmp_path)
    dataset = open_dataset(root)
    assert "--format voc-tree keeps them" in dataset.notes[0].message
    _objects, notes = fit(root, FORM)
    assert "not kept: parts, actions, points" in list_rules(notes)


def test_an_object_without_a_box_or_a_name_costs_itself(tmp_path: Path) -> None:
    """As a polygon among boxes, and a file that does not name its picture."""
    box = "<bndbox><xmin>2</xmin><ymin>3</ymin><xmax>50</xmax><ymax>30</ymax></bndbox>"
    polygon = "<polygon><x1>1</x1><y1>2</y1></polygon>"
    trees.write(
        tmp_path / "a.xml",
        f"<annotation>\n<object><name>dog</name>{polygon}</object>\n<object>{box}</object>\n"
        f"<object><name>cat</name>{box}</object></annotation>",
    )
    trees.write(tmp_path / "a.jpg", jpeg_bytes(1))
    (item,), notes = fit(tmp_path, FORM)
    assert (item.source.class_name, item.source.place) == ("cat", "a.xml, line 4")
    assert [(note.place, note.message.partition(", which")[0]) for note in notes] == [
        ("a.xml, line 2", "expected <bndbox> in <object>"),
        ("a.xml, line 3", "expected <name> in <object>"),
    ]


def test_of_objects_on_one_line_the_one_without_a_box_costs_itself(tmp_path: Path) -> None:
    box = "<bndbox><xmin>2</xmin><ymin>3</ymin><xmax>50</xmax><ymax>30</ymax></bndbox>"
    trees.write(
        tmp_path / "a.xml",
        f"<annotation><object><name>cat</name>{box}</object><object><name>dog</name></object>"
        f"<object><name>cow</name>{box}</object></annotation>",
    )
    trees.write(tmp_path / "a.jpg", jpeg_bytes(1))
    objects, notes = fit(tmp_path, FORM)
    assert [item.source.class_name for item in objects] == ["cat", "cow"]
    assert list_rules(notes) == ["object left out: no box"]


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    trees.write(tmp_path / "a.xml", trees.annotation("a", (trees.CAT,)))
    trees.write(tmp_path / "b.xml", "")
    for name in ("a", "b"):
        trees.write(tmp_path / f"{name}.jpg", jpeg_bytes(1))
    _objects, notes = fit(tmp_path, FORM)
    assert [(note.rule, note.place) for note in notes] == [("empty", str(tmp_path / "b.xml"))]


def test_swapped_ends_are_the_pixels_that_a_whole_tree_has(tmp_path: Path) -> None:
    text = trees.annotation("a", (trees.CAT,)).replace("<xmin>2<", "<xmin>51<")
    trees.write(tmp_path / "a.xml", text)
    trees.write(tmp_path / "a.jpg", jpeg_bytes(1))
    (item,), notes = fit(tmp_path, FORM)
    assert item.box == VocBox(50, 3, 51, 30)
    assert list_rules(notes) == ["changed: negative size"]


def test_a_flag_that_is_a_share_is_named(tmp_path: Path) -> None:
    text = trees.annotation("a", (trees.CAT,)).replace("<truncated>0<", "<truncated>0.92<")
    trees.write(tmp_path / "a.xml", text)
    trees.write(tmp_path / "a.jpg", jpeg_bytes(1))
    (item,), notes = fit(tmp_path, FORM)
    assert item.source.truncated
    assert list_rules(notes) == ["changed: flag"]


def test_a_damaged_file_or_a_missing_picture_costs_its_image_alone(tmp_path: Path) -> None:
    trees.write(tmp_path / "a.xml", trees.annotation("a", (trees.CAT,)))
    trees.write(tmp_path / "a.jpg", jpeg_bytes(1))
    trees.write(tmp_path / "b.xml", "<annotation><object>")
    trees.write(tmp_path / "c.xml", trees.annotation("c", (trees.CAT,)))
    images, _notes = read(tmp_path, FORM)
    reasons = [image.reason or "" for image in images]
    assert reasons[0] == ""
    assert reasons[1].startswith("its annotation cannot be read")
    assert reasons[2].startswith("its picture is not in the folder")
