"""The set of an image is what its paths say, not what it may show."""

import pytest

from vockit.foreign.datasets.values import ForeignImage


@pytest.mark.parametrize(
    ("name", "place", "set_name"),
    [
        ("train2017/1.jpg", "annotations/instances_train2017.json, image 1", "train"),
        ("images/1.jpg", "annotations/instances_val2017.json, image 1", "val"),
        ("COCO_test2014_1.jpg", "annotations/image_info_test2014.json, image 1", "test"),
        ("1.jpg", "train.json, image 1", "train"),
        ("valid/1.jpg", "valid/_annotations.coco.json, image 1", "val"),
        ("images/test2/1.jpg", "labels/test2/1.txt", "test2"),
        ("1.jpg", "annotations/oidv6-train-annotations-bbox.csv, line 2", "train"),
        ("1.jpg", "validation-annotations-bbox.csv, line 2", "val"),
        ("train-7.jpg", "train-7.xml", ""),
        ("images/my_train.jpg", "labels/my_train.json", ""),
        ("images/test.jpg", "labels/test.txt", ""),
        ("1.jpg", "instances_default.json, image 1", ""),
    ],
)
def test_a_folder_or_a_table_names_the_set(name: str, place: str, set_name: str) -> None:
    assert ForeignImage(name=name, place=place).set_name == set_name
