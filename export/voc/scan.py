"""Annotation files exactly as releases write them, read by one pattern for each style.

A file that differs in anything, or of which there is anything to remark, is left to the careful
reader; so this one gives what that one gives, in a tenth of the time, or nothing. The other way
round, writing the record in the style of the pattern gives the file, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .read_object import EXCLUSIVE_ACTION, PERSON_PARTS, POSES
from .records import (
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocOwner,
    VocPart,
    VocPoint,
    VocSize,
    VocSource,
)
from .styles import STYLE_2007, STYLE_2008, STYLE_2012, VocStyle

_WORD = "([!-%'-;=?-~]+)"
_TEXT = f"({_WORD[1:-1]}(?: {_WORD[1:-1]})*)"
_NUMBER = "(0|[1-9][0-9]{0,8})"
_FLAG = "([01])"
_POSE = f"({'|'.join(POSES)})"
_BOX_TAGS = ("xmin", "ymin", "xmax", "ymax")
_TAGS = (
    *("name", "pose", "truncated", "occluded", "difficult"),
    *(*_BOX_TAGS, "parts", "actions", "x", "y"),
)
_ACTION = re.compile(r"\t\t\t<([A-Za-z][A-Za-z0-9_]{0,62})>([01])</\1>\n")


@dataclass(frozen=True)
class Scan:
    """The record of a file with nothing to remark, and the style that it is written in."""

    image: VocImage
    style: VocStyle


def scan_annotation(data: bytes) -> Scan | None:
    """The file's record, or None where the careful reader has to look at it."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        return None
    for pattern in _candidates(text):
        found = _scan(text, pattern)
        if found is not None:
            return found
    return None


@dataclass(frozen=True)
class _Pattern:
    """The patterns of a style: what stands before the objects, one object, what stands after.

    `places` are the numbers of the groups of _TAGS in the pattern of an object.
    """

    style: VocStyle
    head: re.Pattern[str]
    object: re.Pattern[str]
    places: tuple[int, ...]
    tail: re.Pattern[str]
    part: re.Pattern[str]


def _candidates(text: str) -> tuple[_Pattern, ...]:
    """The styles that the file's beginning allows."""
    if text.startswith("<annotation>\n\t<folder>"):
        return _patterns()[:2]
    return _patterns()[2:] if text.startswith("<annotation>\n\t<filename>") else ()


@lru_cache(maxsize=1)
def _patterns() -> tuple[_Pattern, ...]:
    return tuple(_compile(style) for style in (STYLE_2007, STYLE_2008, STYLE_2012))


def _compile(style: VocStyle) -> _Pattern:
    place = style.image.index("object")
    part = "".join(_part_pieces(style, named=True))
    item = re.compile("".join(_object_pieces(style)))
    return _Pattern(
        style=style,
        head=re.compile("<annotation>\n" + "".join(_root_pieces(style, style.image[:place]))),
        object=item,
        places=tuple(item.groupindex[tag] for tag in _TAGS),
        tail=re.compile("".join(_root_pieces(style, style.image[place + 1 :])) + "</annotation>\n"),
        part=re.compile(part),
    )


def _root_pieces(style: VocStyle, tags: Iterable[str]) -> Iterator[str]:
    for tag in tags:
        match tag:
            case "folder" | "filename":
                yield _leaf(1, tag, _WORD, tag)
            case "segmented":
                yield _leaf(1, tag, _FLAG, tag)
            case "size":
                yield _node(1, tag, (_leaf(2, it, _NUMBER, it) for it in style.size))
            case "owner":
                leaves = (_leaf(2, it, _TEXT, f"owner_{it}") for it in style.owner)
                yield f"(?:{_node(1, tag, leaves)})?"
            case _:
                yield _node(1, tag, (_source_leaf(it) for it in style.source))


def _source_leaf(tag: str) -> str:
    leaf = _leaf(2, tag, _TEXT, f"source_{tag}")
    return f"(?:{leaf})?" if tag == "flickrid" else leaf


def _object_pieces(style: VocStyle) -> Iterator[str]:
    yield "\t<object>\n"
    for tag in style.object:
        match tag:
            case "name":
                yield _leaf(2, tag, _WORD, tag)
            case "pose":
                yield f"(?:{_leaf(2, tag, _POSE, tag)})?"
            case "bndbox":
                yield _node(2, tag, (_leaf(3, it, _NUMBER, it) for it in style.box))
            case "part":
                yield f"(?P<parts>(?:{''.join(_part_pieces(style, named=False))})*)"
            case "actions":
                actions = r"(?:\t\t\t<[A-Za-z][A-Za-z0-9_]*>[01]</[A-Za-z][A-Za-z0-9_]*>\n)+"
                yield rf"(?:\t\t<actions>\n(?P<actions>{actions})\t\t</actions>\n)?"
            case "point":
                leaves = (_leaf(3, it, _NUMBER, it) for it in style.point)
                yield f"(?:{_node(2, tag, leaves)})?"
            case _:
                yield f"(?:{_leaf(2, tag, _FLAG, tag)})?"
    yield "\t</object>\n"


