"""CVAT for images 1.1: one XML file, read image by image."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from .shapes import (
    TwiceReadDataset,
    draw_ellipse,
    find_edges,
    list_corners,
    read_corners,
    sort_attributes,
    trace_part,
    turn,
)
from .values import NO_PICTURE, Corner, ForeignImage, ForeignObject, Note, NoteKind

_CHUNK = 1 << 20
_MOST_PIXELS = 100_000_000
Edges = tuple[float, float, float, float]
Rings = tuple[tuple[Corner, ...], ...]


@dataclass
class _Element:
    """A shape or an image of the file while it is read."""

    tag: str
    line: int
    values: Mapping[str, str]
    attributes: dict[str, str] = field(default_factory=dict)
    shapes: list[_Element] = field(default_factory=list)


class CvatDataset(TwiceReadDataset):
    """The images of CVAT's XML files."""

    form = "CVAT for images"

    def __init__(self, root: Path, paths: Sequence[Path]) -> None:
        self._labels: dict[str, frozenset[str]] = {}
        super().__init__(root, paths)
        self.listed = self._list_searched()

    def iterate_images(self) -> Iterator[ForeignImage]:
        """The images, file by file; of a damaged file those before the damage."""
        for path in self._paths:
            name = path.relative_to(self.root).as_posix()
            parser = _Parser()
            try:
                for element in parser.iterate(path):
                    yield self._make_image(name, element)
            except expat.ExpatError as error:
                fault = expat.ErrorString(error.code) or str(error)
                message = f"line {error.lineno}: {fault}; images after it are missing"
                self._note("no whole XML", name, message)
            except OSError as error:
                self._note("unreadable", name, f"it cannot be read: {error.strerror or error}")
            self._labels[name] = frozenset(parser.labels)
            if parser.tracks:
                message = f"{parser.tracks} tracks of a video are left out; export the task as "
                self._note("video", name, f"{message}CVAT for images")

    def _list_searched(self) -> frozenset[str] | None:
        """The labels of the task, of several files those that each has; None where none has any."""
        lists = [labels for labels in self._labels.values() if labels]
        return frozenset.intersection(*lists) if lists else None

    def _note(self, rule: str, place: str, message: str) -> None:
        if self._is_noting:
            self.notes.append(Note(NoteKind.FILE, rule, place, message))

    def _make_image(self, file: str, element: _Element) -> ForeignImage:
        place = f"{file}, line {element.line}"
        given = element.values.get("name", "")
        folder = file.rpartition("/")[0]
        folders = (f"{folder}/images".strip("/"), folder, element.values.get("subset", ""), "")
        name = self._pictures.find(given, folders) if given else None
        if name is None:
            return ForeignImage(name=given, place=place, reason=NO_PICTURE)
        notes: list[Note] = []
        objects = [_read_shape(file, shape, notes) for shape in element.shapes]
        return self._make_whole(name, place, _read_size(element.values), objects, notes)


class _Parser:
    """Expat's events as images; no entity and no document type is read."""

    def __init__(self) -> None:
        self.tracks = 0
        self.labels: list[str] = []  # that the task has, whether or not a shape does
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._take
        self._parser.StartDoctypeDeclHandler = _forbid
        self._image: _Element | None = None
        self._above: list[_Element] = []
        self._text = ""
        self._whole: list[_Element] = []

    def iterate(self, path: Path) -> Iterator[_Element]:
        """Each image once it is whole; ExpatError and OSError."""
        with path.open("rb") as file:
            is_end = False
            while not is_end:
                data = file.read(_CHUNK)
                is_end = not data
                try:
                    self._parser.Parse(data, is_end)
                finally:
                    yield from self._whole  # also those before a fault
                    self._whole.clear()

    def _start(self, tag: str, values: dict[str, str]) -> None:
        element = _Element(tag, self._parser.CurrentLineNumber, values)
        self._text = ""
        self.tracks += tag == "track"
        if tag == "image":
            self._image = element
        self._above.append(element)

    def _end(self, tag: str) -> None:
        element = self._above.pop()
        parent = self._above[-1] if self._above else element
        if element.tag == "name" and parent.tag == "label":
            self.labels.append(self._text.strip())
        if self._image is None:
            return
        if tag == "image":
            self._whole.append(self._image)
            self._image = None
        elif tag == "attribute":
            parent.attributes[element.values.get("name", "")] = self._text.strip()
        elif parent is self._image:
            self._image.shapes.append(element)

    def _take(self, text: str) -> None:
        self._text += text


