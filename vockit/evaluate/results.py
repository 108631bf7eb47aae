"""Results files as participants write them: rows of text, label PNGs, layout XML."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from vockit.format.kit_syntax import find_kit_remarks
from vockit.format.nodes import Node, NotXmlError, parse_nodes
from vockit.format.text import split_mark

from .curves import Floats, Ints
from .errors import Problem
from .layout import PART_CLASSES, Box, LayoutResult, Part
from .truth import KIT_STOPS

COMPETITIONS = {
    "classification": ("comp1", "comp2"),
    "detection": ("comp3", "comp4"),
    "segmentation": ("comp5", "comp6"),
    "layout": ("comp7", "comp8"),
    "layout_2007": ("comp6", "comp7"),
    "action": ("comp9", "comp10", "comp11", "comp12"),
}
_NOT_PLAIN = re.compile("[\x00-\x08\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_PLAIN_BYTES = bytes({10, *range(32, 127)} - {ord("(")})
"""Of files that are read at once: without `(`, since pyarrow takes `nan(1)` for a number."""
_NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|infinity|nan)", re.ASCII | re.IGNORECASE
)
_SHAPES = {
    1: "<id> <confidence>",
    2: "<id> <object> <confidence>",
    5: "<id> <confidence> <left> <top> <right> <bottom>",
}


@dataclass(frozen=True)
class Rows:
    """The rows of a text file: lines from 1, first words, and numbers (n x columns)."""

    path: Path
    lines: Ints
    ids: list[str]
    numbers: Floats
    problems: list[Problem] = field(default_factory=list)


def read_rows(path: Path, columns: int) -> Rows:
    """The rows of an id and `columns` numbers, and problems; blank lines, CR, BOM are accepted."""
    try:
        data, encoding, _ = split_mark(path.read_bytes())
        text = data.decode(encoding)
    except OSError as error:
        return _no_rows(path, columns, 0, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _no_rows(path, columns, line, "expected text in ASCII or UTF-8")
    if (rows := _read_plain(path, text.encode(), columns)) is not None:
        return rows
    lines = text.split("\n")
    starts = range(0, len(lines), _BLOCK_LINES)
    blocks = (
        _read_block(path, lines[start : start + _BLOCK_LINES], start, columns) for start in starts
    )
    return _join_rows(path, list(blocks), columns)


_BLOCK_LINES = 4096
"""Of a file that is not as the kit writes it; only blocks with a bad row are read row by row."""


def _read_block(path: Path, lines: list[str], start: int, columns: int) -> Rows:
    """Some rows behind the first `start` lines: at once where all are good, else row by row.

    A bad row gives a problem.
    """
    rows = _read_plain(path, ("\n".join(lines) + "\n").encode(), columns)
    if rows is not None:
        return replace(rows, lines=rows.lines + start)
    numbered = [(number, line) for number, line in enumerate(lines, start + 1) if line.strip()]
    text = "\n".join(" ".join(line.split()) for _, line in numbered)
    rows = _read_plain(path, f"{text}\n".encode(), columns)
    if rows is None:
        return _read_carefully(path, numbered, columns)
    return replace(rows, lines=np.array([number for number, _ in numbered], np.int64))


def _join_rows(path: Path, blocks: list[Rows], columns: int) -> Rows:
    """The rows of all blocks of one file, in order."""
    return Rows(
        path=path,
        lines=np.concatenate([np.empty(0, np.int64), *(block.lines for block in blocks)]),
        ids=[name for block in blocks for name in block.ids],
        numbers=np.concatenate([np.empty((0, columns)), *(block.numbers for block in blocks)]),
        problems=[problem for block in blocks for problem in block.problems],
    )


def _read_plain(path: Path, data: bytes, columns: int) -> Rows | None:
    """The rows of a file as the kit writes it, at a tenth of the time; None for any other."""
    if not data or data.translate(None, _PLAIN_BYTES) or b"\n\n" in data or data[:1] == b"\n":
        return None
    try:
        import pyarrow
    except ModuleNotFoundError:  # the extra `fast`
        parsed = _parse_with_numpy(data.decode(), columns)
    else:
        parsed = _parse_with_arrow(pyarrow, data, columns)
    if parsed is None:
        return None
    ids, numbers = parsed
    return Rows(path, np.arange(1, len(numbers) + 1), ids, numbers)


def _parse_with_arrow(pyarrow: Any, data: bytes, columns: int) -> tuple[list[str], Floats] | None:
    """Ids and numbers (n x columns); None where a row has another form."""
    from pyarrow import csv

    names = [str(number) for number in range(columns + 1)]
    try:
        table = csv.read_csv(
            pyarrow.BufferReader(data),
            csv.ReadOptions(column_names=names, use_threads=False),
            csv.ParseOptions(delimiter=" ", quote_char=False),
            csv.ConvertOptions(
                column_types={"0": pyarrow.string()} | dict.fromkeys(names[1:], pyarrow.float64()),
                null_values=[],
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    ids = table["0"].to_pylist()
    if "" in ids:  # a blank stands where the first word is missing
        return None
    return ids, np.column_stack([_join_chunks(table[name]) for name in names[1:]])


def _join_chunks(column: Any) -> Floats:
    """The numbers of a column without nulls; pyarrow's own conversion would import pandas."""
    return np.concatenate([np.empty(0), *map(np.from_dlpack, column.chunks)])


