"""labelme's JSON is read shape by shape."""

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.party_rows import HEIGHT, WIDTH, jpeg_bytes
from vockit.format.records import VocBox
from vockit.format.rings import fill

from .reading import SIZE, fit, list_rules, read

FORM = "labelme"


def shape(kind: str, points: object, label: object = "cat", **more: Any) -> dict[str, Any]:
    row = {"label": label, "points": points, "group_id": None, "shape_type": kind, "flags": {}}
    return row | more


BOX = shape("rectangle", [[29, 14], [9, 4]])


def make_labelme(root: Path, *shapes: object, **more: Any) -> Path:
    root.mkdir(exist_ok=True)
    (root / "1.jpg").write_bytes(jpeg_bytes(1))
    document: dict[str, Any] = {
        "version": "5.5.0",
        "flags": {},
        "shapes": shapes,
        "imagePath": "1.jpg",
    }
    document |= {"imageData": None, "imageHeight": HEIGHT, "imageWidth": WIDTH}
    (root / "1.json").write_text(json.dumps(document | more))
    return root


def pack(mask: np.ndarray[Any, Any]) -> str:
    target = io.BytesIO()
    Image.fromarray(mask).save(target, "PNG")
    return base64.b64encode(target.getvalue()).decode()


def test_rectangles_of_any_order_and_flags_are_read(tmp_path: Path) -> None:
    flagged = shape("rectangle", [[1, 2], [4, 6]], "dog", flags={"difficult": True, "wet": True})
    objects, notes = fit(make_labelme(tmp_path, BOX, flagged), FORM)
    assert [item.box for item in objects] == [VocBox(10, 5, 29, 14), VocBox(2, 3, 4, 6)]
    assert [item.source.class_name for item in objects] == ["cat", "dog"]
    assert objects[1].source.difficult
    assert objects[1].attributes == {"wet": "true"}
    assert notes == []
    assert objects[0].source.place == "1.json, shape 1"


@pytest.mark.parametrize(
    ("row", "box", "pixels"),
    [
        (shape("polygon", [[10, 5], [20, 5], [20, 15], [10, 15]]), VocBox(11, 6, 20, 15), 100),
        (shape("circle", [[20, 20], [30, 20]]), VocBox(11, 11, 30, 30), 314),
        (
            shape("mask", [[3, 4], [5, 5]], mask=pack(np.array([[1, 1, 0], [1, 1, 1]], bool))),
            VocBox(4, 5, 6, 6),
            5,
        ),
    ],
)
def test_outlines_become_rings(
    tmp_path: Path, row: dict[str, Any], box: VocBox, pixels: int
) -> None:
    (item,), notes = fit(make_labelme(tmp_path, row), FORM)
    assert item.box == box
    assert abs(int(fill(item.rings, *SIZE).sum()) - pixels) <= pixels // 20
    assert notes == []


def test_outlines_of_one_group_are_parts_of_one_object(tmp_path: Path) -> None:
    rows = [
        shape("polygon", [[1, 1], [5, 1], [5, 5]], group_id=3),
        shape("polygon", [[20, 20], [30, 20], [30, 30]], group_id=3),
        shape("polygon", [[1, 1], [5, 1], [5, 5]], "dog", group_id=3),
    ]
    objects, _notes = fit(make_labelme(tmp_path, *rows), FORM)
    assert [item.source.class_name for item in objects] == ["cat", "dog"]
    assert objects[0].box == VocBox(2, 2, 30, 30)
    assert len(objects[0].rings) == 2


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (shape("point", [[1, 1]]), "point"),
        (shape("linestrip", [[1, 1], [2, 2]]), "linestrip"),
        (shape("polygon", [[1, 1], [2, 2]]), "shape"),
        (shape("polygon", [[1, 1], [2, None], [3, 3]]), "shape"),
        (shape("rectangle", 5), "shape"),
        (shape("rectangle", [[1, 1], [10**400, 5]]), "shape"),
        ({"label": "cat", "shape_type": "rectangle"}, "shape"),
        (shape("rectangle", [[1, 1]]), "shape"),
        (shape("mask", [[1, 1]], mask="none"), "shape"),
        (shape("rectangle", [[1, 1], [5, 5]], " "), "label"),
        (shape("rectangle", [[1, 1], [5, 5]], None), "label"),
        (shape("rectangle", [[5, 5], [5, 9]]), "box"),
        (7, "shape"),
    ],
)
def test_a_shape_that_is_no_object_is_named_and_the_others_come(
    tmp_path: Path, row: object, rule: str
) -> None:
    objects, notes = fit(make_labelme(tmp_path, row, BOX), FORM)
    assert [item.box for item in objects] == [VocBox(10, 5, 29, 14)]
    assert list_rules(notes) == [f"object left out: {rule}"]


def test_a_damaged_file_costs_its_image_alone(tmp_path: Path) -> None:
    root = make_labelme(tmp_path, BOX)
    (root / "2.json").write_text('{"shapes": [')
    (root / "3.json").write_text('{"shapes": [], "imagePath": "3.jpg"}')
    images, _notes = read(root, FORM)
    reasons = [image.reason or "" for image in images]
    assert reasons[0] == ""
    assert reasons[1].startswith("it is no whole JSON")
    assert reasons[2].startswith("its picture is not in the folder")