def _forbid(*_declared: object) -> None:
    error = expat.ExpatError("a document type, which no labels need")
    error.code = 0
    error.lineno = 1
    raise error


def _read_size(values: Mapping[str, str]) -> tuple[int, int] | None:
    try:
        size = int(values.get("width", "")), int(values.get("height", ""))
    except ValueError:
        return None
    return size if min(size) > 0 else None


def _read_shape(file: str, shape: _Element, notes: list[Note]) -> ForeignObject | None:
    """The object of a shape; None, with a note, where it has no box."""
    place = f"{file}, line {shape.line}"
    read = _SHAPES.get(shape.tag)
    if read is None:
        message = f"<{shape.tag}> is no box and no outline"
        notes.append(Note(NoteKind.OBJECT, shape.tag, place, message))
        return None
    try:
        edges, rings = read(shape.values)
    except (KeyError, ValueError) as error:
        missing = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        notes.append(Note(NoteKind.OBJECT, "shape", place, f"its <{shape.tag}>: {missing}"))
        return None
    flags = {"occluded": shape.values.get("occluded", "")}
    attributes = sort_attributes({**flags, **shape.attributes})
    return ForeignObject(
        key=f"cvat-{shape.line}",
        place=place,
        class_name=shape.values.get("label", "").strip(),
        edges=edges,
        rings=rings,
        joins_rings=shape.tag != "mask",
        said=f"box {_list(edges)}" if edges else "",
        view=attributes.view,
        stated=attributes.stated,
        attributes=attributes.others,
        **attributes.flags,
    )


def _read_box(values: Mapping[str, str]) -> tuple[Edges | None, Rings]:
    left, top, right, bottom = (float(values[name]) for name in ("xtl", "ytl", "xbr", "ybr"))
    edges = left, top, right, bottom
    degrees = float(values.get("rotation", 0))
    if not degrees:
        return edges, ()
    return None, (turn(list_corners(edges), ((left + right) / 2, (top + bottom) / 2), degrees),)


def _read_polygon(values: Mapping[str, str]) -> tuple[Edges | None, Rings]:
    pairs = [pair.split(",") for pair in values["points"].split(";") if pair.strip()]
    return None, (read_corners(pairs, 3),)


def _read_ellipse(values: Mapping[str, str]) -> tuple[Edges | None, Rings]:
    x, y, across, down = (float(values[name]) for name in ("cx", "cy", "rx", "ry"))
    ring = draw_ellipse((x, y), across, down)
    return None, (turn(ring, (x, y), float(values.get("rotation", 0))),)


def _read_mask(values: Mapping[str, str]) -> tuple[Edges | None, Rings]:
    """Run lengths row by row, those that are not of the object first."""
    left, top, width, height = (int(values[name]) for name in ("left", "top", "width", "height"))
    if max(abs(left), abs(top)) > _MOST_PIXELS:
        raise ValueError("it begins far outside of its picture")
    lengths = [int(text) for text in values["rle"].split(",")]
    if not 0 < width * height <= _MOST_PIXELS or min(lengths) < 0 or sum(lengths) != width * height:
        raise ValueError(f"its run lengths have {sum(lengths)} pixels, its box {width} x {height}")
    is_object = np.arange(len(lengths)) % 2 == 1
    rings = trace_part(np.repeat(is_object, lengths).reshape(height, width), left, top)
    if not rings:
        raise ValueError("it holds no pixel")
    return find_edges([corner for ring in rings for corner in ring]), rings


_SHAPES: Mapping[str, Callable[[Mapping[str, str]], tuple[Edges | None, Rings]]] = {
    "box": _read_box,
    "polygon": _read_polygon,
    "ellipse": _read_ellipse,
    "mask": _read_mask,
}


def _list(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)
