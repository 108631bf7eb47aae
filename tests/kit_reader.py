"""A model of the official development kit's annotation reader (VOCreadxml, VOCreadrecxml, 2012).

Written from the description in the format's norm, independently of export/, so that the two can be
compared. Of MATLAB's values it has text, arrays of structs with equal fields, and cell arrays.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

WHITE_SPACE = " \t\n\v\f\r"
FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}", re.ASCII)
DOUBLE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


class KitError(Exception):
    """The kit stops with an error."""


@dataclass
class Cell:
    """A cell array: several texts of one tag, or texts mixed with structs."""

    items: list[Value]


@dataclass
class Structs:
    """A struct array; every struct has the fields of all."""

    items: list[dict[str, Value]] = field(default_factory=list)

    def has(self, name: str) -> bool:
        return any(name in item for item in self.items)

    def get(self, index: int, name: str) -> Value:
        if not self.has(name):
            raise KitError(f"reference to non-existent field {name}")
        return self.items[index].get(name, "")


Value = str | Structs | Cell


@dataclass(frozen=True)
class KitObject:
    name: str
    view: str
    truncated: bool
    occluded: bool
    difficult: bool
    bbox: tuple[float, float, float, float]
    parts: tuple[KitObject, ...] = ()
    actions: tuple[tuple[str, bool], ...] | None = None
    point: tuple[float, float] | None = None


@dataclass(frozen=True)
class KitRecord:
    folder: str
    filename: str
    database: str
    annotation: str
    image: str
    imgsize: tuple[float, float, float]
    segmented: bool
    objects: tuple[KitObject, ...]


def read_record(data: bytes) -> KitRecord:
    """What the kit of 2012 makes of an annotation file; raises KitError where it stops."""
    chars = data.decode("latin-1")  # the kit reads bytes as characters
    root, _ = _parse(re.sub("[\t\n\r]", "", chars), 0, None)
    annotation = _struct(_one(_struct(root), "annotation"))
    source = _struct(_one(annotation, "source"))
    size = _struct(_one(annotation, "size"))
    objects = _structs(_one(annotation, "object"))
    _check_all_or_none(objects, "actions")
    _check_all_or_none(objects, "point")
    return KitRecord(
        folder=_text(annotation, "folder"),
        filename=_text(annotation, "filename"),
        database=_text(source, "database"),
        annotation=_text(source, "annotation"),
        image=_text(source, "image"),
        imgsize=(_double(size, "width"), _double(size, "height"), _double(size, "depth")),
        segmented=_text(annotation, "segmented") == "1",
        objects=tuple(_object(objects, index) for index in range(len(objects.items))),
    )


def _parse(xml: str, at: int, parent: str | None) -> tuple[Value, int]:
    if parent is not None and at >= len(xml):
        raise KitError("index out of bounds")
    if parent is not None and xml[at] != "<":
        end = xml.find("<", at)
        if end < 0:
            raise KitError("incomplete text")
        tag, after = _tag(xml, end)
        if tag != f"/{parent}":
            raise KitError(f"<{parent}> closed with <{tag}>")
        return _trim(xml[at:end]), after
    fields: dict[str, Value] = {}
    while at < len(xml):
        tag, at = _tag(xml, at)
        if tag == f"/{parent or ''}":
            break
        value, at = _parse(xml, at, tag)
        _assign(fields, tag, value)
    return (Structs([fields]) if fields else ""), at


def _tag(xml: str, at: int) -> tuple[str, int]:
    if xml[at] != "<":
        raise KitError("expected tag")
    end = xml.find(">", at)
    if end < 0:
        raise KitError("incomplete tag")
    return xml[at + 1 : end], end + 1


def _trim(text: str) -> str:
    return text.strip(WHITE_SPACE) or text


def _assign(fields: dict[str, Value], tag: str, value: Value) -> None:
    if not FIELD_NAME.fullmatch(tag):
        raise KitError(f"invalid field name {tag}")
    known = fields.get(tag)
    if known is None:
        fields[tag] = value
    elif isinstance(value, Structs):
        if not isinstance(known, Structs):
            raise KitError(f"field {tag} is not a struct array")
        known.items.extend(value.items)
    elif isinstance(known, Cell):
        known.items.append(value)
    else:
        fields[tag] = Cell([known, value])


def _one(structs: Structs, name: str) -> Value:
    return structs.get(0, name)


def _structs(value: Value) -> Structs:
    if not isinstance(value, Structs):
        raise KitError("expected a struct")
    return value


def _struct(value: Value) -> Structs:
    structs = _structs(value)
    if len(structs.items) != 1:
        raise KitError("expected one struct")
    return structs


def _text(structs: Structs, name: str, index: int = 0) -> str:
    value = structs.get(index, name)
    if not isinstance(value, str):
        raise KitError(f"expected a text in {name}")
    return value


def _double(structs: Structs, name: str, index: int = 0) -> float:
    text = _text(structs, name, index).strip(WHITE_SPACE).replace(",", "")
    return float(text) if DOUBLE.fullmatch(text) else math.nan


def _flag(structs: Structs, name: str, index: int) -> bool:
    return structs.has(name) and structs.get(index, name) == "1"


def _check_all_or_none(objects: Structs, name: str) -> None:
    if objects.has(name) and not all(item.get(name) for item in objects.items):
        raise KitError(f"subscripted assignment between dissimilar structures: {name}")


def _object(objects: Structs, index: int) -> KitObject:
    box = _struct(objects.get(index, "bndbox"))
    view = _text(objects, "pose", index) if objects.has("pose") else ""
    parts = objects.get(index, "part") if objects.has("part") else ""
    inner = Structs() if parts == "" else _structs(parts)
    return KitObject(
        name=_text(objects, "name", index),
        view="" if view == "Unspecified" else view,
        truncated=_flag(objects, "truncated", index),
        occluded=_flag(objects, "occluded", index),
        difficult=_flag(objects, "difficult", index),
        bbox=(
            _double(box, "xmin"),
            _double(box, "ymin"),
            _double(box, "xmax"),
            _double(box, "ymax"),
        ),
        parts=tuple(_object(inner, number) for number in range(len(inner.items))),
        actions=_actions(objects, index),
        point=_point(objects, index),
    )


def _actions(objects: Structs, index: int) -> tuple[tuple[str, bool], ...] | None:
    if not objects.has("actions"):
        return None
    actions = _struct(objects.get(index, "actions"))
    return tuple((name, _flag(actions, name, 0)) for name in sorted(actions.items[0]))


def _point(objects: Structs, index: int) -> tuple[float, float] | None:
    if not objects.has("point"):
        return None
    point = _struct(objects.get(index, "point"))
    return _double(point, "x"), _double(point, "y")
