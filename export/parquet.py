"""Parquet tables of images and objects: of a release, and the columns that conversions share."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pyarrow as pa

from vockit.foreign.boxes import xywh
from vockit.foreign.parquet_tables import (
    IMAGE_FIELDS,
    make_objects_schema,
    object_row,
    write_table,
)
from vockit.format import tree
from vockit.format.image_sets import Split

from .attributes import iterate_attributes
from .plan import PlannedImage, ReleasePlan, has_masks
from .tree_files import jpeg_path, tree_path

_TEXTS = (
    "source",
    "source_id",
    "owner_id",
    "owner_name",
    "title",
    "licence",
    "licence_url",
    "page_url",
    "query_class",
    "query_keyword",
    "taken_at",
    "sampling",
)
_TIMES = ("uploaded_at", "window_start_at", "window_end_at", "found_at")
IMAGES = pa.schema(
    [
        *IMAGE_FIELDS,
        pa.field("sha256", pa.string()),
        pa.field("objects", pa.int32()),
        *(pa.field(name, pa.string()) for name in _TEXTS),
        *(pa.field(name, pa.timestamp("s", "UTC")) for name in _TIMES),
    ]
)
"""Columns of the images; what the source did not say, or a blind release withholds, is null."""
MASK_COLUMNS = {"class_mask": tree.SEGMENTATION_CLASS, "object_mask": tree.SEGMENTATION_OBJECT}
"""Further columns of a release with masks, and the folders of their files."""


ATTRIBUTES_COLUMN = pa.field("attributes", pa.string())
"""A further column of objects where any has attributes that VOC lacks: JSON, else null."""
_WORDS = pa.list_(pa.string())
_FLAGS = pa.list_(pa.bool_())
_OBJECTS = [("bbox", pa.list_(pa.list_(pa.int32()))), ("category", _WORDS), ("pose", _WORDS)]
_OBJECTS += [(name, _FLAGS) for name in ("truncated", "occluded", "difficult")]
HUGGING_FACE = pa.schema(
    [
        ("file_name", pa.string()),
        ("image_id", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("objects", pa.struct(_OBJECTS)),
    ]
)
"""A set's metadata file of Hugging Face's ImageFolder; boxes as COCO has them, from 0."""


def format_images(plan: ReleasePlan) -> bytes:
    """The Parquet file of all images of the release."""
    rows = list[dict[str, Any]]()
    columns = MASK_COLUMNS if plan.masked else {}
    for image in plan.images:
        rows.append(row := _shared(plan, image))
        if not plan.shows(image):
            continue
        row |= {"sha256": image.jpeg_sha256, "objects": len(image.row.objects)}
        for photo in image.row.photos[:1]:
            row |= {name: getattr(photo, name) for name in (*_TEXTS, *_TIMES) if name != "licence"}
            row |= {"licence": photo.licence_name, "source": photo.source.value}
        for name, folder in columns.items() if has_masks(image) else ():
            row[name] = f"{tree_path(plan)}/{tree.mask_path(folder, image.public_id)}"
    return write_table(rows, pa.schema([*IMAGES, *((name, pa.string()) for name in columns)]))


def format_objects(plan: ReleasePlan) -> bytes:
    """The Parquet file of all objects that the release shows, in the order of its files."""
    labels = {name: number for number, name in enumerate(plan.recipe.classes, start=1)}
    attributes = {
        (row["image_id"], row["object_number"]): json.dumps(row["attributes"], ensure_ascii=False)
        for row in iterate_attributes(plan)
    }
    rows = (
        shared
        | {"object_number": number, "attributes": attributes.get((image.public_id, number))}
        | object_row(item, labels)
        for image in plan.annotated
        for shared in (_shared(plan, image),)
        for number, item in enumerate(plan.records[image.public_id].objects, start=1)
    )
    schema = make_objects_schema()
    return write_table(rows, schema.append(ATTRIBUTES_COLUMN) if attributes else schema)


def format_hugging_face(plan: ReleasePlan) -> dict[Split, bytes]:
    """For each set with images the metadata by which `load_dataset` finds them."""
    words = ("pose", "truncated", "occluded", "difficult")
    rows = defaultdict[Split, list[dict[str, Any]]](list)
    for image in plan.images:
        rows[image.split].append(row := _shared(plan, image))
        if plan.shows(image):
            items = plan.records[image.public_id].objects
            objects = {word: [getattr(item, word) for item in items] for word in words}
            boxes = {"bbox": [xywh(item.box) for item in items]}
            row["objects"] = objects | boxes | {"category": [item.name for item in items]}
    return {split: write_table(rows[split], HUGGING_FACE) for split in sorted(rows)}


def _shared(plan: ReleasePlan, image: PlannedImage) -> dict[str, Any]:
    """The columns that each object of the image has too."""
    return {
        "image_id": image.public_id,
        "set": image.split.value,
        "file_name": jpeg_path(plan, image),
        "width": image.row.width,
        "height": image.row.height,
    }
