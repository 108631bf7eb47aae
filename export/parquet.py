"""Parquet tables of images and objects: of a release, and the columns that conversions share."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import PurePath
from typing import Any

import pyarrow as pa

from catalog.annotated import GROUP_OF
from vockit.foreign.boxes import xywh
from vockit.foreign.parquet_tables import (
    IMAGE_FIELDS,
    make_objects_schema,
    object_row,
    write_table,
)
from vockit.foreign.tree_images import UNLISTED
from vockit.format import tree
from vockit.format.image_sets import Split
from vockit.verify.trees import label_classes

from .attributes import iterate_attributes
from .plan import PlannedImage, ReleasePlan, has_masks, is_taster
from .suggestions import find_detector, find_way
from .tree_files import find_sets, jpeg_path, tree_path

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
ASKED_COLUMNS = ("positive", "negative", "not_asked")
"""Further columns of a release of which not everything was asked: lists of classes.

A class of which an image shows difficult objects alone is in none of them.
"""
LISTS = "lists"
"""A further column of a release with images that Main does not list: the folders that do."""
MASK_COLUMNS = {"class_mask": tree.SEGMENTATION_CLASS, "object_mask": tree.SEGMENTATION_OBJECT}
"""Further columns of a release with masks, and the folders of their files."""


ATTRIBUTES_COLUMN = pa.field("attributes", pa.string())
"""A further column of objects where any has attributes that VOC lacks: JSON, else null."""
SUGGESTED_COLUMNS = (pa.field("made", pa.string()), pa.field("suggested_by", pa.string()))
"""Further columns of objects of a release with suggestions: drawn, accepted or corrected; whose."""
GROUP_COLUMN = pa.field(GROUP_OF, pa.bool_())
"""A further column of objects of a release with boxes around groups."""
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


def has_unlisted(plan: ReleasePlan) -> bool:
    """Whether there are images that Layout, Action or Segmentation alone list."""
    return not all(map(is_in_main, plan.images))


def is_in_main(image: PlannedImage) -> bool:
    """Whether Main lists the image."""
    return not is_taster(image) if image.form is None else tree.MAIN in image.form.sets


def list_sets(plan: ReleasePlan) -> list[str]:
    """The sets of the tables that have images: train, val, test, unlisted."""
    held = {_find_set(image) for image in plan.images}
    return [name for name in (*map(str, Split), UNLISTED) if name in held]


def _find_set(image: PlannedImage) -> str:
    return str(image.split) if is_in_main(image) else UNLISTED


def list_columns(plan: ReleasePlan) -> list[tuple[str, pa.DataType]]:
    """The further columns of the images of this release, with their types."""
    columns = [(name, _WORDS) for name in ASKED_COLUMNS] if plan.asked_in_part else []
    return columns + ([(LISTS, _WORDS)] if has_unlisted(plan) else [])


def _describe_lists(plan: ReleasePlan, image: PlannedImage) -> dict[str, list[str]]:
    """What those columns say of a shown image."""
    asked = plan.asked(image)
    labels = label_classes(plan.records[image.public_id].objects)
    by_column: dict[str, list[str]] = {name: [] for name in (*ASKED_COLUMNS, LISTS)}
    for name in plan.recipe.classes:
        if asked is not None and name not in asked:
            by_column["not_asked"].append(name)
        elif name not in labels:
            by_column["negative"].append(name)
        elif labels[name]:
            by_column["positive"].append(name)
    by_column[LISTS] = [PurePath(folder).name for folder in sorted(find_sets(plan, image))]
    return {name: by_column[name] for name, _ in list_columns(plan)}


def format_images(plan: ReleasePlan) -> bytes:
    """The Parquet file of all images of the release."""
    rows = list[dict[str, Any]]()
    columns = MASK_COLUMNS if plan.masked else {}
    further = [*list_columns(plan), *((name, pa.string()) for name in columns)]
    for image in plan.images:
        rows.append(row := _shared(plan, image))
        if not plan.shows(image):
            continue
        row |= {"sha256": image.jpeg_sha256, "objects": len(image.row.objects)}
        row |= _describe_lists(plan, image)
        for photo in image.row.photos[:1]:
            row |= {name: getattr(photo, name) for name in (*_TEXTS, *_TIMES) if name != "licence"}
            row |= {"licence": photo.licence_name, "source": photo.source.value}
        for name, folder in columns.items() if has_masks(image) else ():
            row[name] = f"{tree_path(plan)}/{tree.mask_path(folder, image.public_id)}"
    return write_table(rows, pa.schema([*IMAGES, *further]))


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
        | {GROUP_OF: image.row.objects[number - 1].group_of}
        | (_describe_made(plan, image, number) if plan.has_suggestions else {})
        for image in plan.annotated
        for shared in (_shared(plan, image),)
        for number, item in enumerate(plan.records[image.public_id].objects, start=1)
    )
    further = [ATTRIBUTES_COLUMN] if attributes else []
    further += [GROUP_COLUMN] if plan.groups else []
    further += SUGGESTED_COLUMNS if plan.has_suggestions else ()
    return write_table(rows, pa.schema([*make_objects_schema(), *further]))


def _describe_made(plan: ReleasePlan, image: PlannedImage, number: int) -> dict[str, str | None]:
    """How the object of that number was made, and by whose suggestion."""
    item = image.row.objects[number - 1]
    detector = find_detector(image, item)
    way = find_way(plan, image, item, image.row.find_drawn_in(item))
    return {"made": way, "suggested_by": detector.name if detector else None}


def format_hugging_face(plan: ReleasePlan) -> dict[str, bytes]:
    """For each set with images the metadata by which `load_dataset` finds them."""
    words = ("pose", "truncated", "occluded", "difficult")
    rows = defaultdict[str, list[dict[str, Any]]](list)
    for image in plan.images:
        row = _shared(plan, image)
        rows[row["set"]].append(row)
        if plan.shows(image):
            items = plan.records[image.public_id].objects
            objects = {word: [getattr(item, word) for item in items] for word in words}
            boxes = {"bbox": [xywh(item.box) for item in items]}
            row["objects"] = objects | boxes | {"category": [item.name for item in items]}
            row |= _describe_lists(plan, image)
    schema = pa.schema([*HUGGING_FACE, *list_columns(plan)])
    return {name: write_table(rows[name], schema) for name in sorted(rows)}


def _shared(plan: ReleasePlan, image: PlannedImage) -> dict[str, Any]:
    """The columns that each object of the image has too."""
    return {
        "image_id": image.public_id,
        "set": _find_set(image),
        "file_name": jpeg_path(plan, image),
        "width": image.row.width,
        "height": image.row.height,
    }
