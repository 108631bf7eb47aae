"""Annotation files: from a record to the XML text that the development kit reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, TypeVar

from .records import Number, VocBox, VocImage, VocObject
from .text import is_plain_text, is_tag, is_word

T = TypeVar("T")
Content: TypeAlias = "str | Mapping[str, Content] | list[Content] | None"
"""An element's text or its children, one for each element of that tag; None where there is none."""


@dataclass(frozen=True, eq=False)
class VocStyle:
    """The order of the children of each element, by its tag, as real releases have it."""

    orders: Mapping[str, tuple[str, ...]]


def _make_style(base: VocStyle | None = None, **orders: str) -> VocStyle:
    changed = {tag: tuple(tags.split()) for tag, tags in orders.items()}
    return VocStyle({**base.orders, **changed} if base else changed)


STYLE_2007 = _make_style(
    annotation="folder filename source owner size segmented object",
    source="database annotation image flickrid",
    owner="flickrid name",
    size="width height depth",
    object="name pose truncated occluded difficult bndbox part actions point",
    part="name bndbox",
    bndbox="xmin ymin xmax ymax",
    point="x y",
)
"""As the release of 2007; occluded, actions and point did not exist then."""

STYLE_2008 = _make_style(
    STYLE_2007, object="name pose truncated occluded bndbox difficult part actions point"
)
"""As the images of 2008."""

STYLE_2012 = _make_style(
    STYLE_2007,
    annotation="filename folder object owner segmented size source",
    source="annotation database flickrid image",
    size="depth height width",
    object="name actions bndbox difficult occluded part pose point truncated",
    bndbox="xmax xmin ymax ymin",
)
"""As the images of 2009 to 2012: alphabetical, but for an object's name, which comes first, and for
pose before point. Where part stood is not known; here it is in its alphabetical place."""


STYLES = (STYLE_2007, STYLE_2008, STYLE_2012)


class UnwritableError(ValueError):
    """A record holds what no annotation file can say; the message names the element."""


def format_annotation(
    image: VocImage, style: VocStyle = STYLE_2012, *, may_be_empty: bool = False
) -> str:
    """The file's text, which reads back as the record; UnwritableError where the kit could not.

    With `may_be_empty` also that of an image without objects, which the kit cannot read.
    """
    if not image.objects and not may_be_empty:
        raise UnwritableError("expected at least one object; the kit cannot read a file with none")
    for tag in ("actions", "point"):
        if len({getattr(item, tag) is None for item in image.objects}) > 1:
            raise UnwritableError(f"expected <{tag}> in all objects of a file or in none")
    size = _required("size", image.size)
    source = _required("source", image.source)
    owner = image.owner
    children: Content = {
        "folder": _text("folder", image.folder),
        "filename": _word("filename", image.filename),
        "source": {
            "database": _text("source/database", source.database),
            "annotation": _text("source/annotation", source.annotation),
            "image": _text("source/image", source.image),
            "flickrid": _optional("source/flickrid", source.flickrid),
        },
        "owner": None
        if owner is None
        else {
            "flickrid": _optional("owner/flickrid", owner.flickrid),
            "name": _optional("owner/name", owner.name),
        },
        "size": {
            "width": _number(size.width),
            "height": _number(size.height),
            "depth": _number(_required("size/depth", size.depth)),
        },
        "segmented": _flag(_required("segmented", image.segmented)),
        "object": [_object(item) for item in image.objects],
    }
    return _element("annotation", children, style)


def _element(tag: str, content: Content, style: VocStyle, indent: str = "") -> str:
    """The text of the element, or of each where the content is a list."""
    if content is None:
        return ""
    if isinstance(content, str):
        return f"{indent}<{tag}>{content}</{tag}>\n"
    if isinstance(content, list):
        return "".join([_element(tag, item, style, indent) for item in content])
    order = style.orders.get(tag) or sorted(content)  # actions have no other order
    inside = [
        _element(child, content[child], style, indent + "\t") for child in order if child in content
    ]
    return f"{indent}<{tag}>\n{''.join(inside)}{indent}</{tag}>\n"


def _object(item: VocObject) -> Content:
    actions = item.actions
    point = item.point
    return {
        "name": _word("object/name", item.name),
        "bndbox": _box(item.box),
        "pose": _optional("object/pose", item.pose),
        "truncated": _flag(item.truncated),
        "occluded": _flag(item.occluded),
        "difficult": _flag(item.difficult),
        "actions": None
        if actions is None
        else {_tag(action.name): _flag(action.is_performed) for action in actions},
        "point": None if point is None else {"x": _number(point.x), "y": _number(point.y)},
        "part": [
            {"name": _word("part/name", part.name), "bndbox": _box(part.box)} for part in item.parts
        ],
    }


def _box(box: VocBox) -> Content:
    sides = ("xmin", "ymin", "xmax", "ymax")
    return {side: _number(getattr(box, side)) for side in sides}


def _required(tag: str, value: T | None) -> T:
    if value is None:
        raise UnwritableError(f"expected <{tag}>, which the kit requires")
    return value


def _optional(tag: str, text: str | None) -> str | None:
    return None if text is None else _text(tag, text)


@lru_cache(50_000)  # the same few texts are in nearly all files
def _text(tag: str, text: str | None) -> str:
    text = _required(tag, text)
    if not is_plain_text(text):
        raise UnwritableError(
            f"expected in <{tag}> a text without <, > and &, with single blanks, got {text!r}"
        )
    return text


def _word(tag: str, text: str) -> str:
    if not is_word(text):
        raise UnwritableError(f"expected in <{tag}> one word without white space, got {text!r}")
    return text


def _tag(text: str) -> str:
    if not is_tag(text):
        raise UnwritableError(f"expected an action's name that can be a tag, got {text!r}")
    return text


def _flag(value: bool | None) -> str | None:
    return None if value is None else str(int(value))


def _number(value: Number) -> str:
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise UnwritableError(f"expected a finite number, got {value}")
    return str(int(value)) if value == int(value) else repr(value)
