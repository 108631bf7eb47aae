"""Writing a VOC tree as COCO, YOLO or one table with everything, whole or not at all.

COCO counts pixels from 0 and gives width and height; VOC's box of one pixel has width 1. An object
that VOC calls difficult is `iscrowd`: pycocotools overwrites `ignore` with it (cocoeval.py,
`_prepare`), and so leaves such objects out of evaluation. What COCO has no field for is in
`attributes`, as datumaro and CVAT read them (COCO data format, "Object Detection").

YOLO's layout is that of Ultralytics: images/SET, labels/SET and a data.yaml. It has no word for
difficult objects; they are left out, as darknet's own converter of VOC does, or kept on demand.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from export.folder import new_folder, write_file
from export.parquet import IMAGE_FIELDS, corners, make_objects_schema, object_row, write_table, xywh
from export.portions import Advance
from export.verify.trees import read_bytes
from voc.masks import VOID, MaskError, read_mask
from voc.records import VocImage, VocObject, VocOwner, VocSource

from .tree_images import TreeContent, TreeImage

YOLO_DATA_FILE = "data.yaml"
_SIGNIFICANT = 8
"""Digits behind the point; enough that a box of 10,000 pixels comes back to the pixel."""
FILE_FIELDS = (
    pa.field("depth", pa.int32()),
    pa.field("segmented", pa.bool_()),
    pa.field("folder", pa.string()),
    *(pa.field(f"source_{it}", pa.string()) for it in ("database", "annotation", "image")),
    *(pa.field(name, pa.string()) for name in ("source_flickrid", "owner_flickrid", "owner_name")),
)
"""What an annotation file says once for all its objects."""


def format_coco(content: TreeContent, set_name: str) -> str:
    """The text of one set's instances file; ids count from 1 in the order of the tree."""
    labels = {name: number for number, name in enumerate(content.classes, start=1)}
    numbered = list(enumerate(content.of_set(set_name), start=1))
    licences = sorted({it.licence for _, it in numbered})
    pairs = [
        (number, item, region)
        for number, image in numbered
        for item, region in zip(image.objects, _find_regions(image), strict=True)
    ]
    document = {
        "info": _coco_info(content),
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
                "file_name": it.picture.name,
                "width": it.size.width,
                "height": it.size.height,
                "license": licences.index(it.licence) + 1,
            }
            for number, it in numbered
        ],
        "annotations": [
            {"id": number, "image_id": image_number, "category_id": labels[item.name]}
            | _coco_annotation(item, region)
            for number, (image_number, item, region) in enumerate(pairs, start=1)
        ],
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _coco_info(content: TreeContent) -> dict[str, Any]:
    """Of the release where its manifest is there, else the tree's name alone."""
    manifest = content.manifest
    settings, about = manifest.get("settings") or {}, manifest.get("about") or {}
    return {
        "description": settings.get("database") or content.name,
        "version": manifest.get("release") or content.name,
        "year": manifest.get("year"),
        "contributor": ", ".join(about.get("authors", ())) or settings.get("annotation") or "",
        "url": about.get("homepage") or "",
    }


Region = NDArray[np.bool_] | None
"""The pixels of one object; None where no mask tells them."""


def _find_regions(image: TreeImage) -> list[Region]:
    """The pixels of each object; of a difficult one without own pixels the void ones in its box."""
    data = read_bytes(image.object_mask) if image.object_mask else ""
    try:
        size_wh = (int(image.size.width), int(image.size.height))
        labels = None if isinstance(data, str) else read_mask(data, size_wh)
    except MaskError:  # verify names it; the boxes are as good as before
        labels = None
    if labels is None:
        return [None] * len(image.objects)
    regions: list[Region] = []
    for number, item in enumerate(image.objects, start=1):
        region = labels == number if number < VOID else np.zeros_like(labels, np.bool_)
        if item.difficult and not region.any():
            left, top, width, height = map(int, xywh(item.box))
            rows, columns = slice(max(top, 0), top + height), slice(max(left, 0), left + width)
            region[rows, columns] = labels[rows, columns] == VOID
        regions.append(region if region.any() else None)
    return regions


def format_rle(region: NDArray[np.bool_]) -> dict[str, Any]:
    """COCO's run lengths of a mask, column by column, pixels outside first."""
    flat = region.ravel(order="F")
    ends = [0, *(np.flatnonzero(flat[1:] != flat[:-1]) + 1).tolist(), flat.size]
    counts = [end - start for start, end in pairwise(ends)]
    return {"size": list(region.shape), "counts": [0, *counts] if flat[0] else counts}


def _coco_annotation(item: VocObject, region: Region) -> dict[str, Any]:
    left, top, width, height = xywh(item.box)
    is_difficult = int(bool(item.difficult))
    return {
        "bbox": [left, top, width, height],
        "area": width * height if region is None else int(region.sum()),
        "segmentation": [] if region is None else format_rle(region),
        "iscrowd": is_difficult,
        "ignore": is_difficult,
        "attributes": _coco_attributes(item),
    }


