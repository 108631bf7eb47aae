"""A JSON document read element by element, so that memory does not grow with the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

_CHUNK = 1 << 20
MOST_CHARS = 20_000_000
"""Of one value; a longer one is refused before it fills the memory."""


class JsonFault(Exception):
    """The document cannot be read; the message says what is wrong with it and where."""


class Element(NamedTuple):
    """An element of an array of the document, and its text; or another value of a key."""

    key: str
    value: Any
    text: str


def iterate_elements(path: Path, keys: Collection[str]) -> Iterator[Element]:
    """The elements of the arrays that a document has under these keys, in the file's order.

    A value that is no array comes as it is. Raises JsonFault.
    """
    with _opened(path) as text:
        yield from _iterate(text, keys)


def iterate_rows(path: Path, advance: Callable[[int], None] | None = None) -> Iterator[Any]:
    """The elements of a document that is one array; raises JsonFault.

    `advance` is told how many more characters were read.
    """
    with _opened(path, advance) as text:
        yield from _iterate_values(text)
        if text.peek():
            raise text.fault("expected the end of the file")


@contextmanager
def _opened(path: Path, advance: Callable[[int], None] | None = None) -> Iterator[_Text]:
    """The text of the file; raises JsonFault where it cannot be read."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield _Text(file, advance)
    except UnicodeDecodeError as error:
        raise JsonFault(f"it is not UTF-8 ({error.reason})") from error
    except OSError as error:
        raise JsonFault(f"it cannot be read: {error.strerror or error}") from error


def _iterate(text: _Text, keys: Collection[str]) -> Iterator[Element]:
    text.expect("{")
    while text.peek() != "}":
        key = text.take()[0]
        if not isinstance(key, str):
            raise text.fault("expected the name of a key")
        text.expect(":")
        values = _iterate_array(text) if text.peek() == "[" else iter([text.take()])
        yield from (Element(key, *pair) for pair in values if key in keys)
        if text.peek() != ",":
            break
        text.expect(",")
    text.expect("}")
    if text.peek():
        raise text.fault("expected the end of the file")


def _iterate_array(text: _Text) -> Iterator[tuple[Any, str]]:
    text.expect("[")
    while text.peek() != "]":
        yield text.take()
        if text.peek() != ",":
            break
        text.expect(",")
    text.expect("]")


def _iterate_values(text: _Text) -> Iterator[Any]:
    """The elements of an array; a batch of objects is read at once, twice as fast as one by one."""
    text.expect("[")
    while text.peek() != "]":
        values = text.take_objects()
        yield from values or [text.take()[0]]
        if text.peek() != ",":
            break
        text.expect(",")
    text.expect("]")


class _Text:
    """A part of the file's text, and how far it is read."""

    def __init__(self, file: TextIO, advance: Callable[[int], None] | None = None) -> None:
        self._file = file
        self._advance = advance
        self._part = ""
        self._place = 0
        self._before = 0  # characters of the file before the part
        self._is_end = False
        self._is_tried = False  # for all objects at once
        self._decode = json.JSONDecoder().raw_decode

    def peek(self) -> str:
        """The next character that is no white space; empty at the end of the file."""
        while True:
            while self._place < len(self._part):
                if self._part[self._place] not in " \t\r\n":
                    return self._part[self._place]
                self._place += 1
            if self._is_end:
                return ""
            self._fill()

    def expect(self, character: str) -> None:
        """Go past this character; raises JsonFault where another one stands there."""
        if self.peek() != character:
            raise self.fault(f"expected {character!r}")
        self._place += 1

    def take(self) -> tuple[Any, str]:
        """The next value and its text; raises JsonFault."""
        self.peek()
        while True:
            try:
                value, end = self._decode(self._part, self._place)
                if end < len(self._part) or self._is_end:  # a number may go on
                    text = self._part[self._place : end]
                    self._place = end
                    return value, text
            except (ValueError, RecursionError) as error:
                if self._is_end or isinstance(error, RecursionError):
                    raise self._find_fault(error) from error
            if len(self._part) - self._place > MOST_CHARS:
                raise self.fault(f"expected a value of at most {MOST_CHARS:,} characters")
            self._fill()

    def take_objects(self) -> list[Any]:
        """The elements of an array that the part holds whole; none where that cannot be told.

        They end before the last comma after a brace, unless that is inside one of them: then the
        text up to it is no array, and this part is read one by one.
        """
        end = 0 if self._is_tried else self._part.rfind("},", self._place) + 1
        self._is_tried = True
        if end == 0:
            return []
        try:
            values: list[Any] = json.loads(f"[{self._part[self._place : end]}]")
        except (ValueError, RecursionError):
            return []
        self._place = end
        return values

    def fault(self, message: str) -> JsonFault:
        """What is wrong, with the place; a file that ends there is cut off."""
        if not self.peek():
            return self._cut_off()
        place = self._before + self._place
        shown = self._part[self._place : self._place + 20]
        return JsonFault(f"character {place + 1:,}: {message}, got {shown!r}")

    def _find_fault(self, error: Exception) -> JsonFault:
        """What is wrong with the next value, of which the file's last character is read."""
        if isinstance(error, json.JSONDecodeError):
            is_open = error.msg.startswith("Unterminated") or error.pos >= len(self._part.rstrip())
            if is_open:
                return self._cut_off()
            self._place = error.pos
        return self.fault("expected a value of JSON")

    def _cut_off(self) -> JsonFault:
        length = self._before + len(self._part)
        return JsonFault(f"it is cut off: it ends after {length:,} characters")

    def _fill(self) -> None:
        """Read more, at least as much as is left, so that a long value is not tried too often."""
        rest = self._part[self._place :]
        more = self._file.read(max(_CHUNK, len(rest)))
        if self._advance is not None:
            self._advance(len(more))
        self._before += self._place
        self._place = 0
        self._part = rest + more
        self._is_end = not more
        self._is_tried = False
