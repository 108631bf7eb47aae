"""The text files below ImageSets: which images a set holds, and their labels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from . import tree
from .records import NO_BOM, Remark, Remarks
from .text import split_mark

SETS = ("train", "val", "trainval", "test", "test2")
"""The sets that a folder may have; few trees have test2, VOC2005's name for a further test set."""
LABELS = (1, 0, -1)
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(frozen=True)
class SetForm:
    """The columns behind the image, and how many of them belong to what is listed once."""

    columns: int
    key_columns: int


IMAGES_FORM = SetForm(0, 0)
LABELS_FORM = SetForm(1, 0)
OBJECTS_FORM = SetForm(1, 1)
OBJECT_LABELS_FORM = SetForm(2, 1)
FIRST_LAYOUT_OF_OBJECTS = 2008
"""Before, the sets of Layout listed images alone."""


def find_set_form(folder: str, year: int, *, gives_people: bool = False) -> SetForm:
    """The form of the sets in a folder such as tree.MAIN, in the release of a year.

    `gives_people` is for the list of a test set whose labels are held back, and whose people are
    given; Action's has their numbers then, since no label file has them.
    """
    has_objects = gives_people or (folder == tree.LAYOUT and year >= FIRST_LAYOUT_OF_OBJECTS)
    return OBJECTS_FORM if has_objects else IMAGES_FORM


class SetLine(NamedTuple):
    """One line of a set file: the image, and the numbers behind it in the file's columns."""

    line: int
    image_id: str
    numbers: tuple[int, ...] = ()


def format_images(image_ids: Iterable[str]) -> str:
    """A file that lists images: Main/<set>.txt, Segmentation, Action, and Layout of 2007."""
    return "".join(f"{image_id}\n" for image_id in image_ids)


def format_labels(labels: Iterable[tuple[str, int]]) -> str:
    """`%s %2d`, as the kit has labels of Main/<class>_<set>.txt and object numbers of Layout."""
    return "".join([f"{image_id} {label:2d}\n" for image_id, label in labels])


def format_object_labels(labels: Iterable[tuple[str, int, int]]) -> str:
    """Action/<action>_<set>.txt: image, object number and label in the form `%s %2d %2d`."""
    return "".join(f"{image_id} {number:2d} {label:2d}\n" for image_id, number, label in labels)


def parse_set(data: bytes, form: SetForm) -> tuple[list[SetLine], list[Remark]]:
    """The lines of a set file, and remarks; one that has other columns is left out."""
    remarks = Remarks()
    encoded, encoding, is_marked = split_mark(data)
    if is_marked:
        remarks.add(1, "bom", NO_BOM)
    text = encoded.decode(encoding, "replace")
    _remark_form(text, remarks)
    lines = _parse_lines(text, form, remarks)
    _remark_order(lines, form, remarks)
    return lines, list(remarks.sorted())


def _remark_form(text: str, remarks: Remarks) -> None:
    """Remark on line ends and characters of the whole file."""
    if (place := text.find("\r")) >= 0:
        line = text.count("\n", 0, place) + 1
        remarks.add(line, "line-end", "expected LF alone as the line end, got CR")
    if "\ufffd" in text:
        line = text.count("\n", 0, text.index("\ufffd")) + 1
        remarks.add(line, "encoding", "expected ASCII or UTF-8")
    if text and not text.endswith("\n"):
        line = text.count("\n") + 1
        remarks.add(line, "final-newline", "expected a line end after the last line")


def _parse_lines(text: str, form: SetForm, remarks: Remarks) -> list[SetLine]:
    """The lines with the columns of the form; remark on the others."""
    lines: list[SetLine] = []
    shape = " and ".join(["an id", *["an integer"] * form.columns])
    for number, content in enumerate(text.removesuffix("\n").split("\n") if text else [], start=1):
        fields = content.split()
        if not fields:
            remarks.add(number, "blank-line", "expected no blank line; several readers stop at one")
        elif len(fields) != form.columns + 1 or not all(map(_INTEGER.fullmatch, fields[1:])):
            remarks.add(number, "columns", f"expected {shape}, got {content.strip()!r}")
        else:
            lines.append(SetLine(number, fields[0], tuple(map(int, fields[1:]))))
    return lines


def _remark_order(lines: Iterable[SetLine], form: SetForm, remarks: Remarks) -> None:
    """An image, or an image and object, is listed once, and the list ascends."""
    line_of: dict[tuple[str, tuple[int, ...]], int] = {}
    last: tuple[str, tuple[int, ...]] | None = None
    for line in lines:
        key = (line.image_id, line.numbers[: form.key_columns])
        if key in line_of:
            message = f"expected {line.image_id} once, but line {line_of[key]} has it already"
            remarks.add(line.line, "listed-twice", message)
        elif last is not None and key < last:
            message = f"expected ids in ascending order, got {line.image_id} after {last[0]}"
            remarks.add(line.line, "ascending", message)
        line_of.setdefault(key, line.line)
        last = key


class Split(StrEnum):
    """The image set that a released image belongs to; trainval is the union of two."""

    TRAIN = "train"
    VAL = "val"
    TEST = "test"
    TEST2 = "test2"  # of another origin, harder

    @property
    def is_test(self) -> bool:
        """Whether it is a test set, whose labels a blind release withholds."""
        return self in TESTS


TESTS = (Split.TEST, Split.TEST2)
BALANCED = (Split.TRAIN, Split.VAL, Split.TEST)
"""The sets that get a share of the images each."""
