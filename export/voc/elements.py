"""The children of one element, read as what they should be, with a remark where they are not."""

from __future__ import annotations

from dataclasses import dataclass

from .nodes import Node
from .numbers import is_integer_text, parse_number
from .records import Number
from .remarks import Remarks

_TRUE_WORDS = ("true", "yes")


@dataclass(frozen=True)
class Element:
    """A node whose children are read by tag; what is wrong goes to the remarks."""

    node: Node
    remarks: Remarks

    def child(self, tag: str, *, is_required: bool = False) -> Node | None:
        """The child of that tag, or None; the first where there are several."""
        found = list(self.node.find_all(tag))
        if not found and is_required:
            message = f"expected <{tag}> in <{self.node.tag}>, which the development kit requires"
            self.remarks.add(self.node.line, "required", message)
        if len(found) > 1:
            message = f"expected one <{tag}> in <{self.node.tag}>, got {len(found)}"
            self.remarks.add(found[1].line, "repeated", message)
        return found[0] if found else None

    def element(self, tag: str, *, is_required: bool = False) -> Element | None:
        """The child of that tag with children of its own, or None."""
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
