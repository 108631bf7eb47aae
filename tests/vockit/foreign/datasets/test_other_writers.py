"""What datumaro and supervision write, with odd names, comes in object by object."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.party_rows import HEIGHT, WIDTH, jpeg_bytes
from vockit.foreign.datasets.fitting import fit_image
from vockit.foreign.datasets.opening import open_dataset
from vockit.format.records import VocBox

CLASSES = ("cat", "traffic light", "\u00e9t\u00e9")
IMAGES = {
    "a": "train",
    "my photo (1)": "train",
    "sub/IMG_0001_jpg.rf.0123456789abcdef0123456789abcdef01": "val",
    "\u00e9": "val",
}
Objects = Counter[tuple[str, str, VocBox]]
"""How often a picture, by the end of its path, has an object of a class with a box."""


def list_boxes(number: int) -> list[tuple[int, int, int, int, int]]:
    """Class, left, top, width and height of the objects of an image; the last one has none."""
    return [
        (place % len(CLASSES), 3 * place + number, 2 * place, 10 + place, 8)
        for place in range(len(IMAGES) - 1 - number)
    ]


def list_objects(first_pixel: int) -> Objects:
    """The objects where the writer gives the left and upper pixel of a picture this number."""
    return Objects(
        (
            Path(name).name,
            CLASSES[label],
            VocBox(
                max(left + first_pixel, 1), max(top + first_pixel, 1), left + width, top + height
            ),
        )
        for number, name in enumerate(IMAGES)
        for label, left, top, width, height in list_boxes(number)
    )


EXPECTED = list_objects(first_pixel=1)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pictures")
    paths = {name: folder / f"{name}.jpg" for name in IMAGES}
    for number, path in enumerate(paths.values()):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jpeg_bytes(number))
    return paths


@pytest.fixture(scope="module")
def datumaro(pictures: dict[str, Path]) -> Any:
    from datumaro.components.annotation import AnnotationType, Bbox, LabelCategories
    from datumaro.components.dataset import Dataset
    from datumaro.components.dataset_base import DatasetItem
    from datumaro.components.media import Image

    items = [
        DatasetItem(
            id=name,
            subset=subset,
            media=Image.from_file(path=str(pictures[name])),
            annotations=[
                Bbox(*edges, label=label, id=place, group=place)
                for place, (label, *edges) in enumerate(list_boxes(number), start=1)
            ],
        )
        for number, (name, subset) in enumerate(IMAGES.items())
    ]
    categories = {AnnotationType.label: LabelCategories.from_iterable(CLASSES)}
    return Dataset.from_iterable(items, categories=categories)


def read_objects(path: Path) -> tuple[str, Objects]:
    """The form, and the objects that come in."""
    dataset = open_dataset(path)
    objects = Objects()
    for image in dataset.iterate_images():
        assert image.reason is None
        fitted = fit_image(image, (WIDTH, HEIGHT))
        objects.update(
            (Path(image.name).stem, item.source.class_name, item.box) for item in fitted.objects
        )
    dataset.close()
    return dataset.form, objects


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("coco_instances", "COCO"),
        ("coco", "COCO"),
        ("cvat", "CVAT for images"),
        ("label_me", "LabelMe XML"),
        ("open_images", "Open Images"),
        ("voc", "VOC"),
        ("voc_detection", "VOC"),
        ("yolo", "YOLO"),
        ("yolo_ultralytics", "YOLO"),
    ],
)
def test_what_datumaro_writes_comes_in_object_by_object(
    datumaro: Any, tmp_path: Path, written: str, form: str
) -> None:
    datumaro.export(str(tmp_path), written, save_media=True)
    # in VOC's form it counts pixels from 0, which no file says
    expected = list_objects(first_pixel=0) if form == "VOC" else EXPECTED
    assert read_objects(tmp_path) == (form, expected)


@pytest.mark.parametrize("form", ["COCO", "YOLO", "VOC"])
def test_what_supervision_writes_comes_in_object_by_object(
    pictures: dict[str, Path], tmp_path: Path, form: str
) -> None:
    import numpy as np
    import supervision as sv

    detections = {}
    for number, name in enumerate(IMAGES):
        rows = list_boxes(number)
        corners = [(x, y, x + width, y + height) for _label, x, y, width, height in rows]
        detections[str(pictures[name])] = sv.Detections(
            xyxy=np.array(corners, np.float32).reshape(-1, 4),
            class_id=np.array([row[0] for row in rows], int),
        )
    dataset = sv.DetectionDataset(list(CLASSES), list(detections), detections)
    images = str(tmp_path / "images")
    labels = str(tmp_path / "labels")
    if form == "COCO":
        dataset.as_coco(images, str(tmp_path / "_annotations.coco.json"))
    elif form == "YOLO":
        dataset.as_yolo(images, labels, str(tmp_path / "data.yaml"))
    else:
        dataset.as_pascal_voc(images, labels)
    assert read_objects(tmp_path) == (form, EXPECTED)
