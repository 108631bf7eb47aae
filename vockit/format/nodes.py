"""XML of any writer as nodes that know their lines, safe with hostile files; VOC's elements."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from .records import Number, Remarks
from .text import is_integer_text, parse_number


class NotXmlError(ValueError):
    """The data are not XML, or XML that would be dangerous to read; `line` is from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class Node:
    """One element: its tag, the line of its start tag, its own trimmed text, its children."""

    tag: str
    line: int
    text: str = ""
    children: list[Node] = field(default_factory=list)

    def find(self, tag: str) -> Node | None:
        """The first child of that tag, or None."""
        return next(self.find_all(tag), None)

    def find_all(self, tag: str) -> Iterator[Node]:
        """The children of that tag, in the file's order."""
        return (child for child in self.children if child.tag == tag)


def parse_nodes(data: bytes) -> Node:
    """The root element; raises NotXmlError. Entities and document types are refused."""
    data, encoding = _decode_declared(data)
    parser = expat.ParserCreate(encoding)
    above = [Node("", 0)]
    texts = [list[str]()]  # joined at the end: a long text comes in pieces

    def start(tag: str, _attributes: dict[str, str]) -> None:
        node = Node(tag, parser.CurrentLineNumber)
        above[-1].children.append(node)
        above.append(node)
        texts.append([])

    def end(_tag: str) -> None:
        above.pop().text = "".join(texts.pop()).strip()

    def forbid(*_declared: object) -> None:
        raise NotXmlError(1, "a document type or an entity, which no annotation needs")

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: texts[-1].append(text)
    # before any entity is read, as defusedxml does: bombs and files of others need a document type
    for name in ("StartDoctypeDecl", "EntityDecl", "UnparsedEntityDecl", "ExternalEntityRef"):
        setattr(parser, f"{name}Handler", forbid)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise NotXmlError(error.lineno or 1, f"not XML: {message}") from error
    except NotXmlError:
        raise
    except (ValueError, LookupError) as error:
        raise NotXmlError(1, f"not XML: {error}") from error
    return above[0].children[0]


_DECLARED = re.compile(rb"""<\?xml[^>]{0,80}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_READ_BY_EXPAT = {"utf-8", "utf-16", "iso8859-1", "ascii"}


def _decode_declared(data: bytes) -> tuple[bytes, str | None]:
    """The data as UTF-8 where they declare an encoding that Python alone reads, and its name."""
    match = _DECLARED.match(data)
    if match is None:
        return data, None
    try:
        name = codecs.lookup(match[1].decode()).name
        if name in _READ_BY_EXPAT:
            return data, None
        return data.decode(name).encode(), "utf-8"
    except (LookupError, UnicodeError, ValueError) as error:
        raise NotXmlError(1, f"not XML in the encoding that it declares: {error}") from error


@dataclass(frozen=True)
class Element:
    """A node whose children are read by tag; what is wrong goes to the remarks."""

    node: Node
    remarks: Remarks

    def remark(self, rule: str, message: str, tag: str = "") -> None:
        """Add a remark, on the line of the first child of the tag where there is one."""
        place = self.node.find(tag) or self.node
        self.remarks.add(place.line, rule, message)

    def child(self, tag: str, *, is_required: bool = False) -> Node | None:
        """The child of that tag, or None; the first where there are several."""
        children = list(self.node.find_all(tag))
        where = f"<{tag}> in <{self.node.tag}>"
        if not children and is_required:
            self.remark("required", f"expected {where}, which the development kit requires")
        if len(children) > 1:
            message = f"expected one {where}, got {len(children)}"
            self.remarks.add(children[1].line, "repeated", message)
        return children[0] if children else None

    def element(self, tag: str, *, is_required: bool = False) -> Element | None:
        """The child of that tag, whose children are read by tag too, or None."""
        child = self.child(tag, is_required=is_required)
        return None if child is None else Element(child, self.remarks)

    def text(self, tag: str, *, is_required: bool = False) -> str | None:
        """The trimmed text of the child, None where there is none or it is empty."""
        child = self.child(tag, is_required=is_required)
        if child and not child.text:
            self.remark("empty", f"expected a text in <{tag}>", tag)
        return (child and child.text) or None

    def word(self, tag: str) -> str | None:
        """The text of the child, which is required and should be one word."""
        text = self.text(tag, is_required=True)
        if text and len(text.split()) > 1:
            self.remark("white-space", f"expected no white space in <{tag}>: {text!r}", tag)
        return text

    def number(self, tag: str) -> Number | None:
        """The number in the child, which is required and should be an integer."""
        text = self.text(tag, is_required=True)
        value = parse_number(text) if text else None
        if text and value is None:
            self.remark("number", f"expected a number in <{tag}>: {text!r}", tag)
        elif text and not is_integer_text(text):
            message = f"expected an integer in <{tag}>, since many readers take no other: {text!r}"
            self.remark("integer", message, tag)
        return value

    def numbers(self, *tags: str) -> list[Number] | None:
        """The numbers in these children, None unless each has one."""
        numbers = [value for tag in tags if (value := self.number(tag)) is not None]
        return numbers if len(numbers) == len(tags) else None

    def flag(self, tag: str, *, is_required: bool = False) -> bool | None:
        """Whether the child says yes, None where it does not say.

        The development kit takes exactly `1` for yes; of other programs words are understood, and
        a share between 0 and 1, as of an object that is cut off, is yes.
        """
        text = self.text(tag, is_required=is_required)
        if text is None:
            return None
        is_share = 0 < (parse_number(text) or 0) < 1
        is_set = is_share or text.casefold() in ("1", "true", "yes")
        if text not in ("0", "1"):
            message = f"expected 0 or 1 in <{tag}>, got {text!r}, which is read as {int(is_set)}"
            self.remark("flag", message, tag)
        return is_set


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


def iterate_unknown_elements(
    node: Node, known: Elements | None = _ELEMENTS, above: str = ""
) -> Iterator[tuple[int, str]]:
    """The line and the path below the root of every element that no year's releases have."""
    if known is None:
        return
    for child in node.children:
        if child.tag not in known:
            yield child.line, f"{above}{child.tag}"
        else:
            yield from iterate_unknown_elements(child, known[child.tag], f"{above}{child.tag}/")
