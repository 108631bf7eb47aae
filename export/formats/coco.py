"""COCO's instances files (COCO data format, "Object Detection").

COCO counts pixels from 0 and gives width and height; VOC's box of one pixel has width 1. An object
that VOC calls difficult is `ignore`, which COCO's evaluation leaves out too. What COCO has no field
for is in `attributes`, as datumaro and CVAT read them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from export.voc.records import VocBox, VocObject

from .tree_images import TreeImage


def format_instances(images: Iterable[TreeImage], classes: Sequence[str]) -> str:
    """The text of one instances file; ids count from 1 in the order given."""
    labels = {name: number for number, name in enumerate(classes, start=1)}
    numbered = list(enumerate(images, start=1))
    pairs = [(number, item) for number, image in numbered for item in image.objects]
    document = {
        "categories": [
            {"id": number, "name": name, "supercategory": ""} for name, number in labels.items()
        ],
        "images": [_image(number, image) for number, image in numbered],
        "annotations": [
            _annotation(number, image_number, item, labels[item.name])
            for number, (image_number, item) in enumerate(pairs, start=1)
        ],
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _image(number: int, image: TreeImage) -> dict[str, Any]:
    return {
        "id": number,
        "file_name": image.picture.name,
        "width": image.size.width,
        "height": image.size.height,
    }


def _annotation(number: int, image_number: int, item: VocObject, label: int) -> dict[str, Any]:
    left, top, width, height = xywh(item.box)
    is_difficult = bool(item.difficult)
    return {
        "id": number,
        "image_id": image_number,
        "category_id": label,
        "bbox": [left, top, width, height],
        "area": width * height,
        "segmentation": [],
        "iscrowd": 0,
        "ignore": int(is_difficult),
        "attributes": _attributes(item),
    }


def _attributes(item: VocObject) -> dict[str, Any]:
    values: dict[str, Any] = {
        "pose": item.pose,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "difficult": item.difficult,
    }
    if item.actions is not None:
        values["actions"] = [action.name for action in item.actions if action.is_performed]
    if item.point is not None:
        values["point"] = [item.point.x, item.point.y]
    if item.parts:
        values["parts"] = [{"name": part.name, "bbox": xywh(part.box)} for part in item.parts]
    return {key: value for key, value in values.items() if value is not None}


def xywh(box: VocBox) -> tuple[float, float, float, float]:
    """Left, top, width and height in pixels, counted from 0."""
    return box.xmin - 1, box.ymin - 1, box.xmax - box.xmin + 1, box.ymax - box.ymin + 1
