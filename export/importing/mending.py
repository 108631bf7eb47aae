"""From an annotation file's record to objects as the catalogue holds them: whole and inside."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from catalog.box import Box, clamp
from catalog.states import View
from export.rows import ObjectRow, PartRow
from export.voc.read import Places
from export.voc.records import Number, VocBox, VocImage, VocObject, VocPart, VocPoint

from .findings import Mend

MENDED_HERE = frozenset(
    {
        *("box-inside", "box-order", "integer", "point-inside", "pose"),
        *("actions", "actions-in-all", "part-count", "point-in-all"),
    }
)
"""Rules of the reader whose breaches are told with what became of the value, here or in normal.py.
"""


VIEWS: Mapping[str | None, View] = {**{view.value: view for view in View}, None: View.UNSPECIFIED}
"""The view that each pose of VOC stands for; None where the file does not say."""


class UnmendableError(ValueError):
    """The record says something that no value of the catalogue can stand for."""


@dataclass
class Mender:
    """Makes the objects of one file; `mends` grows by what had to become another value.

    `find_places` gives the line of each object and is asked only where there is something to tell.
    """

    file: str
    width: int
    height: int
    find_places: Callable[[], Places]
    mends: list[Mend] = field(default_factory=list)

    def make_objects(self, record: VocImage) -> tuple[ObjectRow, ...]:
        """The objects in the file's order, keyed by their number; raises UnmendableError."""
        return tuple([self._object(*it) for it in enumerate(record.objects, start=1)])

    def _object(self, number: int, item: VocObject) -> ObjectRow:
        performed = {it.name for it in item.actions if it.is_performed} if item.actions else ()
        return ObjectRow(
            f"voc-{number}",
            item.name,
            self._box(item.box, number, ""),
            self._view(item.pose, number),
            bool(item.truncated),
            bool(item.occluded),
            bool(item.difficult),
            tuple(sorted(performed)),
            None if item.point is None else self._point(item.point, number),
            tuple([self._part(part, number) for part in item.parts]),
        )

    def _part(self, part: VocPart, number: int) -> PartRow:
        return PartRow(part.name, self._box(part.box, number, f"the {part.name} of "))

    def _box(self, box: VocBox, number: int, part: str) -> Box:
        """The box in whole pixels inside the image; a file may count from 0 or swap two ends."""
        given = (box.xmin, box.ymin, box.xmax, box.ymax)
        if (inside := _find_inside(given, self.width, self.height)) is not None:
            return inside
        what = f"the box of {part}object {number}"
        left, right = sorted((_whole(box.xmin), _whole(box.xmax)))
        top, bottom = sorted((_whole(box.ymin), _whole(box.ymax)))
        if right < 1 or bottom < 1 or left > self.width or top > self.height:
            raise UnmendableError(
                f"{what} ({_list(given)}) lies outside the {self.width} x "
                f"{self.height} pixels of the image"
            )
        mended = clamp((left, top, right, bottom), self.width, self.height)
        self._compare(given, mended.xyxy, what, "box", number)
        return mended

    def _point(self, point: VocPoint, number: int) -> tuple[int, int]:
        given = (point.x, point.y)
        x, y = _whole(point.x), _whole(point.y)
        mended = (min(max(x, 1), self.width), min(max(y, 1), self.height))
        self._compare(given, mended, f"the point of object {number}", "point", number)
        return mended

    def _view(self, pose: str | None, number: int) -> View:
        if pose is None or pose in VIEWS:
            return VIEWS[pose]
        view = next((view for view in View if view.casefold() == pose.casefold()), None)
        stands_for = view or View.UNSPECIFIED
        message = f"the pose of object {number}, {pose[:60]!r}, became {stands_for.value}"
        self._tell(number, "pose", message)
        return stands_for

    def _compare(
        self,
        given: Sequence[Number],
        mended: Sequence[int],
        what: str,
        rule: str,
        number: int,
    ) -> None:
        if tuple(given) != tuple(mended):
            self._tell(number, rule, f"{what} was {_list(given)} and became {_list(mended)}")

    def _tell(self, number: int, rule: str, message: str) -> None:
        lines = self.find_places().objects
        line = lines[number - 1] if number <= len(lines) else 1
        self.mends.append(Mend(self.file, line, rule, message))


def _find_inside(xyxy: Sequence[Number], width: int, height: int) -> Box | None:
    """The box where it needs no mending, as nearly all do not."""
    whole = [value for value in xyxy if isinstance(value, int)]
    if len(whole) < len(xyxy):
        return None
    xmin, ymin, xmax, ymax = whole
    is_inside = 1 <= xmin <= xmax <= width and 1 <= ymin <= ymax <= height
    return Box(xmin, ymin, xmax, ymax) if is_inside else None


def _whole(number: Number) -> int:
    """The nearest whole number; of two, the larger."""
    return number if isinstance(number, int) else math.floor(number + 0.5)


def _list(numbers: Sequence[Number]) -> str:
    return ", ".join(str(number) for number in numbers)
