"""A release as two Parquet tables: one row for each image, one for each object with everything."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from export.files import jpeg_path
from export.formats.table import IMAGE_FIELDS, make_objects_schema
from export.plan import PlannedImage, ReleasePlan
from export.voc.records import VocObject, VocPart

from .columns import make_column

ROWS_AT_ONCE = 4_000

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
    rows = (_image_row(plan, image, image.public_id in shown) for image in plan.images)
    return _write_table(rows, IMAGES)


def format_objects(plan: ReleasePlan) -> bytes:
    """The Parquet file of all objects that the release shows, in the order of its files."""
    return _write_table(_iterate_objects(plan), make_objects_schema())


def _write_table(rows: Iterable[tuple[Any, ...]], schema: pa.Schema) -> bytes:
    """The rows as a Parquet file; they become columns some at a time, for memory's sake."""
    rest, batches = iter(rows), []
    while some_rows := list(islice(rest, ROWS_AT_ONCE)):
        columns = zip(*some_rows, strict=True)
        arrays = [make_column(it, field.type) for it, field in zip(columns, schema, strict=True)]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
    target = io.BytesIO()
    table = pa.Table.from_batches(batches, schema).combine_chunks()
    pq.write_table(table, target, compression="zstd")
    return target.getvalue()


def _image_row(plan: ReleasePlan, image: PlannedImage, is_shown: bool) -> tuple[Any, ...]:
    shared, nothing = _shared(plan, image), (None,) * 10
    if not is_shown:
        return (*shared, None, None, *nothing)
    held = (*shared, image.jpeg_sha256, len(image.row.objects))
    if not image.row.photos:
        return (*held, *nothing)
    photo = image.row.photos[0]
    return (
        *held,
        photo.source.value,
        photo.source_id,
        photo.owner_id,
        photo.owner_name,
        photo.title,
        photo.licence_name,
        photo.licence_url,
        photo.page_url,
        photo.query_class,
        photo.query_keyword,
    )


def _shared(plan: ReleasePlan, image: PlannedImage) -> tuple[Any, ...]:
    """The columns that each object of the image has too."""
    row = image.row
    path = jpeg_path(plan, image)
    return image.public_id, image.split.value, path, row.width, row.height


def _iterate_objects(plan: ReleasePlan) -> Iterator[tuple[Any, ...]]:
    labels = {name: number for number, name in enumerate(plan.recipe.classes, start=1)}
    for image in plan.annotated:
        shared = _shared(plan, image)
        for number, item in enumerate(plan.record(image).objects, start=1):
            yield (*shared, number, item.name, labels[item.name], *_object_columns(item))


def _object_columns(item: VocObject) -> tuple[Any, ...]:
    box, point, actions = item.box, item.point, item.actions
    return (
        box.xmin,
        box.ymin,
        box.xmax,
        box.ymax,
        item.pose,
        item.truncated,
        item.occluded,
        item.difficult,
        None if actions is None else [it.name for it in actions if it.is_performed],
        None if point is None else point.x,
        None if point is None else point.y,
        [_part(part) for part in item.parts],
    )


def _part(part: VocPart) -> dict[str, Any]:
    box = part.box
    return {
        "name": part.name,
        "xmin": box.xmin,
        "ymin": box.ymin,
        "xmax": box.xmax,
        "ymax": box.ymax,
    }