def _part_pieces(style: VocStyle, *, named: bool) -> Iterator[str]:
    def name(tag: str) -> str:
        return tag if named else ""

    yield "\t\t<part>\n"
    yield _leaf(3, "name", _WORD, name("name"))
    yield _node(3, "bndbox", (_leaf(4, it, _NUMBER, name(it)) for it in style.box))
    yield "\t\t</part>\n"


def _leaf(level: int, tag: str, content: str, name: str) -> str:
    inner = f"(?P<{name}>{content[1:]}" if name else f"(?:{content[1:]}"
    return f"{chr(9) * level}<{tag}>{inner}</{tag}>\n"


def _node(level: int, tag: str, leaves: Iterable[str]) -> str:
    indent = "\t" * level
    return f"{indent}<{tag}>\n{''.join(leaves)}{indent}</{tag}>\n"


def _scan(text: str, pattern: _Pattern) -> Scan | None:
    head = pattern.head.match(text)
    if head is None:
        return None
    found: list[re.Match[str]] = []
    place = head.end()
    while (match := pattern.object.match(text, place)) is not None:
        found.append(match)
        place = match.end()
    tail = pattern.tail.fullmatch(text, place)
    if not found or tail is None:
        return None
    said = {**head.groupdict(), **tail.groupdict()}
    size = _make_size(said["width"], said["height"], said["depth"])
    objects = [_make_object(match.group(*pattern.places), pattern, size) for match in found]
    whole = [item for item in objects if item is not None]
    with_actions = sum([item.actions is not None for item in whole])
    with_point = sum([item.point is not None for item in whole])
    count = len(found)
    if len(whole) < count or with_actions not in (0, count) or with_point not in (0, count):
        return None
    image = VocImage(
        said["filename"],
        tuple(whole),
        said["folder"],
        _make_source(
            said["source_database"],
            said["source_annotation"],
            said["source_image"],
            said["source_flickrid"],
        ),
        VocOwner(said["owner_flickrid"], said["owner_name"]) if said["owner_name"] else None,
        size,
        said["segmented"] == "1",
    )
    return Scan(image, pattern.style)


_make_source = lru_cache(maxsize=1_000)(VocSource)
"""Nearly all files of a release say the same."""


@lru_cache(maxsize=1_000)
def _make_size(width: str, height: str, depth: str) -> VocSize:
    return VocSize(int(width), int(height), int(depth))


def _make_object(said: tuple[str | Any, ...], pattern: _Pattern, size: VocSize) -> VocObject | None:
    """The object of the texts of _TAGS."""
    name, pose, truncated, occluded, difficult, *xyxy, parts_text, actions_text, x, y = said
    box = _make_box(xyxy, size)
    parts = _make_parts(parts_text, pattern, size, name) if parts_text else ()
    actions = _make_actions(actions_text) if actions_text else None
    point = _make_point(x, y, size) if x else None
    if box is None or parts is None or actions == () or (x and point is None):
        return None
    return VocObject(
        name,
        box,
        pose,
        _FLAGS[truncated],
        _FLAGS[occluded],
        _FLAGS[difficult],
        parts,
        actions,
        point,
    )


_FLAGS = {None: None, "0": False, "1": True}


def _make_box(xyxy: Iterable[str], size: VocSize) -> VocBox | None:
    xmin, ymin, xmax, ymax = map(int, xyxy)
    if 1 <= xmin <= xmax <= size.width and 1 <= ymin <= ymax <= size.height:
        return VocBox(xmin, ymin, xmax, ymax)
    return None


def _make_point(x: str, y: str, size: VocSize) -> VocPoint | None:
    point = VocPoint(int(x), int(y))
    is_inside = 1 <= point.x <= size.width and 1 <= point.y <= size.height
    return point if is_inside else None


def _make_parts(
    text: str, pattern: _Pattern, size: VocSize, class_name: str
) -> tuple[VocPart, ...] | None:
    parts = []
    for match in pattern.part.finditer(text):
        box = _make_box(match.group(*_BOX_TAGS), size)
        if box is None:
            return None
        parts.append(VocPart(match["name"], box))
    if class_name == "person":
        names = [part.name for part in parts]
        if any(names.count(name) > PERSON_PARTS.get(name, 0) for name in names):
            return None
    return tuple(parts)


def _make_actions(text: str) -> tuple[VocAction, ...]:
    """The actions, nothing where they are not as they should be."""
    said = _ACTION.findall(text)
    flags = dict(said)
    if len(flags) != text.count("\n") or list(flags) != sorted(flags):
        return ()
    performed = [name for name, flag in flags.items() if flag == "1"]
    if EXCLUSIVE_ACTION in performed and len(performed) > 1:
        return ()
    return tuple(VocAction(name, flag == "1") for name, flag in flags.items())
