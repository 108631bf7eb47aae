"""A release as two Parquet tables: one row for each image, one for each object with everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from export.files import jpeg_path
from export.formats.table import IMAGE_FIELDS, make_objects_schema, object_row, write_table
from export.plan import PlannedImage, ReleasePlan

IMAGES = pa.schema(
    [
        *IMAGE_FIELDS,
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


def format_images(plan: ReleasePlan) -> bytes:
    """The Parquet file of all images of the release."""
    shown = {image.public_id for image in plan.annotated}
    return write_table(
        (_image_row(plan, image, image.public_id in shown) for image in plan.images), IMAGES
    )


def format_objects(plan: ReleasePlan) -> bytes:
    """The Parquet file of all objects that the release shows, in the order of its files."""
    return write_table(_iterate_objects(plan), make_objects_schema())


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
        shared = _image_row(plan, image, False)
        for number, item in enumerate(plan.record(image).objects, start=1):
            yield shared | {"object_number": number} | object_row(item, labels)
