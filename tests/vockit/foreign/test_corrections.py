"""What is taken otherwise than a foreign file has it, by each reader, and what is refused."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.trees import make_tree
from vockit.browse.shown_tree import show_tree
from vockit.command import main
from vockit.foreign.corrections import UncorrectableError, fit_record
from vockit.foreign.tree_images import load_tree
from vockit.format.records import VocBox, VocImage, VocObject, VocPart, VocPoint, VocSize

ONE = "2012_000001"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "in")


def edit(tree: Path, old: str, new: str) -> None:
    path = tree / f"Annotations/{ONE}.xml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def fit(box: VocBox, *, is_whole: bool = False) -> VocBox:
    record = VocImage("a.jpg", (VocObject("cat", box),), size=VocSize(60, 40, 3))
    return fit_record(record, (60, 40), is_whole=is_whole)[0].objects[0].box


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (VocBox(0, 0, 60, 40), VocBox(1, 1, 60, 40)),
        (VocBox(50, 30, 2, 3), VocBox(2, 3, 50, 30)),
        (VocBox(-5, 2, 99, 99), VocBox(1, 2, 60, 40)),
        (VocBox(1.5, 2, 10.25, 20), VocBox(1.5, 2, 10.25, 20)),
        (VocBox(2, 3, 50, 30), VocBox(2, 3, 50, 30)),
    ],
)
def test_a_box_from_0_swapped_or_outside_comes_into_the_picture(
    box: VocBox, expected: VocBox
) -> None:
    assert fit(box) == expected


def test_fractions_are_rounded_where_pixels_are_asked_for() -> None:
    assert fit(VocBox(1.5, 2.4, 10.25, 20), is_whole=True) == VocBox(2, 2, 10, 20)


def test_a_box_wholly_outside_is_refused() -> None:
    with pytest.raises(UncorrectableError, match="lies outside the 60 x 40 pixels"):
        fit(VocBox(70, 3, 80, 30))


def test_parts_and_points_are_corrected_and_each_change_names_its_object() -> None:
    item = VocObject(
        "person",
        VocBox(2, 3, 50, 30),
        parts=(VocPart("head", VocBox(0, 3, 9, 9)),),
        point=VocPoint(99, 5),
    )
    record = VocImage("a.jpg", (item,), size=VocSize(0, 0))
    _, changes = fit_record(record, (60, 40), is_whole=False)
    assert [(change.rule, change.number) for change in changes] == [
        ("size", 0),
        ("point", 1),
        ("box", 1),
    ]


def test_conversion_and_browsing_take_the_same_corrected_boxes(tree: Path, tmp_path: Path) -> None:
    edit(tree, "<xmin>2<", "<xmin>-3<")
    edit(tree, "<xmax>50<", "<xmax>500<")
    edit(tree, "<width>60<", "<width>0<")
    result = CliRunner().invoke(main, ["convert", str(tree), str(tmp_path / "out"), "--to", "coco"])
    assert f"Corrected image {ONE}: the box of object 1 was -3, 3, 500, 30" in result.stderr
    document = json.loads((tmp_path / "out/annotations/instances_train.json").read_text())
    assert document["annotations"][0]["bbox"] == [0, 2, 60, 28]
    assert document["images"][0]["width"] == 60
    shown = show_tree(load_tree(tree), tree).images[0]
    assert shown.objects[0].box == VocBox(1, 3, 60, 30)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("<xmin>2<", "<xmin>10,4<", "expected <xmin> without a comma, got '10,4'"),
        ("<width>60<", "<width>6,0<", "expected <width> without a comma"),
        ("</bndbox>", "</bndbox><bndbox/>", "expected one <bndbox> in <object>, got 2"),
        ("<width>60<", "<width>61<", "says 61 x 40 pixels, but its picture has 60 x 40"),
        ("<xmin>2<", "<xmin>two<", "expected a number in <xmin>: 'two'"),
    ],
)
def test_an_annotation_that_would_be_read_wrongly_is_left_out_and_named(
    tree: Path, old: str, new: str, reason: str
) -> None:
    edit(tree, old, new)
    content = load_tree(tree)
    (skipped,) = content.skipped
    assert skipped[0] == ONE
    assert reason in skipped[1]
    assert len(content.images) == 5
