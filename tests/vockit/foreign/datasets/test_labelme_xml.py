"""LabelMe's XML is read object by object."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.party_rows import jpeg_bytes
from vockit.format.records import VocBox
from vockit.format.rings import fill

from .reading import SIZE, fit, list_rules, read

FORM = "LabelMe XML"


def polygon(*corners: tuple[object, object]) -> str:
    points = "".join(f"<pt><x>{x}</x><y>{y}</y></pt>" for x, y in corners)
    return f"<polygon><username>ann</username>{points}</polygon>"


SQUARE = polygon((10, 5), (20, 5), (20, 15), (10, 15))


def make_object(
    shape: str = SQUARE, name: str = "\ncat\n", more: str = "", deleted: int = 0
) -> str:
    return (
        f"<object><name>{name}</name><deleted>{deleted}</deleted><verified>0</verified>"
        f"<date>15-Nov-2019 14:38:51</date><id>7</id>{more}{shape}</object>\n"
    )


def make_labelme(root: Path, *objects: str) -> Path:
    (root / "Images/street").mkdir(parents=True, exist_ok=True)
    (root / "Annotations/street").mkdir(parents=True, exist_ok=True)
    (root / "Images/street/p1.jpg").write_bytes(jpeg_bytes(1))
    (root / "Annotations/street/p1.xml").write_text(
        "<annotation><filename>p1.jpg</filename><folder>street</folder><source><sourceImage>The MIT"
        "-CSAIL database</sourceImage></source>\n" + "".join(objects) + "<imagesize>"
        "<nrows>40</nrows><ncols>60</ncols></imagesize></annotation>"
    )
    return root


def test_polygons_flags_and_attributes_are_those_of_the_file(tmp_path: Path) -> None:
    more = "<occluded>yes</occluded><attributes>red, side=left</attributes>"
    more += "<parts><hasparts>3</hasparts><ispartof></ispartof></parts>"
    (item,), _notes = fit(make_labelme(tmp_path, make_object(more=more)), FORM)
    assert item.box == VocBox(11, 6, 20, 15)
    assert fill(item.rings, *SIZE).sum() == 100
    assert item.source.class_name == "cat"
    assert item.source.occluded
    assert item.source.attributes == {"red": "true", "side": "left", "hasparts": "3"}
    assert item.source.place == "Annotations/street/p1.xml, line 2"
    assert item.source.key == "labelme-7"


def test_a_box_is_a_box_and_a_deleted_object_is_named(tmp_path: Path) -> None:
    box = make_object("<type>bounding_box</type>" + SQUARE)
    objects, notes = fit(make_labelme(tmp_path, box, make_object(deleted=1)), FORM)
    assert [(item.box, item.rings) for item in objects] == [(VocBox(11, 6, 20, 15), ())]
    assert list_rules(notes) == ["object left out: deleted"]


def test_a_mask_becomes_rings(tmp_path: Path) -> None:
    root = make_labelme(tmp_path, make_object("<segm><mask>p1_mask_0.png</mask></segm>"))
    (root / "Masks/street").mkdir(parents=True)
    mask = np.zeros((40, 60), np.uint8)
    mask[4:14, 9:29] = 255
    Image.fromarray(mask).save(root / "Masks/street/p1_mask_0.png")
    (item,), _notes = fit(root, FORM)
    assert item.box == VocBox(10, 5, 29, 14)
    assert fill(item.rings, *SIZE).sum() == 200


@pytest.mark.parametrize(
    "shape",
    [
        polygon((1, 2), (3, 4)),
        polygon((1, 2), (3, 4), ("x", 5)),
        polygon((1, 2), (3, 4), ("nan", 5)),
        "<polygon></polygon>",
        "<segm><mask>gone.png</mask></segm>",
        "<segm><mask>p1.jpg</mask></segm>",
        "",
    ],
)
def test_a_wrong_shape_costs_itself(tmp_path: Path, shape: str) -> None:
    objects, notes = fit(make_labelme(tmp_path, make_object(shape), make_object()), FORM)
    assert [item.box for item in objects] == [VocBox(11, 6, 20, 15)]
    assert list_rules(notes) == ["object left out: shape"]


def test_an_object_without_a_name_and_a_damaged_file_are_named(tmp_path: Path) -> None:
    root = make_labelme(tmp_path, make_object(name=""), make_object())
    (root / "Annotations/street/p2.xml").write_text("<annotation><deleted>0</deleted>")
    (root / "Annotations/street/p3.xml").write_text(
        "<annotation><filename>gone.jpg</filename><imagesize/></annotation>"
    )
    images, _notes = read(root, FORM)
    assert [note.rule for note in images[0].notes] == ["label"]
    assert "cannot be read: line 1: not XML" in (images[1].reason or "")
    assert "its picture is not in the folder" in (images[2].reason or "")


def test_a_file_of_voc_with_boxes_and_a_polygon_is_not_of_labelme(tmp_path: Path) -> None:
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
    (tmp_path / "a.jpg").write_bytes(jpeg_bytes(1))
    (tmp_path / "a.xml").write_text(
        f"<annotation><object><name>cat</name>{box}{SQUARE}</object></annotation>"
    )
    images, _notes = read(tmp_path, "VOC")
    assert len(images[0].objects) == 1


def test_files_that_datumaro_writes_are_read(tmp_path: Path) -> None:
    from datumaro.components.annotation import AnnotationType, LabelCategories, Polygon
    from datumaro.components.dataset import Dataset
    from datumaro.components.dataset_base import DatasetItem
    from datumaro.components.media import Image as Media

    note = 'a cat, or "half" = 1\\2'
    said = {"occluded": True, "note": note, "wet": True, "age": 3}
    shape = Polygon([10, 5, 20, 5, 20, 15, 10, 15], label=0, id=1, attributes=said)
    pixels = np.zeros((40, 60, 3), np.uint8)
    item = DatasetItem(
        id="a", subset="train", media=Media.from_numpy(data=pixels), annotations=[shape]
    )
    categories = {AnnotationType.label: LabelCategories.from_iterable(["cat"])}
    dataset = Dataset.from_iterable([item], categories=categories)
    dataset.export(str(tmp_path), "label_me", save_media=True)
    (read_item,), _notes = fit(tmp_path, FORM)
    assert read_item.box == VocBox(11, 6, 20, 15)
    assert read_item.source.occluded
    assert read_item.attributes == {"note": note, "wet": "True", "age": "3"}