def _parse_with_numpy(text: str, columns: int) -> tuple[list[str], Floats] | None:
    """The same without pyarrow."""
    lines = text.splitlines()
    words = text.split()
    if any(line.count(" ") != columns for line in lines):
        return None
    if len(words) != len(lines) * (columns + 1):
        return None
    table = np.array(words).reshape(-1, columns + 1)[:, 1:]
    if np.char.count(table, "_").any():  # Python takes 1_000 for a number
        return None
    try:
        return words[:: columns + 1], table.astype(np.float64)
    except ValueError:
        return None


def _no_rows(path: Path, columns: int, line: int, message: str) -> Rows:
    nothing = np.empty(0, np.int64), list[str](), np.empty((0, columns))
    return Rows(path, *nothing, [Problem(path, line, message)])


def _read_carefully(path: Path, lines: list[tuple[int, str]], columns: int) -> Rows:
    """The same, row by row, with a problem for each row that cannot be read."""
    ids = []
    problems = []
    places = []
    numbers = []
    for number, line in lines:
        words = line.split()
        message = None
        if len(words) != columns + 1:
            message = f"expected {_SHAPES[columns]}, got {len(words)} columns"
        elif _NOT_PLAIN.search("".join(words)):
            message = "expected plain text, got a control character"
        elif not all(map(_NUMBER.fullmatch, words[1:])):
            message = f"expected numbers after the id, got {' '.join(words[1:])[:60]!r}"
        if message:
            problems.append(Problem(path, number, message))
        else:
            places.append(number)
            ids.append(words[0])
            numbers.append([float(word) for word in words[1:]])
    table = np.array(numbers, np.float64).reshape(-1, columns)
    return Rows(path, np.array(places, np.int64), ids, table, problems)


def read_layouts(
    path: Path, *, has_boxes: bool, is_like_kit: bool = False
) -> tuple[list[LayoutResult], list[Problem]]:
    """The layouts of a results XML and all its problems.

    `has_boxes` is for the form of 2007, with a box for the person. Where the kit stops, there is a
    problem: no layout, no part anywhere, another class of part.
    """
    try:
        data = path.read_bytes()
        root = parse_nodes(data)
    except OSError as error:
        return [], [Problem(path, 0, f"cannot be read: {error.strerror}")]
    except NotXmlError as error:
        return [], [Problem(path, error.line, f"expected plain XML: {error}")]
    reader = _LayoutReader(path, [])
    if is_like_kit:
        stops = [remark for remark in find_kit_remarks(data) if remark.rule in KIT_STOPS]
        reader.problems.extend(Problem(path, stop.line, stop.message) for stop in stops)
    layouts = [reader.read_layout(node, has_boxes) for node in root.find_all("layout")]
    if not reader.problems and not any(result.parts for result in layouts):
        message = "expected at least one <layout> with a <part>"
        reader.problems.append(Problem(path, root.line, message))
    return layouts, reader.problems


@dataclass(frozen=True)
class _LayoutReader:
    """Values of nodes; what is missing is noted in `problems` and read as NaN or no text."""

    path: Path
    problems: list[Problem]

    def read_layout(self, node: Node, has_boxes: bool) -> LayoutResult:
        number = 0.0 if has_boxes else self._number(node, "object")
        return LayoutResult(
            (self._text(node, "image"), int(number) if number.is_integer() else -1),
            self._number(node, "confidence"),
            tuple(self._read_part(part) for part in node.find_all("part")),
            self._read_box(node) if has_boxes else None,
            node.line,
        )

    def _read_part(self, node: Node) -> Part:
        name = self._text(node, "class")
        if name and name not in PART_CLASSES:
            self._add(node, f"expected head, hand or foot, got {name[:60]!r}")
        return name, self._read_box(node)

    def _read_box(self, node: Node) -> Box:
        box = node.find("bndbox")
        if box is None:
            self._add(node, f"expected <bndbox> in <{node.tag}>")
            return 0, 0, 0, 0
        sides = [self._number(box, tag) for tag in ("xmin", "ymin", "xmax", "ymax")]
        return sides[0], sides[1], sides[2], sides[3]

    def _text(self, node: Node, tag: str) -> str:
        child = node.find(tag)
        if child is None or not child.text:
            self._add(node, f"expected <{tag}> in <{node.tag}>")
            return ""
        return child.text

    def _number(self, node: Node, tag: str) -> float:
        text = self._text(node, tag)
        if text and not _NUMBER.fullmatch(text):
            self._add(node, f"expected a number in <{tag}>, got {text[:60]!r}")
            return np.nan
        return float(text or "nan")

    def _add(self, node: Node, message: str) -> None:
        self.problems.append(Problem(self.path, node.line, message))
