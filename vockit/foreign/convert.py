"""A VOC tree as COCO, YOLO (Ultralytics' layout) or one table with everything, whole or not at all.

A difficult object is `iscrowd`: pycocotools overwrites `ignore` with it (cocoeval.py, `_prepare`).
What COCO has no field for is in `attributes`, as datumaro and CVAT read them. YOLO leaves difficult
objects out, as darknet's own converter of VOC does.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vockit.format.masks import VOID, MaskError, read_mask
from vockit.format.records import VocObject, VocOwner, VocSource
from vockit.format.rings import Ring, pack_rings, trace
from vockit.report.progress import Advance

from .folder import new_folder, write_file
from .parquet_tables import (
    CORNERS,
    IMAGE_FIELDS,
    make_objects_schema,
    object_row,
    write_table,
    xywh,
)
from .tree_files import read_bytes
from .tree_images import LoadedImage, TreeContent

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
    images = [it for it in content.images if it.set_name == set_name]
    licences = sorted({it.licence for it in images})
    manifest = content.manifest
    settings, about = manifest.get("settings") or {}, manifest.get("about") or {}
    annotations: list[dict[str, Any]] = []
    for image_number, image in enumerate(images, start=1):
        for item, region in zip(image.objects, find_regions(image), strict=True):
            ids = {"id": len(annotations) + 1, "image_id": image_number}
            ids["category_id"] = labels[item.name]
            annotations.append(ids | _coco_annotation(item, region))
    document = {
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
                "file_name": it.picture.name,
                "width": it.size.width,
                "height": it.size.height,
                "license": licences.index(it.licence) + 1,
            }
            for number, it in enumerate(images, start=1)
        ],
        "annotations": annotations,
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _coco_annotation(item: VocObject, region: Region) -> dict[str, Any]:
    left, top, width, height = xywh(item.box)
    is_difficult = bool(item.difficult)
    flags = ("pose", "truncated", "occluded", "difficult")
    attributes = {it: value for it in flags if (value := getattr(item, it)) is not None}
    if item.actions is not None:
        attributes["actions"] = [action.name for action in item.actions if action.is_performed]
    if item.point is not None:
        attributes["point"] = [item.point.x, item.point.y]
    if item.parts:
        attributes["parts"] = [{"name": it.name, "bbox": xywh(it.box)} for it in item.parts]
    return {
        "bbox": [left, top, width, height],
        "area": width * height if region is None else int(region.sum()),
        "segmentation": [] if region is None else format_region(region, is_crowd=is_difficult),
        "iscrowd": int(is_difficult),
        "ignore": int(is_difficult),
        "attributes": attributes,
    }


def format_yolo_labels(
    image: LoadedImage, classes: Sequence[str], *, with_difficult: bool, has_outlines: bool = False
) -> str:
    """A line for each object: its class from 0, then its box or outline as shares of the sides."""
    numbers = {name: number for number, name in enumerate(classes)}
    lines, size = [], image.size
    regions = find_regions(image) if has_outlines else [None] * len(image.objects)
    for item, region in zip(image.objects, regions, strict=True):
        if (item.difficult and not with_difficult) or (has_outlines and region is None):
            continue
        left, top, width, height = xywh(item.box)
        box = [(left + width / 2, top + height / 2), (width, height)]
        points = box if region is None else find_outline(region)
        shares = [share for x, y in points for share in (x / size.width, y / size.height)]
        numerals = " ".join(f"{share:.8f}" for share in shares)  # whole pixels of 10,000 come back
        lines.append(f"{numbers[item.name]} {numerals}\n")
    return "".join(lines)


def format_table(content: TreeContent) -> bytes:
    """The Parquet file of all objects; coordinates are integers unless a file has a fraction."""
    labels = {name: number for number, name in enumerate(content.classes, start=1)}
    rows = list[dict[str, Any]]()
    for image in content.images:
        record, depth = image.record, image.size.depth
        source, owner = record.source or VocSource(), record.owner or VocOwner()
        shared = {
            "image_id": image.image_id,
            "set": image.set_name,
            "file_name": image.picture.name,
            "width": int(image.size.width),
            "height": int(image.size.height),
            "depth": None if depth is None else int(depth),
            "segmented": record.segmented,
            "folder": record.folder,
            **{f"source_{name}": value for name, value in asdict(source).items()},
            "owner_flickrid": owner.flickrid,
            "owner_name": owner.name,
        }
        for number, item in enumerate(image.objects, start=1):
            rows.append(shared | {"object_number": number} | object_row(item, labels))
    numbers = [row[it] for row in rows for it in (*CORNERS, "point_x", "point_y")]
    numbers += [part[it] for row in rows for part in row["parts"] for it in CORNERS]
    has_fraction = any(isinstance(it, float) for it in numbers)
    fields = list(make_objects_schema(pa.float64() if has_fraction else pa.int32()))
    place = len(IMAGE_FIELDS)
    return write_table(rows, pa.schema([*fields[:place], *FILE_FIELDS, *fields[place:]]))


def select_outlined(content: TreeContent) -> TreeContent:
    """The images with masks; one whose mask shows none of its objects is skipped, not empty."""
    images, skipped = list[LoadedImage](), list(content.skipped)
    for image in (it for it in content.images if it.object_mask):
        if image.objects and all(region is None for region in find_regions(image)):
            reason = "its mask cannot be read or shows none of its objects"
            skipped.append((image.image_id, reason))
        else:
            images.append(image)
    return replace(content, images=tuple(images), skipped=tuple(skipped))


Region = NDArray[np.bool_] | None
"""The pixels of one object; None where no mask tells them."""


def find_regions(image: LoadedImage) -> list[Region]:
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


def format_region(region: NDArray[np.bool_], *, is_crowd: bool) -> list[list[int]] | dict[str, Any]:
    """COCO's polygons along pixel edges; of crowds and holes run lengths, column by column."""
    rings, area = trace(region), 0
    for ring in rings:
        x, y = np.array(ring).T
        area += abs(int(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) // 2
    if not is_crowd and area == region.sum():
        return pack_rings(rings)
    flat = region.ravel(order="F")
    ends = [0, *(np.flatnonzero(flat[1:] != flat[:-1]) + 1).tolist(), flat.size]
    counts = [end - start for start, end in pairwise(ends)]
    return {"size": list(region.shape), "counts": [0, *counts] if flat[0] else counts}


def find_outline(region: NDArray[np.bool_]) -> Ring:
    """One outline, as YOLO has; lines of no width lead to the other pieces and holes and back."""
    first, *others = trace(region)
    outline = [*first, first[0]]
    for ring in others:
        outline += [*ring, ring[0], first[0]]
    return outline


def convert_tree(
    content: TreeContent,
    target: Path,
    form: str,
    *,
    with_difficult: bool = False,
    advance: Advance = lambda count: None,
) -> None:
    """Write the tree to `target` in that form; pictures are hard links if possible."""
    with new_folder(target) as folder:
        if form == "parquet":
            write_file(folder, "objects.parquet", format_table(content))
            advance(len(content.images))
            return
        if form == "coco":
            for name in content.set_names:
                text = format_coco(content, name)
                write_file(folder, f"annotations/instances_{name}.json", text.encode())
        else:
            sets = "".join(f"{name}: images/{name}\n" for name in content.set_names)
            numbered = enumerate(map(json.dumps, content.classes))
            names = "".join(f"  {number}: {name}\n" for number, name in numbered)
            data = f"path: .\n{sets}nc: {len(content.classes)}\nnames:\n{names}"
            write_file(folder, "data.yaml", data.encode())
        for image in content.images:
            if form != "coco":
                flags = {"with_difficult": with_difficult, "has_outlines": form == "yolo-seg"}
                text = format_yolo_labels(image, content.classes, **flags)
                write_file(folder, f"labels/{image.set_name}/{image.image_id}.txt", text.encode())
            picture = folder / "images" / image.set_name / image.picture.name
            picture.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(image.picture.resolve(), picture)  # a link to a link would lead nowhere
            except OSError:  # another file system, or one without links
                shutil.copyfile(image.picture, picture)
            advance(1)
