"""The children of one element, read as what they should be, and the elements that are VOC's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .nodes import Node, NotXmlError, parse_nodes
from .records import Number, Remarks
from .text import is_integer_text, parse_number

_TRUE_WORDS = ("true", "yes")


@dataclass(frozen=True)
class Element:
    """A node whose children are read by tag; what is wrong goes to the remarks."""

    node: Node
    remarks: Remarks

    def child(self, tag: str, *, is_required: bool = False) -> Node | None:
        """The child of that tag, or None; the first where there are several."""
        found = [it for it in self.node.children if it.tag == tag]
        if not found and is_required:
            message = f"expected <{tag}> in <{self.node.tag}>, which the development kit requires"
            self.remarks.add(self.node.line, "required", message)
        if len(found) > 1:
            message = f"expected one <{tag}> in <{self.node.tag}>, got {len(found)}"
            self.remarks.add(found[1].line, "repeated", message)
        return found[0] if found else None

    def element(self, tag: str, *, is_required: bool = False) -> Element | None:
        """The child of that tag, whose children are read by tag too, or None."""
        child = self.child(tag, is_required=is_required)
        return None if child is None else Element(child, self.remarks)

    def text(self, tag: str, *, is_required: bool = False) -> str | None:
        """The trimmed text of the child, None where there is none or it is empty."""
        child = self.child(tag, is_required=is_required)
        if child is None:
            return None
        if not child.text:
            self.remarks.add(child.line, "empty", f"expected a text in <{tag}>")
        return child.text or None

    def word(self, tag: str, *, is_required: bool = False) -> str | None:
        """The text of the child, which should be one word."""
        text = self.text(tag, is_required=is_required)
        if text is not None and len(text.split()) > 1:
            line = self._line(tag)
            self.remarks.add(line, "white-space", f"expected no white space in <{tag}>: {text!r}")
        return text

    def number(self, tag: str) -> Number | None:
        """The number in the child, which is required and should be an integer."""
        text = self.text(tag, is_required=True)
        if text is None:
            return None
        value = parse_number(text)
        if value is None:
            self.remarks.add(self._line(tag), "number", f"expected a number in <{tag}>: {text!r}")
        elif not is_integer_text(text):
            message = f"expected an integer in <{tag}>, since many readers take no other: {text!r}"
            self.remarks.add(self._line(tag), "integer", message)
        return value

    def flag(self, tag: str, *, is_required: bool = False) -> bool | None:
        """Whether the child says yes, None where it does not say.

        The development kit takes exactly `1` for yes; words of other programs are understood.
        """
        text = self.text(tag, is_required=is_required)
        if text is None or text in ("0", "1"):
            return None if text is None else text == "1"
        self.remarks.add(self._line(tag), "flag", f"expected 0 or 1 in <{tag}>, got {text!r}")
        return text.casefold() in _TRUE_WORDS

    def _line(self, tag: str) -> int:
        child = self.node.find(tag)
        return self.node.line if child is None else child.line


Elements = dict[str, Any]
_BOX: Elements = {tag: {} for tag in ("xmin", "ymin", "xmax", "ymax")}
_ELEMENTS: Elements = {
    **{tag: {} for tag in ("folder", "filename", "segmented")},
    "source": {tag: {} for tag in ("database", "annotation", "image", "flickrid")},
    "owner": {"flickrid": {}, "name": {}},
    "size": {"width": {}, "height": {}, "depth": {}},
    "object": {
        **{tag: {} for tag in ("name", "pose", "truncated", "occluded", "difficult")},
        "bndbox": _BOX,
        "part": {"name": {}, "bndbox": _BOX},
        "point": {"x": {}, "y": {}},
        "actions": None,  # whose children are the actions
    },
}
"""The elements that the releases of any year have, each with those in it."""


def find_unknown_elements(data: bytes) -> list[tuple[int, str]]:
    """The line and the path below the root of every element that no year's releases have."""
    try:
        return list(_iterate_unknown(parse_nodes(data), _ELEMENTS, ""))
    except NotXmlError:
        return []


def _iterate_unknown(node: Node, known: Elements | None, above: str) -> Iterator[tuple[int, str]]:
    if known is None:
        return
    for child in node.children:
        if child.tag not in known:
            yield child.line, f"{above}{child.tag}"
        else:
            yield from _iterate_unknown(child, known[child.tag], f"{above}{child.tag}/")
