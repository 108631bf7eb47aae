"""Annotation files: from a record to the XML text that the development kit reads."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import TypeVar

from .records import (
    Number,
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocOwner,
    VocPart,
    VocSize,
    VocSource,
)
from .styles import STYLE_2012, VocStyle
from .text import is_plain_text, is_tag, is_word

T = TypeVar("T")
MOST_TEXTS = 50_000
"""Texts that are remembered as fit; the same few are in nearly all files."""


class UnwritableError(ValueError):
    """A record holds what no annotation file can say; the message names the element."""


def format_annotation(image: VocImage, style: VocStyle = STYLE_2012) -> str:
    """The annotation file's text: tabs, LF, no declaration; reading it gives the record back.

    The default is the alphabetical order that releases have written since 2009. Raises
    UnwritableError where an element that the kit requires is missing, or a text is one that the kit
    and XML parsers would not read alike.
    """
    if not image.objects:
        raise UnwritableError("expected at least one object; the kit cannot read a file with none")
    _check_all_or_none("actions", [item.actions is not None for item in image.objects])
    _check_all_or_none("point", [item.point is not None for item in image.objects])
    size, segmented = _required("size", image.size), _required("segmented", image.segmented)
    return _image_template(style, image.owner is not None).format(
        folder=_text("folder", image.folder),
        filename=_word("filename", image.filename),
        source=_source(image.source, style),
        owner="" if image.owner is None else _owner(image.owner, style),
        size=_size(size, style),
        segmented=_flag(segmented),
        object="".join([_object(item, style) for item in image.objects]),
    )


@lru_cache
def _image_template(style: VocStyle, has_owner: bool) -> str:
    """What differs from image to image stands in braces."""
    leaves = {tag: _leaf(1, tag, f"{{{tag}}}") for tag in ("folder", "filename", "segmented")}
    nodes = {tag: f"{{{tag}}}" for tag in ("source", "size", "object")}
    nodes |= {"owner": "{owner}"} if has_owner else {}
    return f"<annotation>\n{_in_order(leaves | nodes, style.image)}</annotation>\n"


def _check_all_or_none(tag: str, carries: list[bool]) -> None:
    if any(carries) and not all(carries):
        raise UnwritableError(f"expected <{tag}> in all objects of a file or in none")


def _source(source: VocSource | None, style: VocStyle) -> str:
    source = _required("source", source)
    return _source_text(source.database, source.annotation, source.image, source.flickrid, style)


@lru_cache(MOST_TEXTS)
def _source_text(
    database: str | None,
    annotation: str | None,
    image: str | None,
    flickrid: str | None,
    style: VocStyle,
) -> str:
    children = {
        "database": _leaf(2, "database", _text("source/database", database)),
        "annotation": _leaf(2, "annotation", _text("source/annotation", annotation)),
        "image": _leaf(2, "image", _text("source/image", image)),
    }
    if flickrid is not None:
        children["flickrid"] = _leaf(2, "flickrid", _text("source/flickrid", flickrid))
    return _node(1, "source", _in_order(children, style.source))


def _owner(owner: VocOwner, style: VocStyle) -> str:
    given = {"flickrid": owner.flickrid, "name": owner.name}
    children = {
        tag: _leaf(2, tag, _text(f"owner/{tag}", text))
        for tag, text in given.items()
        if text is not None
    }
    return _node(1, "owner", _in_order(children, style.owner))


@lru_cache(MOST_TEXTS)
def _size(size: VocSize, style: VocStyle) -> str:
    children = {
        "width": _leaf(2, "width", _number(size.width)),
        "height": _leaf(2, "height", _number(size.height)),
        "depth": _leaf(2, "depth", _number(_required("size/depth", size.depth))),
    }
    return _node(1, "size", _in_order(children, style.size))


def _object(item: VocObject, style: VocStyle) -> str:
    box, point = item.box, item.point
    has = (item.pose, item.truncated, item.occluded, item.difficult, item.actions, point)
    template, in_order = _object_template(style, tuple([it is not None for it in has]))
    return template % in_order(
        (
            _word("object/name", item.name),
            _number(box.xmin),
            _number(box.ymin),
            _number(box.xmax),
            _number(box.ymax),
            "".join([_part(part, style) for part in item.parts]) if item.parts else "",
            None if item.pose is None else _text("object/pose", item.pose),
            _flag(item.truncated),
            _flag(item.occluded),
            _flag(item.difficult),
            None if item.actions is None else _actions(item.actions),
            None if point is None else _number(point.x),
            None if point is None else _number(point.y),
        )
    )


@lru_cache
def _object_template(
    style: VocStyle, has: tuple[bool, ...]
) -> tuple[str, Callable[[tuple[object, ...]], tuple[object, ...]]]:
    """An object's text with a %s for each value of `_object`, and what puts those into its order.

    `has` says which of _OPTIONAL there are.
    """
    given = dict(zip(_OPTIONAL, has, strict=True))
    children = {
        "name": _leaf(2, "name", "{name}"),
        "bndbox": _node(2, "bndbox", "".join(_leaf(3, it, f"{{{it}}}") for it in style.box)),
        "part": "{part}",
    }
    for tag in ("pose", *_FLAGS):
        if given[tag]:
            children[tag] = _leaf(2, tag, f"{{{tag}}}")
    if given["actions"]:
        children["actions"] = "{actions}"
    if given["point"]:
        leaves = "".join(_leaf(3, it, f"{{{it}}}") for it in style.point)
        children["point"] = _node(2, "point", leaves)
    text = f"\t<object>\n{_in_order(children, style.object)}\t</object>\n"
    places = [_VALUES.index(tag) for tag in _BRACES.findall(text)]
    return _BRACES.sub("%s", text), itemgetter(*places)


_BRACES = re.compile(r"\{(\w+)\}")
_VALUES = (
    "name",
    "xmin",
    "ymin",
    "xmax",
    "ymax",
    "part",
    "pose",
    "truncated",
    "occluded",
    "difficult",
    "actions",
    "x",
    "y",
)
_FLAGS = ("truncated", "occluded", "difficult")
_OPTIONAL = ("pose", *_FLAGS, "actions", "point")


def _actions(actions: Iterable[VocAction]) -> str:
    ordered = sorted(actions, key=lambda action: action.name)
    leaves = [_leaf(3, _tag(it.name), _flag(it.is_performed)) for it in ordered]
    return _node(2, "actions", "".join(leaves))


def _part(part: VocPart, style: VocStyle) -> str:
    children = {
        "name": _leaf(3, "name", _word("part/name", part.name)),
        "bndbox": _box(3, part.box, style),
    }
    return _node(2, "part", _in_order(children, style.part))


def _box(level: int, box: VocBox, style: VocStyle) -> str:
    values = {"xmin": box.xmin, "ymin": box.ymin, "xmax": box.xmax, "ymax": box.ymax}
    leaves = [_leaf(level + 1, tag, _number(values[tag])) for tag in style.box]
    return _node(level, "bndbox", "".join(leaves))


def _leaf(level: int, tag: str, content: str) -> str:
    return f"{_INDENTS[level]}<{tag}>{content}</{tag}>\n"


def _node(level: int, tag: str, children: str) -> str:
    indent = _INDENTS[level]
    return f"{indent}<{tag}>\n{children}{indent}</{tag}>\n"


_INDENTS = ("", "\t", "\t\t", "\t\t\t", "\t\t\t\t")


def _in_order(children: Mapping[str, str], order: Iterable[str]) -> str:
    return "".join([children[tag] for tag in order if tag in children])


def _required(tag: str, value: T | None) -> T:
    if value is None:
        raise UnwritableError(f"expected <{tag}>, which the kit requires")
    return value


@lru_cache(MOST_TEXTS)
def _text(tag: str, text: str | None) -> str:
    text = _required(tag, text)
    if not is_plain_text(text):
        raise UnwritableError(
            f"expected in <{tag}> a text without <, > and &, with single blanks, got {text!r}"
        )
    return text


@lru_cache(MOST_TEXTS)
def _word(tag: str, text: str) -> str:
    if not is_word(text):
        raise UnwritableError(f"expected in <{tag}> one word without white space, got {text!r}")
    return text


@lru_cache(MOST_TEXTS)
def _tag(text: str) -> str:
    if not is_tag(text):
        raise UnwritableError(f"expected an action's name that can be a tag, got {text!r}")
    return text


def _flag(value: bool | None) -> str:
    return "1" if value else "0"


def _number(value: Number) -> str:
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise UnwritableError(f"expected a finite number, got {value}")
    return str(int(value)) if value == int(value) else repr(value)
