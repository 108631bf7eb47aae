"""Annotations that are written as VOC's own are, read at once, four times as fast.

Files of any other form are for `read_annotation`, which also tells what is wrong with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from . import records

_TOKEN = re.compile(r"<(/?)([A-Za-z_]\w*)>([^<>&]*)(</\2>[\n\t ]*(?=<))?", re.ASCII)
"""A tag and the text behind it, up to the end of an element without any below it."""
_TOKENS = re.compile(r"(?:</?[A-Za-z_]\w*>[^<>&]*)+", re.ASCII)
_ODD = re.compile("[^\n\t -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_INTEGERS = re.compile("(?:(?:[1-9][0-9]{0,5}|0)(?:<(?!$)|$))+")
_FLAGS = {"0": False, "1": True}
_HAS_CHILDREN = frozenset(
    ("source", "owner", "size", "object", "bndbox", "part", "actions", "point")
)
_SEVERAL = frozenset(("object", "part"))
_BOX = ("xmin", "ymin", "xmax", "ymax")
Element = dict[str, Any]
"""The texts and elements below an element by their tags; lists of objects and of parts."""


class _OtherForm(Exception):
    """The file is not written as VOC's own are."""


def read_plain(data: bytes) -> records.VocImage | None:
    """The record of a file of which `read_annotation` gives the same; None for any other form.

    Plain files are UTF-8 without attributes, entities, comments and declarations; each element is
    there once, but for objects and parts; flags are 0 or 1, sides are whole numbers.
    """
    try:
        return _make_image(_parse(data.decode()))
    except (UnicodeDecodeError, _OtherForm):
        return None


def _parse(text: str) -> Element:
    """What is below the root."""
    text = text.strip("\n\t ")
    if not _TOKENS.fullmatch(text) or _ODD.search(text):
        raise _OtherForm
    root: Element = {}
    element = root
    above: list[tuple[str, Element]] = []
    for slash, tag, rest, end in _TOKEN.findall(text):
        if end and not slash and above and tag not in _HAS_CHILDREN:
            value = rest.strip()
            if not value or tag in element:
                raise _OtherForm
            element[tag] = value
        elif end or rest.strip("\n\t "):
            raise _OtherForm
        elif slash:
            if not above or above[-1][0] != tag:
                raise _OtherForm
            element = above.pop()[1]
        else:
            above.append((tag, element))
            element = _add_element(element, tag, is_root=len(above) == 1)
    if above or root.keys() != {"annotation"}:
        raise _OtherForm
    whole: Element = root["annotation"]
    return whole


def _add_element(parent: Element, tag: str, *, is_root: bool) -> Element:
    """A new element below the parent, which may have children."""
    if not (is_root or tag in _HAS_CHILDREN):
        raise _OtherForm
    element: Element = {}
    if tag in _SEVERAL:
        parent.setdefault(tag, []).append(element)
    elif tag in parent:
        raise _OtherForm
    else:
        parent[tag] = element
    return element


def _make_image(root: Element) -> records.VocImage:
    source = owner = size = None
    if "source" in root:
        source = records.VocSource(
            **_take_texts(root["source"], ("database", "annotation", "image", "flickrid"))
        )
    if "owner" in root:
        owner = records.VocOwner(**_take_texts(root["owner"], ("flickrid", "name")))
    if "size" in root:
        width, height, depth = _take_numbers(root["size"], ("width", "height", "depth"))
        size = records.VocSize(width, height, depth)
    return records.VocImage(
        _take_text(root, "filename"),
        tuple(_make_object(element) for element in root.get("object", ())),
        root.get("folder"),
        source,
        owner,
        size,
        _take_flag(root, "segmented"),
    )


def _make_object(element: Element) -> records.VocObject:
    actions = point = None
    if "actions" in element:
        inner = element["actions"]
        actions = tuple(records.VocAction(tag, _read_flag(inner, tag)) for tag in sorted(inner))
    if "point" in element:
        point = records.VocPoint(*_take_numbers(element["point"], ("x", "y")))
    return records.VocObject(
        _take_text(element, "name"),
        _make_box(element),
        element.get("pose"),
        _take_flag(element, "truncated"),
        _take_flag(element, "occluded"),
        _take_flag(element, "difficult"),
        tuple(
            records.VocPart(_take_text(part, "name"), _make_box(part))
            for part in element.get("part", ())
        ),
        actions,
        point,
    )


def _make_box(element: Element) -> records.VocBox:
    if "bndbox" not in element:
        raise _OtherForm
    return records.VocBox(*_take_numbers(element["bndbox"], _BOX))


def _take_numbers(element: Element, tags: Iterable[str]) -> list[int]:
    texts = [element.get(tag, "") for tag in tags]
    if not _INTEGERS.fullmatch("<".join(texts)):
        raise _OtherForm
    return list(map(int, texts))


def _take_text(element: Element, tag: str) -> str:
    if tag not in element:
        raise _OtherForm
    text: str = element[tag]
    return text


def _take_texts(element: Element, tags: Iterable[str]) -> dict[str, str]:
    return {tag: element[tag] for tag in tags if tag in element}


def _take_flag(element: Element, tag: str) -> bool | None:
    return _read_flag(element, tag) if tag in element else None


def _read_flag(element: Element, tag: str) -> bool:
    text = element[tag]
    if not isinstance(text, str) or text not in _FLAGS:
        raise _OtherForm
    return _FLAGS[text]
