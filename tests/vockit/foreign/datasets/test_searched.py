"""The classes that the images of a dataset were searched for, as its files tell."""

from pathlib import Path
from typing import Any

import pytest

from tests.party_rows import HEIGHT, WIDTH
from vockit.foreign.datasets.opening import open_dataset

from .cocos import box, make_coco
from .test_cvat import make_cvat
from .test_open_images import make_open_images
from .test_yolo import make_yolo


def list_searched(path: Path) -> list[str]:
    dataset = open_dataset(path)
    dataset.close()
    return sorted(dataset.searched)


def test_the_categories_of_coco_count_with_and_without_objects(tmp_path: Path) -> None:
    assert list_searched(make_coco(tmp_path, [box(1, [9, 4, 20, 10])])) == ["cat", "dog"]


def test_of_two_files_of_coco_a_class_counts_that_each_of_them_has(tmp_path: Path) -> None:
    make_coco(tmp_path, [box(1, [9, 4, 20, 10], 1, 2)], images=1)
    cats = [{"id": 1, "name": "cat"}]
    rows = [{"id": 2, "file_name": "2.jpg", "width": WIDTH, "height": HEIGHT}]
    other = make_coco(tmp_path / "b", [box(1, [9, 4, 20, 10], 2)], categories=cats, rows=rows)
    assert list_searched(other) == ["cat"]
    assert list_searched(tmp_path) == ["cat"]


def test_where_images_have_negative_categories_as_in_lvis_nothing_is_said_of_all(
    tmp_path: Path,
) -> None:
    rows: list[Any] = [
        {"id": 1, "file_name": "1.jpg", "width": WIDTH, "height": HEIGHT, "neg_category_ids": [2]}
    ]
    assert list_searched(make_coco(tmp_path, [box(1, [9, 4, 20, 10])], rows=rows)) == []


def test_the_classes_of_data_yaml_count_with_and_without_objects(tmp_path: Path) -> None:
    assert list_searched(make_yolo(tmp_path, "0 0.5 0.5 0.5 0.5\n")) == ["cat", "dog"]


@pytest.mark.parametrize(
    ("labels", "searched"),
    [
        ("<labels><label><name>cat</name></label><label><name>dog</name></label></labels>", "both"),
        ("", "cat"),
    ],
)
def test_the_labels_of_a_task_of_cvat_count_with_and_without_objects(
    tmp_path: Path, labels: str, searched: str
) -> None:
    path = make_cvat(tmp_path) / "annotations.xml"
    path.write_text(path.read_text().replace("<name>a</name>", f"<name>a</name>{labels}"))
    assert list_searched(tmp_path) == (["cat", "dog"] if searched == "both" else ["cat"])


def test_of_open_images_nothing_is_said_but_by_its_boxes(tmp_path: Path) -> None:
    assert list_searched(make_open_images(tmp_path)) == []
