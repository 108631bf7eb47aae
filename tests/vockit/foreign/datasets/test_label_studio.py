"""Label Studio's tasks are read as their documentation has them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.party_rows import HEIGHT, WIDTH, jpeg_bytes
from vockit.format.records import VocBox
from vockit.format.rings import fill

from .reading import SIZE, fit, list_rules, read

FORM = "Label Studio"


def result(kind: str, value: object, label: str = "cat", **more: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        value = value | {kind: [label]}
    row = {"id": "a1", "type": kind, "original_width": WIDTH, "original_height": HEIGHT}
    return row | {"from_name": "label", "to_name": "image", "value": value} | more


BOX = result("rectanglelabels", {"x": 15, "y": 10, "width": 33.3333333333, "height": 25})
"""9, 4, 20 and 10 pixels of 60 x 40."""


def task(
    *results: object, picture: str = "/data/upload/1/0123abcd-1.jpg", **more: Any
) -> dict[str, Any]:
    annotation = {"id": 5, "was_cancelled": False, "ground_truth": False, "result": results}
    return {"id": 7, "data": {"image": picture}, "annotations": [annotation]} | more


def make_studio(root: Path, *tasks: object) -> Path:
    root.mkdir(exist_ok=True)
    (root / "images").mkdir()
    (root / "images/1.jpg").write_bytes(jpeg_bytes(1))
    (root / "export.json").write_text(json.dumps(tasks))
    return root


def test_percent_become_pixels(tmp_path: Path) -> None:
    (item,), notes = fit(make_studio(tmp_path, task(BOX)), FORM)
    assert item.box == VocBox(10, 5, 29, 14)
    assert item.source.place == "export.json, task 7, result a1"
    assert notes == []


@pytest.mark.parametrize(
    "picture",
    [
        "/data/upload/1/0123abcd-1.jpg",
        "/data/local-files/?d=images/1.jpg",
        "http://localhost:8080/data/upload/1.jpg",
        "s3://bucket/images/1.jpg",
        "1.jpg",
    ],
)
def test_the_picture_is_found_by_any_address(tmp_path: Path, picture: str) -> None:
    (image,), _notes = read(make_studio(tmp_path, task(BOX, picture=picture)), FORM)
    assert image.name == "images/1.jpg"


@pytest.mark.parametrize(
    ("row", "box", "pixels"),
    [
        (
            result("polygonlabels", {"points": [[10, 10], [50, 10], [50, 50], [10, 50]]}),
            VocBox(7, 5, 30, 20),
            384,
        ),
        (
            result("ellipselabels", {"x": 50, "y": 50, "radiusX": 10, "radiusY": 15}),
            VocBox(25, 15, 36, 26),
            113,
        ),
        (
            result(
                "rectanglelabels", {"x": 50, "y": 25, "width": 20, "height": 25, "rotation": 90}
            ),
            VocBox(21, 11, 30, 22),
            120,
        ),
    ],
)
def test_outlines_become_rings(
    tmp_path: Path, row: dict[str, Any], box: VocBox, pixels: int
) -> None:
    (item,), notes = fit(make_studio(tmp_path, task(row)), FORM)
    assert item.box == box
    assert abs(int(fill(item.rings, *SIZE).sum()) - pixels) <= pixels // 20
    assert notes == []


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (result("choices", {"choices": ["cat"]}, id="of the image"), "choices"),
        (result("brushlabels", {"format": "rle", "rle": [1]}), "brushlabels"),
        (result("rectanglelabels", 5), "label"),
        (result("rectanglelabels", {"x": 1}), "shape"),
        (result("rectanglelabels", {"x": "a", "y": 1, "width": 1, "height": 1}), "shape"),
        (result("polygonlabels", {"points": [[1, 1]]}), "shape"),
        (result("polygonlabels", {}), "shape"),
        (result("polygonlabels", {"points": [[10**400, 1], [1, 1], [2, 2]]}), "shape"),
        (result("rectanglelabels", {"x": 10**400, "y": 1, "width": 1, "height": 1}), "shape"),
        (result("rectanglelabels", {"x": 1}, original_width=None), "size"),
    ],
)
def test_a_result_that_is_no_object_is_named_and_the_others_come(
    tmp_path: Path, row: dict[str, Any], rule: str
) -> None:
    objects, notes = fit(make_studio(tmp_path, task(row, BOX)), FORM)
    assert [item.box for item in objects] == [VocBox(10, 5, 29, 14)]
    assert list_rules(notes) == [f"object left out: {rule}"]


def test_of_several_annotations_the_ground_truth_counts(tmp_path: Path) -> None:
    other = result("rectanglelabels", {"x": 0, "y": 0, "width": 10, "height": 10}, "dog")
    annotations = [
        {"was_cancelled": True, "result": [other]},
        {"result": [other]},
        {"ground_truth": True, "result": [BOX]},
    ]
    root = make_studio(tmp_path, task(annotations=annotations))
    objects, notes = fit(root, FORM)
    assert [item.source.class_name for item in objects] == ["cat"]
    assert list_rules(notes) == ["not kept: second annotation"]


def test_tasks_that_are_none_and_a_cut_file_are_named(tmp_path: Path) -> None:
    root = make_studio(tmp_path, task(BOX), 7, {"id": 9, "data": {}})
    path = root / "export.json"
    path.write_text(path.read_text()[:-1])
    images, notes = read(root, FORM)
    assert [image.reason is None for image in images] == [True, False, False]
    assert list_rules(notes) == ["file left out: no whole JSON"]


def test_an_address_that_is_none_costs_its_task_alone(tmp_path: Path) -> None:
    root = make_studio(tmp_path, task(BOX, picture="http://[1.jpg"), task(BOX))
    images, _notes = read(root, FORM)
    assert [image.reason is None for image in images] == [False, True]


def test_a_second_label_of_an_object_is_named(tmp_path: Path) -> None:
    row = json.loads(json.dumps(BOX))
    row["value"]["rectanglelabels"] = ["cat", "small"]
    (item,), notes = fit(make_studio(tmp_path, task(row)), FORM)
    assert item.source.class_name == "cat"
    assert item.attributes == {"labels": '["cat", "small"]'}
    assert list_rules(notes) == ["changed: second label"]


def test_answers_on_a_region_and_its_notes_are_attributes(tmp_path: Path) -> None:
    """Questions that are asked of each region share its id."""
    answers = (
        result("choices", {"choices": ["red"]}, from_name="hue") | {"value": {"choices": ["red"]}},
        result("textarea", 1, from_name="plate") | {"value": {"text": ["AB 1", "or AB 7"]}},
        result("rating", 1, from_name="quality") | {"value": {"rating": 4}},
    )
    noted = BOX | {"meta": {"text": ["at dusk"]}}
    (item,), notes = fit(make_studio(tmp_path, task(noted, *answers)), FORM)
    assert item.attributes == {
        "text": '["at dusk"]',
        "hue": "red",
        "plate": '["AB 1", "or AB 7"]',
        "quality": "4",
    }
    assert notes == []