def _coco_attributes(item: VocObject) -> dict[str, Any]:
    flags = ("pose", "truncated", "occluded", "difficult")
    values: dict[str, Any] = {name: getattr(item, name) for name in flags}
    if item.actions is not None:
        values["actions"] = [action.name for action in item.actions if action.is_performed]
    if item.point is not None:
        values["point"] = [item.point.x, item.point.y]
    if item.parts:
        values["parts"] = [{"name": part.name, "bbox": xywh(part.box)} for part in item.parts]
    return {key: value for key, value in values.items() if value is not None}


def format_yolo_labels(image: TreeImage, classes: Sequence[str], *, with_difficult: bool) -> str:
    """The text of one image's label file: for each object its class from 0 and shares of the sides.

    It is empty where nothing is to be found.
    """
    numbers = {name: number for number, name in enumerate(classes)}
    lines, size = [], image.size
    for item in image.objects:
        if item.difficult and not with_difficult:
            continue
        left, top, width, height = xywh(item.box)
        middle = (left + width / 2) / size.width, (top + height / 2) / size.height
        shares = *middle, width / size.width, height / size.height
        numerals = " ".join(f"{share:.{_SIGNIFICANT}f}" for share in shares)
        lines.append(f"{numbers[item.name]} {numerals}\n")
    return "".join(lines)


def format_yolo_data(content: TreeContent) -> str:
    """The text of data.yaml."""
    sets = "".join(f"{name}: images/{name}\n" for name in content.set_names)
    names = "".join(
        f"  {number}: {json.dumps(name)}\n" for number, name in enumerate(content.classes)
    )
    return f"path: .\n{sets}nc: {len(content.classes)}\nnames:\n{names}"


def format_table(content: TreeContent) -> bytes:
    """The Parquet file of all objects of a tree, in the order of its files.

    Coordinates are integers, or floating where a file of the tree has a fraction.
    """
    schema = make_objects_schema(_find_coordinate(content))
    place = len(IMAGE_FIELDS)
    fields = [*list(schema)[:place], *FILE_FIELDS, *list(schema)[place:]]
    return write_table(_iterate_rows(content), pa.schema(fields))


def _iterate_rows(content: TreeContent) -> Iterator[dict[str, Any]]:
    labels = {name: number for number, name in enumerate(content.classes, start=1)}
    for image in content.images:
        shared = {
            "image_id": image.image_id,
            "set": image.set_name,
            "file_name": image.picture.name,
            "width": int(image.size.width),
            "height": int(image.size.height),
            **_file_row(image.record),
        }
        for number, item in enumerate(image.objects, start=1):
            yield shared | {"object_number": number} | object_row(item, labels)


def _file_row(record: VocImage) -> dict[str, Any]:
    source, owner = record.source or VocSource(), record.owner or VocOwner()
    depth = None if record.size is None else record.size.depth
    return {
        "depth": None if depth is None else int(depth),
        "segmented": record.segmented,
        "folder": record.folder,
        **{f"source_{name}": value for name, value in asdict(source).items()},
        "owner_flickrid": owner.flickrid,
        "owner_name": owner.name,
    }


def _find_coordinate(content: TreeContent) -> pa.DataType:
    items = [item for image in content.images for item in image.objects]
    boxes = [box for item in items for box in (item.box, *(part.box for part in item.parts))]
    numbers = [number for box in boxes for number in corners(box).values()]
    numbers += [number for it in items if it.point for number in (it.point.x, it.point.y)]
    return pa.int32() if all(isinstance(it, int) for it in numbers) else pa.float64()


TABLE = "objects.parquet"


class OtherFormat(StrEnum):
    """What a tree can be written as."""

    COCO = "coco"
    YOLO = "yolo"
    PARQUET = "parquet"


def convert_tree(
    content: TreeContent,
    target: Path,
    form: OtherFormat,
    *,
    with_difficult: bool = False,
    advance: Advance = lambda count: None,
) -> None:
    """Write the tree to the new folder `target`; pictures are hard links where that works.

    `advance` is called with how many more images are done. Raises FolderTakenError where something
    is there already, ExportError where it cannot be written.
    """
    with new_folder(target) as folder:
        if form is OtherFormat.PARQUET:
            write_file(folder, TABLE, format_table(content))
            advance(len(content.images))
        elif form is OtherFormat.COCO:
            _write_coco(content, folder, advance)
        else:
            _write_yolo(content, folder, with_difficult, advance)


def _write_coco(content: TreeContent, folder: Path, advance: Advance) -> None:
    for name in content.set_names:
        text = format_coco(content, name)
        write_file(folder, f"annotations/instances_{name}.json", text.encode())
        for image in content.of_set(name):
            _place_picture(image, folder / "images" / name)
            advance(1)


def _write_yolo(content: TreeContent, folder: Path, with_difficult: bool, advance: Advance) -> None:
    write_file(folder, YOLO_DATA_FILE, format_yolo_data(content).encode())
    for image in content.images:
        text = format_yolo_labels(image, content.classes, with_difficult=with_difficult)
        write_file(folder, f"labels/{image.set_name}/{image.image_id}.txt", text.encode())
        _place_picture(image, folder / "images" / image.set_name)
        advance(1)


def _place_picture(image: TreeImage, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / image.picture.name
    try:
        os.link(image.picture.resolve(), target)  # a link to a link would lead nowhere
    except OSError:  # another file system, or one without links
        shutil.copyfile(image.picture, target)
