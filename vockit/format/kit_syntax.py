"""The syntax that the development kit's reader needs, which is far less than XML.

The reader deletes TAB, LF and CR, and then requires tags to touch, or one text between a tag and
its own end tag. It knows no declaration, attribute, comment, CDATA, entity or self-closing tag.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from .records import NO_BOM, Remark
from .text import is_tag

_CONSTRUCTS = {
    "xml-declaration": re.compile(r"<\?.*?(\?>|\Z)", re.DOTALL),
    "comment": re.compile(r"<!--.*?(-->|\Z)", re.DOTALL),
    "cdata": re.compile(r"<!\[CDATA\[.*?(\]\]>|\Z)", re.DOTALL),
    "doctype": re.compile(r"<![A-Z][^<>]*(>|\Z)"),
}
_PLAIN_LINES = re.compile(
    r"(?:\t*(?:</?[A-Za-z][A-Za-z0-9_]{0,62}>|<([A-Za-z][A-Za-z0-9_]{0,62})>[^<&\t\n\r]*</\1>)\r?\n)*"
)
_PIECE = re.compile(r"<([^<>]++)>([^<]*+)</\1>|<([^<>]*)>|[^<]+|<")
"""A tag with a text and its own end tag, another tag, or a text between tags."""
_ENTITY = re.compile(r"&[^;\s]*;?")
_LINE = re.compile(r"(\t*)<(/?)([^<>/]+)>([^<]*</\3>)?")
_LAYOUT = "\t\n\r"


def find_kit_remarks(data: bytes) -> list[Remark]:
    """One remark for each rule that a file breaks; without any the kit reads it as parsers do."""
    firsts: dict[str, Remark] = {}
    counts: Counter[str] = Counter()
    for remark in _find_all(data):  # of which a hostile file may have millions
        firsts.setdefault(remark.rule, remark)
        counts[remark.rule] += 1
    for rule, first in firsts.items():
        if more := counts[rule] - 1:
            firsts[rule] = Remark(first.line, rule, f"{first.message}; {more} more in this file")
    return sorted(firsts.values())


def _find_all(data: bytes) -> Iterator[Remark]:
    if data.startswith(codecs.BOM_UTF8):
        yield Remark(1, "bom", NO_BOM)
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("latin-1")
        line = text.count("\n", 0, error.start) + 1
        yield Remark(line, "encoding", "expected ASCII or UTF-8")
    lines = text.removesuffix("\n").split("\n")
    if not text.endswith("\n"):
        yield Remark(len(lines), "final-newline", "expected a line end after the last line")
    for number, content in enumerate(lines, start=1):
        if not content.strip():
            yield Remark(number, "blank-line", "expected no blank line")
    remarks = list(_find_in_syntax(text))
    yield from remarks or _find_in_indentation(lines)


def _find_in_syntax(text: str) -> Iterator[Remark]:
    if _PLAIN_LINES.fullmatch(text):  # as nearly all files are, at a tenth of the time
        return
    for rule, construct in _CONSTRUCTS.items():
        for line, match in _with_lines(text, construct.finditer(text)):
            yield Remark(line, rule, _expected_tags(match[0]))
        text = construct.sub(lambda match: "\n" * match[0].count("\n"), text)
    for line, match in _with_lines(text, _PIECE.finditer(text)):
        leaf, inside, tag = match.groups()
        if tag is not None:
            yield from _find_in_tag(line, tag)
        elif leaf is None:
            yield from _find_between_tags(line, match[0])
        else:
            yield from _find_in_tag(line, leaf)
            yield from _find_in_tag(line, f"/{leaf}")
            yield from _find_in_text(line + leaf.count("\n"), inside.strip())


def _find_between_tags(line: int, piece: str) -> Iterator[Remark]:
    """Between tags are only tabs and line ends; the piece begins on that line."""
    rest = piece.lstrip(_LAYOUT)
    if rest and rest.isspace():
        line += piece.removesuffix(rest).count("\n")
        message = "expected only tabs and line ends between tags, got blanks, at which the "
        yield Remark(line, "space-between-tags", f"{message}development kit stops")
    elif rest:
        yield Remark(line, "text-between-tags", _expected_tags(piece.strip()))


def _find_in_text(line: int, text: str) -> Iterator[Remark]:
    """The text of an element is one line without entities."""
    for entity in _ENTITY.findall(text):
        message = f"expected no &, since the development kit does not decode {entity!r}"
        yield Remark(line, "entity", message)
    if any(char in text for char in _LAYOUT):
        message = f"expected one line of text, since the development kit joins {text!r}"
        yield Remark(line, "line-break-in-text", message)


def _with_lines(text: str, matches: Iterable[re.Match[str]]) -> Iterator[tuple[int, re.Match[str]]]:
    """Each match and the line that it begins on; every line end is counted once."""
    line = 1
    place = 0
    for match in matches:
        line += text.count("\n", place, match.start())
        place = match.start()
        yield line, match


def _expected_tags(piece: str) -> str:
    shown = piece if len(piece) <= 40 else f"{piece[:40]}..."
    return f"expected plain tags, which are all that the development kit reads, got {shown!r}"


def _find_in_tag(line: int, tag: str) -> Iterator[Remark]:
    if not is_tag(tag.removeprefix("/")):
        is_closed = tag.endswith("/")
        has_attribute = "=" in tag
        rule = "self-closing" if is_closed else "attribute" if has_attribute else "tag-name"
        yield Remark(line, rule, _expected_tags(f"<{tag}>"))


def _find_in_indentation(lines: list[str]) -> Iterator[Remark]:
    """The first line that is not one element, a tab for each level in."""
    level = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line.removesuffix("\r"))
        level -= bool(match and match[2])
        if match is None or len(match[1]) != level:
            message = f"expected one element on a line, {level} tabs in, got {line[:60]!r}"
            yield Remark(number, "indentation", message)
            return
        level += not match[2] and not match[4]
