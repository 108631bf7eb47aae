"""LabelMe's XML, of MIT's annotation tool and of CVAT: a file for each picture."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from vockit.foreign.tree_files import MOST_ANNOTATION_BYTES, read_bytes
from vockit.format.jpeg import UNDECODABLE
from vockit.format.nodes import Node, NotXmlError, parse_nodes
from vockit.format.shortage import refuse_shortage

from .shapes import TwiceReadDataset, find_edges, read_corners, sort_attributes, trace_part
from .values import NO_PICTURE, Corner, ForeignImage, ForeignObject, Note, NoteKind

Edges = tuple[float, float, float, float]
Rings = tuple[tuple[Corner, ...], ...]
_MOST_MASK_PIXELS = 100_000_000
_ATTRIBUTE = re.compile(r"(?:\\.|[^,])+", re.DOTALL)
_PAIR = re.compile(r"((?:\\.|[^=])*)(=?)(.*)", re.DOTALL)
_ESCAPED = re.compile(r'\\([=",\\])')


class LabelmeXmlDataset(TwiceReadDataset):
    """The pictures of LabelMe's files."""

    form = "LabelMe XML"

    def iterate_images(self) -> Iterator[ForeignImage]:
        """A picture for each file, in the order of their paths."""
        for path in self._paths:
            place = path.relative_to(self.root).as_posix()
            root = _read_root(path)
            if isinstance(root, str):
                yield ForeignImage(name=place, place=place, reason=root)
                continue
            name = self._find_picture(place, root)
            if name is None:
                yield ForeignImage(name=place, place=place, reason=NO_PICTURE)
                continue
            notes: list[Note] = []
            size_wh = _read_size(root)
            objects = [
                self._read_object(place, number, node, size_wh, notes)
                for number, node in enumerate(root.find_all("object"), start=1)
            ]
            yield self._make_whole(name, place, size_wh, objects, notes)

    def _find_picture(self, place: str, root: Node) -> str | None:
        """The picture that the file names, or that is called as the file."""
        given = _read_text(root, "filename")
        collection = _read_text(root, "folder")
        folder = place.rpartition("/")[0]
        folders = (folder, f"Images/{collection}", collection, "Images", "")
        name = self._pictures.find(given, folders) if given else None
        stem = place.rpartition("/")[2].removesuffix(".xml")
        return name or self._pictures.find_stem(stem, folders)

    def _read_object(
        self,
        file: str,
        number: int,
        node: Node,
        size_wh: tuple[int, int] | None,
        notes: list[Note],
    ) -> ForeignObject | None:
        """The object; None, with a note, where it was deleted or has no shape."""
        place = f"{file}, line {node.line}"
        class_name = _read_text(node, "name")
        if _read_text(node, "deleted") == "1":
            message = f"{class_name[:60]} is marked as deleted"
            notes.append(Note(NoteKind.OBJECT, "deleted", place, message))
            return None
        if not class_name:
            notes.append(Note(NoteKind.OBJECT, "label", place, "it has no name"))
            return None
        try:
            edges, rings = self._read_shape(node, size_wh)
        except ValueError as error:
            notes.append(Note(NoteKind.OBJECT, "shape", place, str(error)))
            return None
        attributes = sort_attributes(_read_attributes(node))
        return ForeignObject(
            key=f"labelme-{_read_text(node, 'id') or number}"[:50],
            place=place,
            class_name=class_name,
            edges=edges,
            rings=rings,
            joins_rings=node.find("polygon") is not None,
            said="box" if edges and not rings else "",
            view=attributes.view,
            stated=attributes.stated,
            attributes=attributes.others,
            **attributes.flags,
        )

    def _read_shape(
        self, node: Node, size_wh: tuple[int, int] | None
    ) -> tuple[Edges | None, Rings]:
        """The box or the outline in pixels; ValueError."""
        polygon = node.find("polygon")
        if polygon is not None:
            points = [[_read_text(pt, "x"), _read_text(pt, "y")] for pt in polygon.find_all("pt")]
            is_box = _read_text(node, "type") == "bounding_box"
            corners = read_corners(points, 2 if is_box else 3)
            return (find_edges(corners), ()) if is_box else (None, (corners,))
        segment = node.find("segm")
        if segment is None:
            raise ValueError("it has no polygon and no mask")
        return self._read_mask(_read_text(segment, "mask"), size_wh)

    def _read_mask(self, given: str, size_wh: tuple[int, int] | None) -> tuple[Edges | None, Rings]:
        """The outlines of a mask, which is a picture of its own; ValueError."""
        name = self._pictures.find(given, ("Masks", "")) if given else None
        if name is None:
            raise ValueError(f"its mask {given[:60]!r} is not in the folder, or is there twice")
        data = read_bytes(self.root / name)
        if isinstance(data, str):
            raise ValueError(f"its mask {name}: {data}")
        try:
            with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
                width, height = image.size
                fits = width * height <= _MOST_MASK_PIXELS and size_wh in (None, image.size)
                mask = np.asarray(image.convert("RGB")).max(axis=2) > 0 if fits else None
        except UNDECODABLE as error:
            refuse_shortage(error)
            raise ValueError(f"its mask {name} is no whole PNG") from error
        if mask is None:
            raise ValueError(
                f"its mask {name} has {width} x {height} pixels, too many or not its picture's"
            )
        rings = trace_part(mask, 0, 0)
        if not rings:
            raise ValueError(f"its mask {name} holds no pixel")
        return find_edges([corner for ring in rings for corner in ring]), rings


def _read_root(path: Path) -> Node | str:
    """What the file says, or why it says nothing."""
    data = read_bytes(path, MOST_ANNOTATION_BYTES)
    if isinstance(data, str):
        return data
    try:
        return parse_nodes(data)
    except NotXmlError as error:
        return f"its annotation cannot be read: line {error.line}: {error}"


def _read_text(node: Node, tag: str) -> str:
    """The text of the first child of that tag; empty where there is none."""
    child = node.find(tag)
    return child.text if child else ""


def _read_size(root: Node) -> tuple[int, int] | None:
    size = root.find("imagesize")
    if size is None:
        return None
    width = _read_text(size, "ncols")
    height = _read_text(size, "nrows")
    is_size = width.isdecimal() and height.isdecimal() and len(width + height) < 20
    return (int(width), int(height)) if is_size and int(width) and int(height) else None


def _read_attributes(node: Node) -> dict[str, str]:
    """What people wrote of the object, by name: `red, side=left` is true and left.

    datumaro writes a backslash before what is no sign, such as a comma in a text.
    """
    attributes: dict[str, str] = {}
    for text in _ATTRIBUTE.findall(_read_text(node, "attributes")):
        name, sign, value = _PAIR.findall(text)[0]
        if name := _unescape(name):
            attributes[name] = _unescape(value) if sign else "true"
    if occluded := _read_text(node, "occluded"):
        attributes["occluded"] = occluded
    parts = node.find("parts")
    for tag in ("hasparts", "ispartof"):
        if parts is not None and (text := _read_text(parts, tag)):
            attributes[tag] = text
    return attributes


def _unescape(text: str) -> str:
    """A name or a value without what stands around and before its letters."""
    text = text.strip()
    is_quoted = len(text) > 1 and text.startswith('"') and text.endswith('"')
    return _ESCAPED.sub(r"\1", text[1:-1] if is_quoted else text)
