"""Roboflow's exports are found and read: a folder for each set, and long names with `.rf.`."""

import json
from pathlib import Path

import pytest

from tests import trees
from tests.party_rows import HEIGHT, WIDTH, jpeg_bytes
from vockit.foreign.datasets.values import ForeignImage
from vockit.format.records import VocBox

from .reading import fit, list_rules, read

SETS = ("train", "valid", "test")
HASH = "2d3b1f0c9a8e7d6c5b4a39281706f5e4"


def name_picture(number: int) -> str:
    return f"my photo ({number})_jpg.rf.{HASH}{number}.jpg"


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_picture(path: Path, number: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jpeg_bytes(number))


def list_images(images: list[ForeignImage]) -> list[tuple[str, str, int]]:
    return sorted((image.name, image.set_name, len(image.objects)) for image in images)


def test_coco_has_a_file_of_annotations_in_each_folder(tmp_path: Path) -> None:
    for number, name in enumerate(SETS):
        picture = name_picture(number)
        write_picture(tmp_path / name / picture, number)
        categories = [
            {"id": 0, "name": "animals", "supercategory": "none"},
            {"id": 1, "name": "cat", "supercategory": "animals"},
        ]
        image = {"id": 0, "license": 1, "file_name": picture, "height": HEIGHT, "width": WIDTH}
        annotation = {
            "id": 0,
            "image_id": 0,
            "category_id": 1,
            "bbox": [9, 4, 20, 10],
            "area": 200,
            "segmentation": [],
            "iscrowd": 0,
        }
        licence = {"id": 1, "url": "https://creativecommons.org/publicdomain/zero/1.0/"}
        document = {
            "info": {"description": "Exported from roboflow.com"},
            "licenses": [licence],
            "categories": categories,
            "images": [{**image, "extra": {"name": "my photo.jpg"}}],
            "annotations": [annotation],
        }
        write_text(tmp_path / name / "_annotations.coco.json", json.dumps(document))
    images, notes = read(tmp_path, "COCO")
    assert list_images(images) == [
        (f"test/{name_picture(2)}", "test", 1),
        (f"train/{name_picture(0)}", "train", 1),
        (f"valid/{name_picture(1)}", "val", 1),
    ]
    assert {image.licence for image in images} == {
        "https://creativecommons.org/publicdomain/zero/1.0/"
    }
    assert not notes


@pytest.mark.parametrize("above", ["../", ""])
def test_yolo_has_paths_beside_or_above_its_data_yaml(tmp_path: Path, above: str) -> None:
    for number, name in enumerate(SETS):
        picture = name_picture(number)
        write_picture(tmp_path / name / "images" / picture, number)
        label = picture.removesuffix(".jpg") + ".txt"
        write_text(tmp_path / name / "labels" / label, "0 0.25 0.25 0.5 0.5\n")
    write_text(
        tmp_path / "data.yaml",
        f"train: {above}train/images\nval: {above}valid/images\ntest: {above}test/images\n\n"
        "nc: 1\nnames: ['cat']\n\nroboflow:\n  workspace: zoo\n  version: 1\n",
    )
    images, notes = read(tmp_path, "YOLO")
    assert list_images(images) == [
        (f"test/images/{name_picture(2)}", "test", 1),
        (f"train/images/{name_picture(0)}", "train", 1),
        (f"valid/images/{name_picture(1)}", "val", 1),
    ]
    assert not notes


def test_voc_has_its_files_next_to_the_pictures(tmp_path: Path) -> None:
    for number, name in enumerate(SETS):
        picture = name_picture(number)
        write_picture(tmp_path / name / picture, number)
        text = trees.annotation("x", (trees.CAT,)).replace("x.jpg", picture)
        write_text(tmp_path / name / f"{picture.removesuffix('.jpg')}.xml", text)
    objects, notes = fit(tmp_path, "VOC")
    assert [item.box for item in objects] == [VocBox(2, 3, 50, 30)] * 3
    assert not list_rules(notes)
