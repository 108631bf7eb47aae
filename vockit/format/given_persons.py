"""The people of a blind test set whose boxes participants get: where Layout and Action ask.

As in VOC2011 and VOC2012 they are of images that Main does not list, so that no box tells what the
other tasks ask for. VOC had them in annotation files; a table of their own leaves every annotation
of a test set unsaid.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from . import tree
from .image_sets import TESTS
from .records import VocBox, VocObject, VocPoint

GIVING = (tree.LAYOUT, tree.ACTION)
"""The folders of lists whose people are given."""
COLUMNS = ("image", "object", "xmin", "ymin", "xmax", "ymax", "x", "y")
_ENDING = "_boxes.csv"


class PersonsError(ValueError):
    """A table cannot be read; `line` is where."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class GivenPerson:
    """A person that a task asks about: image, object number, box, and the point on the body."""

    image_id: str
    number: int
    box: VocBox
    point: VocPoint | None = None

    @property
    def key(self) -> tuple[str, int]:
        """As results name the person."""
        return self.image_id, self.number

    @property
    def item(self) -> VocObject:
        """The person as an object of which nothing else is known."""
        return VocObject(tree.PERSON, self.box, point=self.point)


def boxes_path(folder: str, image_set: str) -> str:
    """The table of the people of a set in a folder such as tree.LAYOUT."""
    return f"{folder}/{image_set}{_ENDING}"


def is_boxes_path(path: str) -> bool:
    """Whether a test set can have a table there."""
    return path in {boxes_path(folder, name) for folder in GIVING for name in TESTS}


def format_persons(persons: Iterable[GivenPerson]) -> str:
    """The table; x and y are empty for people without a point."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for person in persons:
        box = person.box
        place = (person.point.x, person.point.y) if person.point else ("", "")
        sides = (box.xmin, box.ymin, box.xmax, box.ymax)
        writer.writerow([*person.key, *sides, *place])
    return text.getvalue()


def parse_persons(data: bytes) -> list[GivenPerson]:
    """The people of a table; raises PersonsError for the first line that is no person."""
    text = data.decode("utf-8", "replace")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise PersonsError(1, f"expected the columns {','.join(COLUMNS)}")
    return [_parse_row(row, line) for line, row in enumerate(rows[1:], start=2)]


def _parse_row(row: list[str], line: int) -> GivenPerson:
    try:
        image_id, number, *sides, x, y = row
        xmin, ymin, xmax, ymax = map(_parse_number, sides)
        point = VocPoint(_parse_number(x), _parse_number(y)) if x or y else None
        return GivenPerson(image_id, int(number), VocBox(xmin, ymin, xmax, ymax), point)
    except ValueError as error:
        message = f"expected an image, an object, a box and perhaps a point, got {','.join(row)!r}"
        raise PersonsError(line, message) from error


def _parse_number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number
