"""The columns of images and objects in Parquet tables, and writing one; needs pyarrow."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vockit.format.records import VocBox, VocObject

from .boxes import CORNERS

IMAGE_FIELDS = (
    *(pa.field(name, pa.string(), nullable=False) for name in ("image_id", "set", "file_name")),
    *(pa.field(name, pa.int32()) for name in ("width", "height")),
)
"""The columns of an image, which the table of objects repeats."""


def make_objects_schema(coordinate: pa.DataType | None = None) -> pa.Schema:
    """The columns of objects; boxes are VOC's, 1-based with both ends inside; labels from 1."""
    number = coordinate or pa.int32()
    box = [pa.field(name, number) for name in CORNERS]
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
            *(pa.field(name, number) for name in ("point_x", "point_y")),
            pa.field("parts", pa.list_(pa.struct([pa.field("name", pa.string()), *box]))),
        ]
    )


def object_row(item: VocObject, labels: Mapping[str, int]) -> dict[str, Any]:
    """The columns of an object without those of its image and its number."""
    actions = item.actions
    point = item.point
    return {
        "class": item.name,
        "label": labels[item.name],
        **_corners(item.box),
        **{name: getattr(item, name) for name in ("pose", "truncated", "occluded", "difficult")},
        "actions": None
        if actions is None
        else [action.name for action in actions if action.is_performed],
        "point_x": point.x if point else None,
        "point_y": point.y if point else None,
        "parts": [{"name": part.name, **_corners(part.box)} for part in item.parts],
    }


def _corners(box: VocBox) -> dict[str, float]:
    return {name: getattr(box, name) for name in CORNERS}


def write_table(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> bytes:
    """The rows as a Parquet file."""
    target = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema), target, compression="zstd")
    return target.getvalue()
