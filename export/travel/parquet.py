"""A release as two Parquet tables: one row for each image, one for each object with everything."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from export.files import jpeg_path
from export.plan import PlannedImage, ReleasePlan
from export.voc.records import VocObject

_BOX = [pa.field(name, pa.int32()) for name in ("xmin", "ymin", "xmax", "ymax")]
_IMAGE = [
    pa.field("image_id", pa.string(), nullable=False),
    pa.field("set", pa.string(), nullable=False),
    pa.field("file_name", pa.string(), nullable=False),
    pa.field("width", pa.int32()),
    pa.field("height", pa.int32()),
]
IMAGES = pa.schema(
    [
        *_IMAGE,
        pa.field("sha256", pa.string()),
        pa.field("objects", pa.int32()),
        *(
            pa.field(name, pa.string())
            for name in ("source", "source_id", "owner_id", "owner_name", "title")
        ),
        *(pa.field(name, pa.string()) for name in ("licence", "licence_url", "page_url")),
        *(pa.field(name, pa.string()) for name in ("query_class", "query_keyword")),
    ]
)
"""Columns of the images; what the source did not say, or a blind release withholds, is null."""
OBJECTS = pa.schema(
    [
        *_IMAGE,
        pa.field("object_number", pa.int32(), nullable=False),
        pa.field("class", pa.string(), nullable=False),
        pa.field("label", pa.int32(), nullable=False),
        *_BOX,
        pa.field("pose", pa.string()),
        *(pa.field(name, pa.bool_()) for name in ("truncated", "occluded", "difficult")),
        pa.field("actions", pa.list_(pa.string())),
        pa.field("point_x", pa.int32()),
        pa.field("point_y", pa.int32()),
        pa.field("parts", pa.list_(pa.struct([pa.field("name", pa.string()), *_BOX]))),
    ]
)
"""Columns of the objects; boxes are VOC's, 1-based with both ends inside; labels start from 1."""


def format_images(plan: ReleasePlan) -> bytes:
    """The Parquet file of all images of the release."""
    shown = {image.public_id for image in plan.annotated}
    return _write(
        [_image_row(plan, image, image.public_id in shown) for image in plan.images], IMAGES
    )


def format_objects(plan: ReleasePlan) -> bytes:
    """The Parquet file of all objects that the release shows, in the order of its files."""
    return _write(list(_iterate_objects(plan)), OBJECTS)


def _write(rows: list[dict[str, Any]], schema: pa.Schema) -> bytes:
    target = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), target, compression="zstd")
    return target.getvalue()


def _image_row(plan: ReleasePlan, image: PlannedImage, is_shown: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "image_id": image.public_id,
        "set": image.split.value,
        "file_name": jpeg_path(plan, image),
        "width": image.row.width,
        "height": image.row.height,
    }
    if not is_shown:
        return row
    row |= {"sha256": image.jpeg_sha256, "objects": len(image.row.objects)}
    if not image.row.photos:
        return row
    photo = image.row.photos[0]
    return row | {
        "source": photo.source.value,
        "source_id": photo.source_id,
        "owner_id": photo.owner_id,
        "owner_name": photo.owner_name,
        "title": photo.title,
        "licence": photo.licence_name,
        "licence_url": photo.licence_url,
        "page_url": photo.page_url,
        "query_class": photo.query_class,
        "query_keyword": photo.query_keyword,
    }


def _iterate_objects(plan: ReleasePlan) -> Iterator[dict[str, Any]]:
    labels = {name: number for number, name in enumerate(plan.recipe.classes, start=1)}
    for image in plan.annotated:
        shared = {key: _image_row(plan, image, False)[key] for key in (it.name for it in _IMAGE)}
        for number, item in enumerate(plan.record(image).objects, start=1):
            yield shared | {"object_number": number} | _object_row(item, labels)


def _object_row(item: VocObject, labels: dict[str, int]) -> dict[str, Any]:
    return {
        "class": item.name,
        "label": labels[item.name],
        **vars(item.box),
        "pose": item.pose,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "difficult": item.difficult,
        "actions": None
        if item.actions is None
        else [action.name for action in item.actions if action.is_performed],
        "point_x": item.point.x if item.point else None,
        "point_y": item.point.y if item.point else None,
        "parts": [{"name": part.name, **vars(part.box)} for part in item.parts],
    }
