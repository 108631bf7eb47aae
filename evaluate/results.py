"""Results files as participants write them: rows of text, label PNGs, layout XML."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from voc.nodes import Node, NotXmlError, parse_nodes

from .curves import Floats, Ints
from .errors import EvaluateError, Problem
from .layout import PART_CLASSES, Box, LayoutResult, Part
from .segmentation import Labels
from .truth import read_labels

CLASSIFICATION = ("comp1", "comp2")
DETECTION = ("comp3", "comp4")
SEGMENTATION = ("comp5", "comp6")
LAYOUT = ("comp7", "comp8")
LAYOUT_2007 = ("comp6", "comp7")
ACTION = ("comp9", "comp10", "comp11", "comp12")

_BOM = b"\xef\xbb\xbf"
_NOT_PLAIN = re.compile("[\x00\u200e\u200f\u202a-\u202e\u2066-\u2069]")
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
    """The rows of an id and `columns` numbers; what is no such row is a problem.

    Blank lines, CR, a BOM and runs of blanks are accepted.
    """
    text = path.read_bytes().removeprefix(_BOM).decode("utf-8", "replace")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    words = text.split()
    ids = words[:: columns + 1]
    # each line has as many words as it should where each line begins with an id
    is_regular = ids == [line.split(None, 1)[0] for _, line in lines]
    if is_regular and len(words) == len(ids) * (columns + 1) and not _NOT_PLAIN.search(text):
        del words[:: columns + 1]
        try:
            numbers = np.array(list(map(float, words)), np.float64).reshape(-1, columns)
        except ValueError:
            return _read_carefully(path, lines, columns)
        return Rows(path, np.array([number for number, _ in lines], np.int64), ids, numbers)
    return _read_carefully(path, lines, columns)


def _read_carefully(path: Path, lines: list[tuple[int, str]], columns: int) -> Rows:
    """The same, row by row, with a problem for each row that cannot be read."""
    found = Rows(path, np.empty(0, np.int64), [], np.empty((0, columns)))
    places, numbers = [], []
    for number, line in lines:
        words, message = line.split(), None
        if len(words) != columns + 1:
            message = f"expected {_SHAPES[columns]}, got {len(words)} columns"
        elif _NOT_PLAIN.search("".join(words)):
            message = "expected plain text, got a control character"
        else:
            try:
                numbers.append([float(word) for word in words[1:]])
            except ValueError:
                message = f"expected numbers after the id, got {' '.join(words[1:])[:60]!r}"
        if message:
            found.problems.append(Problem(path, number, message))
        else:
            places.append(number)
            found.ids.append(words[0])
    return Rows(
        path,
        np.array(places, np.int64),
        found.ids,
        np.array(numbers, np.float64).reshape(-1, columns),
        found.problems,
    )


def read_result_mask(path: Path, size_hw: tuple[int, ...], classes: int) -> Labels:
    """The labels of a result of that size; raises EvaluateError where the kit cannot score it."""
    labels = read_labels(path)
    if labels.shape != size_hw:
        raise EvaluateError(
            f"{path}: expected the size of the truth, {size_hw[1]} x {size_hw[0]}, "
            f"got {labels.shape[1]} x {labels.shape[0]}"
        )
    if int(labels.max(initial=0)) > classes:
        raise EvaluateError(f"{path}: expected labels from 0 to {classes}, got {labels.max()}")
    return labels


def read_layouts(path: Path, *, has_boxes: bool) -> list[LayoutResult]:
    """The layouts of a results XML; `has_boxes` for the form of 2007, with a box for the person.

    Raises EvaluateError where the kit stops: no layout, no part anywhere, another class of part.
    """
    try:
        root = parse_nodes(path.read_bytes())
    except NotXmlError as error:
        raise EvaluateError(f"{path}:{error.line}: {error}") from error
    found = [_read_layout(path, node, has_boxes) for node in root.find_all("layout")]
    if not any(result.parts for result in found):
        raise EvaluateError(f"{path}: expected at least one <layout> with a <part>")
    return found


def _read_layout(path: Path, node: Node, has_boxes: bool) -> LayoutResult:
    number = 0 if has_boxes else int(_number(path, node, "object"))
    return LayoutResult(
        (_text(path, node, "image"), number),
        _number(path, node, "confidence"),
        tuple(_read_part(path, part) for part in node.find_all("part")),
        _read_box(path, node) if has_boxes else None,
    )


def _read_part(path: Path, node: Node) -> Part:
    name = _text(path, node, "class")
    if name not in PART_CLASSES:
        raise EvaluateError(f"{path}:{node.line}: expected head, hand or foot, got {name!r}")
    return name, _read_box(path, node)


def _read_box(path: Path, node: Node) -> Box:
    box = node.find("bndbox")
    if box is None:
        raise EvaluateError(f"{path}:{node.line}: expected <bndbox> in <{node.tag}>")
    xmin, ymin, xmax, ymax = (_number(path, box, tag) for tag in ("xmin", "ymin", "xmax", "ymax"))
    return xmin, ymin, xmax, ymax


def _text(path: Path, node: Node, tag: str) -> str:
    child = node.find(tag)
    if child is None or not child.text:
        raise EvaluateError(f"{path}:{node.line}: expected <{tag}> in <{node.tag}>")
    return child.text


def _number(path: Path, node: Node, tag: str) -> float:
    text = _text(path, node, tag)
    try:
        return float(text)
    except ValueError as error:
        raise EvaluateError(
            f"{path}:{node.line}: expected a number in <{tag}>, got {text[:60]!r}"
        ) from error
