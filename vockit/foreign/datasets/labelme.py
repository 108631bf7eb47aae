"""labelme's JSON: a file for each picture."""

from __future__ import annotations

import base64
import binascii
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from vockit.foreign.tree_files import read_bytes
from vockit.format.jpeg import UNDECODABLE
from vockit.format.shortage import refuse_shortage

from .shapes import (
    TwiceReadDataset,
    draw_ellipse,
    find_edges,
    read_corners,
    sort_attributes,
    trace_part,
)
from .values import NO_PICTURE, Corner, ForeignImage, ForeignObject, Note, NoteKind

Edges = tuple[float, float, float, float]
Rings = tuple[tuple[Corner, ...], ...]


class LabelmeDataset(TwiceReadDataset):
    """The pictures of labelme's files."""

    form = "labelme"

    def iterate_images(self) -> Iterator[ForeignImage]:
        """A picture for each file, in the order of their paths."""
        for path in self._paths:
            place = path.relative_to(self.root).as_posix()
            document = _read_document(path)
            if isinstance(document, str):
                yield ForeignImage(name=place, place=place, reason=document)
                continue
            given = str(document.get("imagePath") or "")
            folder = place.rpartition("/")[0]
            name = self._pictures.find(given, (folder, "")) if given else None
            if name is None:
                yield ForeignImage(name=given or place, place=place, reason=NO_PICTURE)
                continue
            notes: list[Note] = []
            objects = list(_read_objects(place, document, notes))
            yield self._make_whole(name, place, _read_size(document), objects, notes)


def _read_document(path: Path) -> dict[str, Any] | str:
    """What the file says, or why it says nothing."""
    data = read_bytes(path)
    if isinstance(data, str):
        return data
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return f"it is no whole JSON: {error}"
    return document if isinstance(document, dict) else "it is no object of JSON"


def _read_size(document: Mapping[str, Any]) -> tuple[int, int] | None:
    width = document.get("imageWidth")
    height = document.get("imageHeight")
    is_size = isinstance(width, int) and isinstance(height, int) and min(width, height) > 0
    return (width, height) if is_size else None  # type: ignore[return-value]


def _read_objects(
    place: str, document: Mapping[str, Any], notes: list[Note]
) -> Iterator[ForeignObject]:
    """An object for each shape; outlines of one group and label are parts of one object."""
    shapes = document.get("shapes")
    groups: dict[tuple[str, str], ForeignObject] = {}
    for number, shape in enumerate(shapes if isinstance(shapes, list) else [], start=1):
        where = f"{place}, shape {number}"
        item = _read_shape(number, where, shape, notes)
        if item is None:
            continue
        group = shape.get("group_id")
        key = (item.class_name, str(number) if group is None or not item.rings else f"g{group}")
        first = groups.get(key)
        groups[key] = item if first is None else _join(first, item)
    yield from groups.values()


def _join(first: ForeignObject, second: ForeignObject) -> ForeignObject:
    """One object with the parts of both."""
    return ForeignObject(
        key=first.key,
        place=first.place,
        class_name=first.class_name,
        rings=(*first.rings, *second.rings),
        joins_rings=first.joins_rings and second.joins_rings,
        truncated=first.truncated or second.truncated,
        occluded=first.occluded or second.occluded,
        difficult=first.difficult or second.difficult,
        view=first.view or second.view,
        stated=first.stated | second.stated,
        attributes={**second.attributes, **first.attributes},
    )


def _read_shape(number: int, place: str, shape: object, notes: list[Note]) -> ForeignObject | None:
    """The object of a shape; None, with a note, where it has no box."""
    if not isinstance(shape, dict):
        notes.append(Note(NoteKind.OBJECT, "shape", place, "it is no object of JSON"))
        return None
    kind = str(shape.get("shape_type") or "polygon")
    read = _SHAPES.get(kind)
    label = shape.get("label")
    if read is None or not isinstance(label, str) or not label.strip():
        message = f"a {kind} is no box and no outline" if read is None else "it has no label"
        notes.append(Note(NoteKind.OBJECT, kind if read is None else "label", place, message))
        return None
    try:
        edges, rings = read(shape)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        message = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        notes.append(Note(NoteKind.OBJECT, "shape", place, f"its {kind}: {message}"))
        return None
    flags = shape.get("flags")
    about = {"description": shape.get("description"), **(flags if isinstance(flags, dict) else {})}
    attributes = sort_attributes({name: value for name, value in about.items() if value})
    return ForeignObject(
        key=f"labelme-{number}",
        place=place,
        class_name=label.strip(),
        edges=edges,
        rings=rings,
        joins_rings=kind != "mask",
        said=f"{kind} {str(shape.get('points'))[:80]}",
        view=attributes.view,
        stated=attributes.stated,
        attributes=attributes.others,
        **attributes.flags,
    )


def _read_rectangle(shape: Mapping[str, Any]) -> tuple[Edges | None, Rings]:
    return find_edges(read_corners(shape["points"], 2)), ()


def _read_polygon(shape: Mapping[str, Any]) -> tuple[Edges | None, Rings]:
    return None, (read_corners(shape["points"], 3),)


def _read_circle(shape: Mapping[str, Any]) -> tuple[Edges | None, Rings]:
    """A centre, and a place on the circle."""
    centre, place = read_corners(shape["points"], 2)[:2]
    radius = math.dist(centre, place)
    return None, (draw_ellipse(centre, radius, radius),)


def _read_mask(shape: Mapping[str, Any]) -> tuple[Edges | None, Rings]:
    """A PNG, of which the first pixel is at the first point."""
    (left, top), *_others = read_corners(shape["points"], 1)
    try:
        data = base64.b64decode(str(shape.get("mask") or ""), validate=True)
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            mask = np.asarray(image.convert("L")) > 0
    except (binascii.Error, *UNDECODABLE) as error:
        refuse_shortage(error)
        raise ValueError("its mask is no picture") from error
    rings = trace_part(mask, round(left), round(top))
    if not rings:
        raise ValueError("it holds no pixel")
    return find_edges([corner for ring in rings for corner in ring]), rings


_SHAPES: Mapping[str, Callable[[Mapping[str, Any]], tuple[Edges | None, Rings]]] = {
    "rectangle": _read_rectangle,
    "polygon": _read_polygon,
    "circle": _read_circle,
    "mask": _read_mask,
}
