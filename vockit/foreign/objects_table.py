"""A VOC tree as one Parquet table with everything; needs pyarrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from vockit.format.records import VocOwner, VocSource

from .boxes import CORNERS
from .parquet_tables import IMAGE_FIELDS, make_objects_schema, object_row, write_table
from .tree_images import LoadedImage, TreeContent

FILE_FIELDS = (
    pa.field("lists", pa.list_(pa.string())),
    pa.field("not_asked", pa.list_(pa.string())),
    pa.field("depth", pa.int32()),
    pa.field("segmented", pa.bool_()),
    pa.field("folder", pa.string()),
    pa.field("source_database", pa.string()),
    pa.field("source_annotation", pa.string()),
    pa.field("source_image", pa.string()),
    pa.field("source_flickrid", pa.string()),
    pa.field("owner_flickrid", pa.string()),
    pa.field("owner_name", pa.string()),
)
"""What the lists and an annotation file say once for all objects of an image."""


def make_rows(content: TreeContent) -> list[dict[str, Any]]:
    """A row for each object of each image."""
    labels = {name: number for number, name in enumerate(content.classes, start=1)}
    rows: list[dict[str, Any]] = []
    for image in content.images:
        columns = _image_columns(image)
        for number, item in enumerate(image.objects, start=1):
            rows.append(columns | {"object_number": number} | object_row(item, labels))
    return rows


def write_rows(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The Parquet file of these rows; coordinates are integers unless a file has a fraction."""
    coordinate = pa.float64() if any(map(_has_fraction, rows)) else pa.int32()
    fields = list(make_objects_schema(coordinate))
    place = len(IMAGE_FIELDS)
    return write_table(rows, pa.schema([*fields[:place], *FILE_FIELDS, *fields[place:]]))


def _image_columns(image: LoadedImage) -> dict[str, Any]:
    """The columns that each object of an image repeats."""
    record = image.record
    depth = image.size.depth
    source = record.source or VocSource()
    owner = record.owner or VocOwner()
    return {
        "image_id": image.image_id,
        "set": image.set_name,
        "file_name": image.picture.name,
        "width": int(image.size.width),
        "height": int(image.size.height),
        "lists": list(image.lists),
        "not_asked": sorted(image.unasked),
        "depth": None if depth is None else int(depth),
        "segmented": record.segmented,
        "folder": record.folder,
        **{f"source_{name}": value for name, value in asdict(source).items()},
        "owner_flickrid": owner.flickrid,
        "owner_name": owner.name,
    }


def _has_fraction(row: Mapping[str, Any]) -> bool:
    """Whether a coordinate of the object, its point or its parts was read as a fraction."""
    coordinates = [row[name] for name in (*CORNERS, "point_x", "point_y")]
    coordinates += [part[name] for part in row["parts"] for name in CORNERS]
    return any(isinstance(coordinate, float) for coordinate in coordinates)
