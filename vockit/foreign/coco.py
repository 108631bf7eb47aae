"""A set of a VOC tree as COCO's instances file.

A difficult object is `iscrowd`: pycocotools overwrites `ignore` with it (cocoeval.py, `_prepare`).
Where not every image was asked about every class, images have LVIS' neg_category_ids (asked, and
not there) and not_exhaustive_category_ids (objects drawn without having been asked for).
What COCO has no field for is in `attributes`, as datumaro and CVAT read them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vockit.format.records import VocObject
from vockit.format.rings import pack_rings, trace

from .boxes import xywh
from .regions import Region, find_regions
from .tree_images import LoadedImage, TreeContent


def make_coco(content: TreeContent, set_name: str) -> dict[str, Any]:
    """The document of one set's instances file; ids count from 1 in the order of the tree."""
    labels = {name: number for number, name in enumerate(content.classes, start=1)}
    images = [image for image in content.images if image.set_name == set_name]
    licences = sorted({image.licence for image in images})
    manifest = content.manifest
    settings = manifest.get("settings") or {}
    about = manifest.get("about") or {}
    annotations: list[dict[str, Any]] = []
    for image_number, image in enumerate(images, start=1):
        for item, region in zip(image.objects, find_regions(image), strict=True):
            ids = {"id": len(annotations) + 1, "image_id": image_number}
            ids["category_id"] = labels[item.name]
            annotations.append(ids | _coco_annotation(item, region))
    return {
        "info": {
            "description": settings.get("database") or content.name,
            "version": manifest.get("release") or content.name,
            "year": manifest.get("year"),
            "contributor": ", ".join(about.get("authors", ())) or settings.get("annotation") or "",
            "url": about.get("homepage") or "",
        },
        "licenses": [
            {"id": number, "name": name, "url": url}
            for number, (name, url) in enumerate(licences, start=1)
        ],
        "categories": [
            {"id": number, "name": name, "supercategory": ""} for name, number in labels.items()
        ],
        "images": [
            {
                "id": number,
                "file_name": image.picture.name,
                "width": image.size.width,
                "height": image.size.height,
                "license": licences.index(image.licence) + 1,
                **({} if content.is_whole else _list_answers(image, labels)),
            }
            for number, image in enumerate(images, start=1)
        ],
        "annotations": annotations,
    }


def _list_answers(image: LoadedImage, labels: Mapping[str, int]) -> dict[str, list[int]]:
    """What was asked of the image, as LVIS has it."""
    shown = {item.name for item in image.objects}
    return {
        "neg_category_ids": [labels[name] for name in labels if name not in image.unasked | shown],
        "not_exhaustive_category_ids": [
            labels[name] for name in labels if name in image.unasked & shown
        ],
    }


def select_masks(content: TreeContent, set_name: str, document: dict[str, Any]) -> dict[str, Any]:
    """The instances file of the images with masks: each object has run lengths, and keeps its id.

    An object without pixels is left out. pycocotools' evaluation of segments and annToMask need
    this: they fail at an empty `segmentation`.
    """
    images = [image for image in content.images if image.set_name == set_name]
    entries_of_image: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for entry in document["annotations"]:
        entries_of_image[entry["image_id"]].append(entry)
    annotations = []
    for image_id, image in enumerate(images, start=1):
        entries = entries_of_image[image_id]
        for entry, region in zip(entries, find_regions(image), strict=True):
            if region is not None:
                annotations.append(entry | {"segmentation": encode_region(region)})
    masked = [
        entry for entry, image in zip(document["images"], images, strict=True) if image.object_mask
    ]
    return document | {"images": masked, "annotations": annotations}


def format_coco(document: dict[str, Any]) -> str:
    """The text of the file."""
    return json.dumps(document, ensure_ascii=False) + "\n"


def _coco_annotation(item: VocObject, region: Region) -> dict[str, Any]:
    left, top, width, height = xywh(item.box)
    is_difficult = bool(item.difficult)
    flags = ("pose", "truncated", "occluded", "difficult")
    attributes = {flag: value for flag in flags if (value := getattr(item, flag)) is not None}
    if item.actions is not None:
        attributes["actions"] = [action.name for action in item.actions if action.is_performed]
    if item.point is not None:
        attributes["point"] = [item.point.x, item.point.y]
    if item.parts:
        attributes["parts"] = [{"name": part.name, "bbox": xywh(part.box)} for part in item.parts]
    return {
        "bbox": [left, top, width, height],
        "area": width * height if region is None else int(region.sum()),
        "segmentation": [] if region is None else format_region(region, is_crowd=is_difficult),
        "iscrowd": int(is_difficult),
        "ignore": int(is_difficult),
        "attributes": attributes,
    }


def format_region(region: NDArray[np.bool_], *, is_crowd: bool) -> list[list[int]] | dict[str, Any]:
    """COCO's polygons along pixel edges; of crowds and holes run lengths, column by column."""
    rings = trace(region)
    area = 0
    for ring in rings:
        x, y = np.array(ring).T
        area += abs(int(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) // 2
    if not is_crowd and area == region.sum():
        return pack_rings(rings)
    return encode_region(region)


def encode_region(region: NDArray[np.bool_]) -> dict[str, Any]:
    """COCO's run lengths, column by column, the first of what is outside."""
    flat = region.ravel(order="F")
    ends = [0, *(np.flatnonzero(flat[1:] != flat[:-1]) + 1).tolist(), flat.size]
    counts = [end - start for start, end in pairwise(ends)]
    return {"size": list(region.shape), "counts": [0, *counts] if flat[0] else counts}
