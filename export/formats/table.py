"""One Parquet table with everything: a row for each object, with its image's columns."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from export.voc.records import VocBox, VocImage, VocObject, VocOwner, VocSource

from .tree_images import TreeContent, TreeImage

ROWS_AT_ONCE = 1_000
IMAGE_FIELDS = (
    pa.field("image_id", pa.string(), nullable=False),
    pa.field("set", pa.string(), nullable=False),
    pa.field("file_name", pa.string(), nullable=False),
    pa.field("width", pa.int32()),
    pa.field("height", pa.int32()),
)
"""The columns of an image that each of its objects has too."""
FILE_FIELDS = (
    pa.field("depth", pa.int32()),
    pa.field("segmented", pa.bool_()),
    pa.field("folder", pa.string()),
    *(pa.field(f"source_{it}", pa.string()) for it in ("database", "annotation", "image")),
    *(pa.field(name, pa.string()) for name in ("source_flickrid", "owner_flickrid", "owner_name")),
)
"""What an annotation file says besides, once for all its objects."""


def make_objects_schema(coordinate: pa.DataType | None = None) -> pa.Schema:
    """The columns of objects; boxes are VOC's, 1-based with both ends inside; labels from 1."""
    number = coordinate or pa.int32()
    box = [pa.field(name, number) for name in ("xmin", "ymin", "xmax", "ymax")]
    return pa.schema(
        [
            *IMAGE_FIELDS,
            pa.field("object_number", pa.int32(), nullable=False),
            pa.field("class", pa.string(), nullable=False),
            pa.field("label", pa.int32(), nullable=False),
            *box,
            pa.field("pose", pa.string()),
            *(pa.field(name, pa.bool_()) for name in ("truncated", "occluded", "difficult")),
            pa.field("actions", pa.list_(pa.string())),
            pa.field("point_x", number),
            pa.field("point_y", number),
            pa.field("parts", pa.list_(pa.struct([pa.field("name", pa.string()), *box]))),
        ]
    )


def format_tree(content: TreeContent) -> bytes:
    """The Parquet file of all objects of a tree, in the order of its files.

    Coordinates are integers, or floating where a file of the tree has a fraction.
    """
    schema = make_objects_schema(_find_coordinate(content))
    place = len(IMAGE_FIELDS)
    fields = [*list(schema)[:place], *FILE_FIELDS, *list(schema)[place:]]
    return write_table(_iterate_rows(content), pa.schema(fields))


def object_row(item: VocObject, labels: Mapping[str, int]) -> dict[str, Any]:
    """The columns of an object but those of its image and its number."""
    return {
        "class": item.name,
        "label": labels[item.name],
        **_corners(item.box),
        "pose": item.pose,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "difficult": item.difficult,
        "actions": None
        if item.actions is None
        else [action.name for action in item.actions if action.is_performed],
        "point_x": item.point.x if item.point else None,
        "point_y": item.point.y if item.point else None,
        "parts": [{"name": part.name, **_corners(part.box)} for part in item.parts],
    }


def _corners(box: VocBox) -> dict[str, float]:
    return {"xmin": box.xmin, "ymin": box.ymin, "xmax": box.xmax, "ymax": box.ymax}


def write_table(rows: Iterable[dict[str, Any]], schema: pa.Schema) -> bytes:
    """The rows as a Parquet file; they become columns some at a time, for memory's sake."""
    target = io.BytesIO()
    rest = iter(rows)
    batches = []
    while some_rows := list(islice(rest, ROWS_AT_ONCE)):
        batches.append(pa.RecordBatch.from_pylist(some_rows, schema=schema))
    table = pa.Table.from_batches(batches, schema).combine_chunks()
    pq.write_table(table, target, compression="zstd")
    return target.getvalue()


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
        "source_database": source.database,
        "source_annotation": source.annotation,
        "source_image": source.image,
        "source_flickrid": source.flickrid,
        "owner_flickrid": owner.flickrid,
        "owner_name": owner.name,
    }


def _find_coordinate(content: TreeContent) -> pa.DataType:
    numbers = (number for image in content.images for number in _numbers(image))
    return pa.int32() if all(isinstance(it, int) for it in numbers) else pa.float64()


def _numbers(image: TreeImage) -> Iterable[float]:
    for item in image.objects:
        for box in (item.box, *(part.box for part in item.parts)):
            yield from _corners(box).values()
        if item.point is not None:
            yield from (item.point.x, item.point.y)
