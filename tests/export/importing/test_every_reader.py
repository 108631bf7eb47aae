"""One input for each way in which foreign trees are odd, and what each command makes of it.

The commands are import, convert, browse, verify and evaluate. Each says of image ONE what it takes
it for, or why not: import what it changes or skips, convert COCO's box, browse the box, verify its
rules, evaluate the box that counts, and what it notes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from catalog.party import Party, open_party
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.importing.tree_image import ImportTreeError
from tests.trees import CAT_LABEL, Damage, edit, make_tree, mask_bytes, put
from vockit.browse.shown_tree import show_tree
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.odd_truth import note_odd_truth
from vockit.evaluate.truth import open_truth
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import load_tree
from vockit.format.masks import make_palette
from vockit.format.records import VocObject
from vockit.verify.check import check_folder

ONE = "2012_000001"
XML = f"Annotations/{ONE}.xml"
BOX = "cat 2 3 50 30"
COCO = "cat 1 2 49 28"


@dataclass(frozen=True)
class Row:
    """An odd input, and a part of what each command says of it; nothing where that is empty."""

    damage: Damage
    imported: str = ""
    converted: str = COCO
    browsed: str = BOX
    verified: str = ""
    evaluated: str = BOX
    image_id: str = ONE


def both(*damages: Damage) -> Damage:
    def damage(root: Path) -> None:
        for each in damages:
            each(root)

    return damage


def save_as(form: str, ending: str) -> Damage:
    """The picture in another format."""

    def damage(root: Path) -> None:
        path = root / f"JPEGImages/{ONE}.jpg"
        with Image.open(path) as picture:
            picture.load()
        path.unlink()
        picture.save(root / f"JPEGImages/{ONE}.{ending}", form)

    return damage


def rename(annotation: str, picture: str = "") -> Damage:
    """Another name in the files and the lists of Main."""

    def damage(root: Path) -> None:
        text = (root / XML).read_text().replace(f"{ONE}.jpg", f"{annotation}.jpg")
        (root / XML).unlink()
        put(f"Annotations/{annotation}.xml", text)(root)
        name = picture or annotation
        (root / f"JPEGImages/{ONE}.jpg").rename(root / f"JPEGImages/{name}.jpg")
        for path in (root / "ImageSets/Main").iterdir():
            path.write_text(path.read_text().replace(ONE, annotation))

    return damage


def list_with_endings(root: Path) -> None:
    for path in (root / "ImageSets/Main").iterdir():
        path.write_text(re.sub(r"(2012_00000\d)", r"\1.jpg", path.read_text()))


def add_apple_double(root: Path) -> None:
    for place in (XML, f"JPEGImages/{ONE}.jpg", "ImageSets/Main/cat_train.txt"):
        path = root / place
        put(str((path.parent / f"._{path.name}").relative_to(root)), b"\0\5\26\7")(root)


def declare_gb2312(root: Path) -> None:
    text = (root / XML).read_text().replace("Example team", "示例")
    declared = f'<?xml version="1.0" encoding="gb2312"?>\n{text}'
    (root / XML).write_bytes(declared.encode("gb2312"))


def drop_objects(root: Path) -> None:
    text = (root / XML).read_text()
    (root / XML).write_text(re.sub(r"\s*<object>.*</object>", "", text, flags=re.DOTALL))


def put_background_second(root: Path) -> None:
    """As old exports of CVAT do: cats are 0 in the masks of classes, and the background 1."""
    put("labelmap.txt", "cat:0,0,0::\nbackground:1,1,1::\nperson:2,2,2::\n")(root)
    path = root / f"SegmentationClass/{ONE}.png"
    with Image.open(path) as file:
        labels = np.asarray(file)
    is_cat = labels == CAT_LABEL
    mask = Image.fromarray(np.where(labels == 0, 1, np.where(is_cat, 0, labels)).astype(np.uint8))
    mask.putpalette(make_palette())
    mask.save(path)


OWN_CLASSES = both(
    put("labelmap.txt", "background:0,0,0::\ncat:1,1,1::\nperson:2,2,2:head:phoning,walking\n"),
    put(f"SegmentationClass/{ONE}.png", mask_bytes(label=1)),
)
SECOND_BOX = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>4</xmax><ymax>4</ymax></bndbox>"
POLYGON = "<object><name>cat</name><polygon><x1>1</x1><y1>2</y1></polygon></object>"
LONG_NAME = "IMG_0001_jpg.rf.0123456789abcdef0123456789abcdef01"
NAME_REFUSED = "--format voc takes it under an id of ours"
BECAME_JPEG = "became a JPEG, as all pictures of releases are"
NO_PICTURE = "picture-missing, stray"
ROWS = {
    "a tree without a fault": Row(lambda _root: None),
    "own classes that are names of VOC": Row(OWN_CLASSES, imported="its labels are those of the"),
    "label map with background second": Row(
        both(put_background_second, edit("labelmap.txt", "2,2,2::", "2,2,2:head:phoning,walking")),
        imported="its labels are those of the party's classes now",
    ),
    "a comma in a box": Row(
        edit(XML, "<xmin>2<", "<xmin>1,2<"),
        imported="expected <xmin> without a comma, got '1,2'",
        converted="expected <xmin> without a comma, got '1,2'",
        browsed="not shown",
        verified="integer",
        evaluated="cat 12 3 50 30; 1 annotation read as the development kit does",
    ),
    "a comma in a size": Row(
        edit(XML, "<width>60<", "<width>6,0<"),
        imported="expected <width> without a comma, got '6,0'",
        converted="expected <width> without a comma, got '6,0'",
        browsed="not shown",
        verified="integer",
        evaluated=f"{BOX}; 1 annotation read as the development kit does",
    ),
    "a box from 0": Row(
        edit(XML, "<xmin>2<", "<xmin>0<"),
        imported="the box of object 1 was 0, 3, 50, 30 and became 1, 3, 50, 30",
        converted="cat 0 2 50 28; the box of object 1 was 0, 3, 50, 30 and became 1, 3, 50, 30",
        browsed="cat 1 3 50 30",
        verified="box-inside",
        evaluated="cat 0 3 50 30; 1 box of the annotations with swapped ends or outside",
    ),
    "a negative box": Row(
        edit(XML, "<ymin>3<", "<ymin>-3<"),
        imported="the box of object 1 was 2, -3, 50, 30 and became 2, 1, 50, 30",
        converted="cat 1 0 49 30; the box of object 1 was 2, -3, 50, 30",
        browsed="cat 2 1 50 30",
        verified="box-inside",
        evaluated="cat 2 -3 50 30; 1 box of the annotations with swapped ends or outside",
    ),
    "swapped ends": Row(
        edit(XML, "<xmin>2<", "<xmin>55<"),
        imported="the box of object 1 was 55, 3, 50, 30 and became 50, 3, 55, 30",
        converted="cat 49 2 6 28; the box of object 1 was 55, 3, 50, 30",
        browsed="cat 50 3 55 30",
        verified="box-order",
        evaluated="cat 55 3 50 30; 1 box of the annotations with swapped ends or outside",
    ),
    "a box that reaches out": Row(
        edit(XML, "<xmax>50<", "<xmax>500<"),
        imported="the box of object 1 was 2, 3, 500, 30 and became 2, 3, 60, 30",
        converted="cat 1 2 59 28; the box of object 1 was 2, 3, 500, 30",
        browsed="cat 2 3 60 30",
        verified="box-inside",
        evaluated="cat 2 3 500 30; 1 box of the annotations with swapped ends or outside",
    ),
    "a box outside": Row(
        both(edit(XML, "<xmin>2<", "<xmin>200<"), edit(XML, "<xmax>50<", "<xmax>500<")),
        imported="(200, 3, 500, 30) lies outside the 60 x 40 pixels",
        converted="(200, 3, 500, 30) lies outside the 60 x 40 pixels",
        browsed="not shown",
        verified="box-inside",
        evaluated="cat 200 3 500 30; 1 box of the annotations with swapped ends or outside",
    ),
    "a picture of 0 x 0": Row(
        both(edit(XML, "<width>60<", "<width>0<"), edit(XML, "<height>40<", "<height>0<")),
        imported="<size> was 0 x 0 and became 60 x 40",
        converted=f"{COCO}; <size> was 0 x 0 and became 60 x 40",
        verified="size",
    ),
    "the size of another picture": Row(
        edit(XML, "<width>60<", "<width>600<"),
        imported="says 600 x 40 pixels, but its picture has 60 x 40",
        converted="says 600 x 40 pixels, but its picture has 60 x 40",
        browsed="not shown",
        verified="size",
    ),
    "several boxes in one object": Row(
        edit(XML, "</bndbox>", f"</bndbox>{SECOND_BOX}"),
        imported="expected one <bndbox> in <object>, got 2; write an object for each",
        converted="expected one <bndbox> in <object>, got 2; write an object for each",
        browsed="not shown",
        verified="repeated",
        evaluated=f"{BOX}; 1 annotation read as the development kit does",
    ),
    "a share for a flag": Row(
        edit(XML, "<truncated>0<", "<truncated>0.92<"),
        imported="expected 0 or 1 in <truncated>, got '0.92', which is read as 1",
        browsed=f"{BOX} truncated",
        verified="flag",
        evaluated=f"{BOX} truncated",
    ),
    "a flag that is not there": Row(edit(XML, "\t\t<difficult>0</difficult>\n", "")),
    "a picture in another format": Row(
        save_as("PNG", "png"), imported=BECAME_JPEG, verified=NO_PICTURE
    ),
    "AVIF": Row(save_as("AVIF", "avif"), imported=BECAME_JPEG, verified=NO_PICTURE),
    "BMP": Row(save_as("BMP", "bmp"), imported=BECAME_JPEG, verified=NO_PICTURE),
    "TIFF": Row(save_as("TIFF", "tif"), imported=BECAME_JPEG, verified=NO_PICTURE),
    "still GIF": Row(save_as("GIF", "gif"), imported=BECAME_JPEG, verified=NO_PICTURE),
    "a format that is not taken": Row(
        save_as("TGA", "tga"),
        imported=f"its picture {ONE}.tga has an ending that no format has which is taken",
        converted=f"its picture {ONE}.tga has an ending that no format has which is taken",
        browsed="not shown",
        verified=NO_PICTURE,
    ),
    "lists with file names": Row(
        list_with_endings, imported="is written as '2012_000001'", verified="annotation-missing"
    ),
    "an accent composed here and decomposed there": Row(
        rename("caf\u00e9", "cafe\u0301"),
        imported="it is called caf\u00e9.jpg from now on",
        verified="ascending",
        image_id="caf\u00e9",
    ),
    "AppleDouble files": Row(add_apple_double),
    "another case of letters": Row(
        edit(XML, "<name>cat<", "<name>Cat<"),
        imported="class Cat (1)",
        converted="Cat 1 2 49 28",
        browsed="Cat 2 3 50 30",
        verified="class-file-missing",
        evaluated="Cat 2 3 50 30",
    ),
    "a class in Chinese": Row(
        edit(XML, "<name>cat<", "<name>\u732b<"),
        imported="class \u732b (1)",
        converted="\u732b 1 2 49 28",
        browsed="\u732b 2 3 50 30",
        verified="class-file-missing",
        evaluated="\u732b 2 3 50 30",
    ),
    "a class of two words": Row(
        edit(XML, "<name>cat<", "<name>traffic light<"),
        imported="class traffic light (1)",
        converted="traffic light 1 2 49 28",
        browsed="traffic light 2 3 50 30",
        verified="white-space",
        evaluated="traffic light 2 3 50 30",
    ),
    "a name of 50 characters": Row(
        rename(LONG_NAME), imported=NAME_REFUSED, verified="ascending", image_id=LONG_NAME
    ),
    "a name with blanks and brackets": Row(
        rename("my photo (1)"),
        imported=NAME_REFUSED,
        verified="white-space",
        evaluated="train.txt:1: expected an id, got 'my photo (1)'",
        image_id="my photo (1)",
    ),
    "a declared encoding of several bytes": Row(
        declare_gb2312, imported="expected ASCII or UTF-8", verified="encoding"
    ),
    "an annotation of 6 MB": Row(
        edit(XML, "</annotation>", f"<imageData>{'A' * 6_000_000}</imageData></annotation>"),
        imported="imageData",
        verified="text-between-tags",
    ),
    "an object without a box": Row(
        edit(XML, "</object>", f"</object>{POLYGON}"),
        imported="expected <bndbox> in <object>",
        converted="expected <bndbox> in <object>",
        browsed="not shown",
        verified="required",
        evaluated="expected <bndbox> in <object>",
    ),
    "no object": Row(
        drop_objects,
        imported="it has no object, and no release can hold such an image",
        converted="no object",
        browsed="no object",
        verified="no-object",
        evaluated="no object",
    ),
}


@pytest.fixture(scope="module")
def reading_party(party_template: Path) -> Iterator[Party]:
    """A party into which nothing is written."""
    with open_party(party_template) as party:
        yield party


def try_import(party: Party, root: Path, image_id: str) -> str:
    try:
        report = import_tree(party, DatasetOrder(root, is_dry=True))
    except ImportTreeError as error:
        return str(error)
    reasons = [skip.reason for skip in report.skipped if skip.image_id == image_id]
    return "; ".join([*reasons, *(change.message for change in report.corrections)])


def convert(root: Path, image_id: str, out: Path) -> str:
    content = load_tree(root)
    skipped = dict(content.skipped)
    if image_id in skipped:
        return skipped[image_id]
    convert_tree(content, out, "coco")
    document = json.loads((out / "annotations/instances_train.json").read_text())
    names = {entry["id"]: entry["name"] for entry in document["categories"]}
    (number,) = (
        image["id"]
        for image in document["images"]
        if unicodedata.normalize("NFC", Path(image["file_name"]).stem) == image_id
    )
    boxes = [
        " ".join([names[row["category_id"]], *(f"{value:g}" for value in row["bbox"])])
        for row in document["annotations"]
        if row["image_id"] == number
    ]
    changes = [change.message for of_id, change in content.corrections if of_id == image_id]
    return "; ".join([*(boxes or ["no object"]), *changes])


def browse(root: Path, image_id: str) -> str:
    for image in show_tree(load_tree(root), root).images:
        if image.image_id == image_id:
            return describe(image.objects)
    return "not shown"


def verify(root: Path, _image_id: str) -> str:
    (report,) = check_folder(root)
    return ", ".join(sorted({violation.rule for violation in report.errors}))


def evaluate(root: Path, image_id: str) -> str:
    truth = open_truth(root, "train")
    try:
        objects = truth.annotation(image_id).objects if image_id in truth.images else ()
    except EvaluateError as error:
        return str(error)
    return "; ".join([describe(objects), *note_odd_truth(truth)])


def describe(objects: Iterable[VocObject]) -> str:
    described = [
        " ".join(
            [
                item.name,
                *(f"{end:g}" for end in (item.box.xmin, item.box.ymin)),
                *(f"{end:g}" for end in (item.box.xmax, item.box.ymax)),
                *["truncated"] * bool(item.truncated),
            ]
        )
        for item in objects
    ]
    return "; ".join(described) or "no object"


@pytest.mark.parametrize("name", ROWS)
def test_each_command_says_what_it_takes_an_odd_tree_for(
    reading_party: Party, tmp_path: Path, name: str
) -> None:
    row = ROWS[name]
    root = make_tree(tmp_path)
    row.damage(root)
    answers = {
        "import": (row.imported, try_import(reading_party, root, row.image_id)),
        "convert": (row.converted, convert(root, row.image_id, tmp_path / "coco")),
        "browse": (row.browsed, browse(root, row.image_id)),
        "verify": (row.verified, verify(root, row.image_id)),
        "evaluate": (row.evaluated, evaluate(root, row.image_id)),
    }
    wrong = {
        command: (expected, answer)
        for command, (expected, answer) in answers.items()
        if not (expected in answer if expected else not answer)
    }
    assert wrong == {}
