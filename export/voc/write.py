"""Annotation files: from a record to the XML text that the development kit reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeVar

from .records import Number, VocBox, VocImage, VocObject, VocOwner, VocPart, VocSize, VocSource
from .styles import STYLE_2012, VocStyle
from .text import is_plain_text, is_tag, is_word

T = TypeVar("T")
Element = tuple[str, "str | Sequence[Element]"]


class UnwritableError(ValueError):
    """A record holds what no annotation file can say; the message names the element."""


def format_annotation(image: VocImage, style: VocStyle = STYLE_2012) -> str:
    """The annotation file's text: tabs, LF, no declaration; reading it gives the record back.

    The default is the alphabetical order that releases have written since 2009. Raises
    UnwritableError where an element that the kit requires is missing, or a text is one that the kit
    and XML parsers would not read alike.
    """
    return "".join(_lines(("annotation", _image(image, style)), 0))


def _lines(element: Element, level: int) -> Iterator[str]:
    tag, content = element
    indent = "\t" * level
    if isinstance(content, str):
        yield f"{indent}<{tag}>{content}</{tag}>\n"
        return
    yield f"{indent}<{tag}>\n"
    for child in content:
        yield from _lines(child, level + 1)
    yield f"{indent}</{tag}>\n"


def _image(image: VocImage, style: VocStyle) -> list[Element]:
    if not image.objects:
        raise UnwritableError("expected at least one object; the kit cannot read a file with none")
    _check_all_or_none("actions", [item.actions is not None for item in image.objects])
    _check_all_or_none("point", [item.point is not None for item in image.objects])
    children: list[Element] = [
        ("folder", _text("folder", image.folder)),
        ("filename", _word("filename", image.filename)),
        ("source", _source(image.source, style)),
        ("size", _size(image.size, style)),
        ("segmented", _flag(_required("segmented", image.segmented))),
    ]
    if image.owner is not None:
        children.append(("owner", _owner(image.owner, style)))
    children += [("object", _object(item, style)) for item in image.objects]
    return _in_order(children, style.image)


def _check_all_or_none(tag: str, carries: list[bool]) -> None:
    if any(carries) and not all(carries):
        raise UnwritableError(f"expected <{tag}> in all objects of a file or in none")


def _source(source: VocSource | None, style: VocStyle) -> list[Element]:
    source = _required("source", source)
    children: list[Element] = [
        ("database", _text("source/database", source.database)),
        ("annotation", _text("source/annotation", source.annotation)),
        ("image", _text("source/image", source.image)),
    ]
    if source.flickrid is not None:
        children.append(("flickrid", _text("source/flickrid", source.flickrid)))
    return _in_order(children, style.source)


def _owner(owner: VocOwner, style: VocStyle) -> list[Element]:
    given = {"flickrid": owner.flickrid, "name": owner.name}
    children: list[Element] = [
        (tag, _text(f"owner/{tag}", text)) for tag, text in given.items() if text is not None
    ]
    return _in_order(children, style.owner)


def _size(size: VocSize | None, style: VocStyle) -> list[Element]:
    size = _required("size", size)
    children: list[Element] = [
        ("width", _number(size.width)),
        ("height", _number(size.height)),
        ("depth", _number(_required("size/depth", size.depth))),
    ]
    return _in_order(children, style.size)


def _object(item: VocObject, style: VocStyle) -> list[Element]:
    children: list[Element] = [("name", _word("object/name", item.name))]
    if item.pose is not None:
        children.append(("pose", _text("object/pose", item.pose)))
    children += [(tag, _flag(value)) for tag, value in _given_flags(item)]
    children.append(("bndbox", _box(item.box, style)))
    children += [("part", _part(part, style)) for part in item.parts]
    if item.actions is not None:
        actions = sorted(item.actions, key=lambda action: action.name)
        children.append(("actions", [(_tag(it.name), _flag(it.is_performed)) for it in actions]))
    if item.point is not None:
        point: list[Element] = [("x", _number(item.point.x)), ("y", _number(item.point.y))]
        children.append(("point", _in_order(point, style.point)))
    return _in_order(children, style.object)


def _given_flags(item: VocObject) -> Iterator[tuple[str, bool]]:
    flags = {
        "truncated": item.truncated,
        "occluded": item.occluded,
        "difficult": item.difficult,
    }
    return ((tag, value) for tag, value in flags.items() if value is not None)


def _part(part: VocPart, style: VocStyle) -> list[Element]:
    children: list[Element] = [
        ("name", _word("part/name", part.name)),
        ("bndbox", _box(part.box, style)),
    ]
    return _in_order(children, style.part)


def _box(box: VocBox, style: VocStyle) -> list[Element]:
    children: list[Element] = [
        ("xmin", _number(box.xmin)),
        ("ymin", _number(box.ymin)),
        ("xmax", _number(box.xmax)),
        ("ymax", _number(box.ymax)),
    ]
    return _in_order(children, style.box)


def _in_order(children: list[Element], order: tuple[str, ...]) -> list[Element]:
    return sorted(children, key=lambda child: order.index(child[0]))


def _required(tag: str, value: T | None) -> T:
    if value is None:
        raise UnwritableError(f"expected <{tag}>, which the kit requires")
    return value


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


def _flag(value: bool) -> str:
    return "1" if value else "0"


def _number(value: Number) -> str:
    if not math.isfinite(value):
        raise UnwritableError(f"expected a finite number, got {value}")
    return str(int(value)) if value == int(value) else repr(value)
