"""CVAT's XML for images is read shape by shape; videos are named."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from tests.party_rows import jpeg_bytes
from vockit.format.records import VocBox
from vockit.format.rings import fill

from .reading import SIZE, fit, list_rules, read

FORM = "CVAT for images"
BOX = '<box label="cat" occluded="1" xtl="9" ytl="4" xbr="29" ybr="14"/>'
HEAD = "<version>1.1</version><meta><task><name>a</name></task></meta>"


def make_cvat(root: Path, shapes: str = BOX, more: str = "") -> Path:
    (root / "images").mkdir(parents=True, exist_ok=True)
    (root / "images/1.jpg").write_bytes(jpeg_bytes(1))
    image = f'<image id="0" name="1.jpg" width="60" height="40">{shapes}</image>'
    (root / "annotations.xml").write_text(f"<annotations>{HEAD}\n{image}\n{more}</annotations>")
    return root


def test_boxes_flags_and_attributes_are_those_of_the_file(tmp_path: Path) -> None:
    box = (
        '<box label="dog" occluded="0" xtl="1" ytl="2" xbr="4" ybr="6">'
        '<attribute name="truncated">true</attribute><attribute name="hue">red</attribute></box>'
    )
    objects, notes = fit(make_cvat(tmp_path, BOX + box), FORM)
    assert [item.box for item in objects] == [VocBox(10, 5, 29, 14), VocBox(2, 3, 4, 6)]
    assert [item.source.occluded for item in objects] == [True, False]
    assert [item.source.truncated for item in objects] == [False, True]
    assert objects[1].attributes == {"hue": "red"}
    assert notes == []
    assert objects[0].source.place == "annotations.xml, line 2"


@pytest.mark.parametrize(
    ("shape", "box", "pixels"),
    [
        ('<polygon label="cat" points="10,5;20,5;20,15;10,15"/>', VocBox(11, 6, 20, 15), 100),
        (
            '<mask label="cat" rle="0, 2, 1, 3" left="3" top="4" width="3" height="2"/>',
            VocBox(4, 5, 6, 6),
            5,
        ),
        (
            '<box label="cat" xtl="20" ytl="10" xbr="40" ybr="20" rotation="90"/>',
            VocBox(26, 6, 35, 25),
            200,
        ),
        ('<ellipse label="cat" cx="20" cy="20" rx="10" ry="5"/>', VocBox(11, 16, 30, 25), 157),
    ],
)
def test_outlines_become_rings(tmp_path: Path, shape: str, box: VocBox, pixels: int) -> None:
    (item,), notes = fit(make_cvat(tmp_path, shape), FORM)
    assert item.box == box
    assert abs(int(fill(item.rings, *SIZE).sum()) - pixels) <= pixels // 20
    assert notes == []


@pytest.mark.parametrize(
    ("shape", "rule"),
    [
        ('<points label="cat" points="1,1"/>', "points"),
        ('<tag label="cat"/>', "tag"),
        ('<polyline label="cat" points="1,1;2,2"/>', "polyline"),
        ('<box label="cat" xtl="x" ytl="4" xbr="29" ybr="14"/>', "shape"),
        ('<box label="cat" ytl="4" xbr="29" ybr="14"/>', "shape"),
        ('<polygon label="cat" points="1,1;2,2"/>', "shape"),
        ('<polygon label="cat" points="1,1;2;3,3"/>', "shape"),
        ('<polygon label="cat" points="1,1;nan,2;3,3"/>', "shape"),
        ('<mask label="cat" rle="1, 2" left="3" top="4" width="3" height="2"/>', "shape"),
        ('<mask label="cat" rle="6" left="3" top="4" width="3" height="2"/>', "shape"),
        (
            '<mask label="cat" rle="0, 1" left="1%s" top="4" width="1" height="1"/>' % ("0" * 400),
            "shape",
        ),
        ('<box label="cat" xtl="900" ytl="4" xbr="929" ybr="14"/>', "box"),
    ],
)
def test_a_shape_that_is_no_object_is_named_and_the_others_come(
    tmp_path: Path, shape: str, rule: str
) -> None:
    objects, notes = fit(make_cvat(tmp_path, f"{shape}{BOX}"), FORM)
    assert [item.box for item in objects] == [VocBox(10, 5, 29, 14)]
    assert list_rules(notes) == [f"object left out: {rule}"]


def test_tracks_of_a_video_are_named(tmp_path: Path) -> None:
    track = '<track id="0" label="cat"><box frame="0" xtl="1" ytl="1" xbr="5" ybr="5"/></track>'
    objects, notes = fit(make_cvat(tmp_path, BOX, track), FORM)
    assert len(objects) == 1
    assert list_rules(notes) == ["file left out: video"]
    assert "1 tracks of a video are left out" in notes[0].message


def test_of_a_damaged_file_the_images_before_the_damage_come(tmp_path: Path) -> None:
    objects, notes = fit(make_cvat(tmp_path, BOX, "<image"), FORM)
    assert len(objects) == 1
    assert list_rules(notes) == ["file left out: no whole XML"]
    assert notes[0].message.startswith("line 3: not well-formed")


def test_a_document_type_is_refused(tmp_path: Path) -> None:
    root = make_cvat(tmp_path)
    path = root / "annotations.xml"
    path.write_text(f'<!DOCTYPE a [<!ENTITY b "c">]>{path.read_text()}')
    objects, notes = fit(root, FORM)
    assert objects == []
    assert list_rules(notes) == ["file left out: no whole XML"]
    assert notes[0].message.startswith("line 1: a document type, which no labels need; images")


def test_an_image_without_a_picture_has_a_reason(tmp_path: Path) -> None:
    images, _notes = read(make_cvat(tmp_path, BOX, '<image id="1" name="2.jpg"/>'), FORM)
    assert [image.reason is None for image in images] == [True, False]


def test_datumaro_reads_the_same_boxes_and_masks(tmp_path: Path) -> None:
    from datumaro.components.dataset import Dataset

    mask = '<mask label="cat" occluded="0" z_order="0" rle="1, 4, 3, 2" left="3" top="4" '
    mask += 'width="5" height="2"/>'
    root = make_cvat(tmp_path, BOX + mask)
    objects, _notes = fit(root, FORM)
    with warnings.catch_warnings(action="ignore"):
        (item,) = Dataset.import_from(str(root), "cvat")
        box, region = item.annotations
        pixels = np.array(region.image, bool)
    x, y, width, height = box.get_bbox()
    assert objects[0].box == VocBox(x + 1, y + 1, x + width, y + height)
    assert np.array_equal(fill(objects[1].rings, *SIZE), pixels)
