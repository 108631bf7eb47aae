"""From an annotation file's record to objects as the catalogue holds them: whole and inside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from catalog.box import Box, clamp
from catalog.states import View
from export.rows import ObjectRow, PartRow
from export.voc.records import Number, VocBox, VocImage, VocObject, VocPart, VocPoint

from .findings import Mend

MENDED_HERE = frozenset({"box-inside", "box-order", "integer", "point-inside", "pose"})
"""Rules of the reader whose breaches are told here with what became of the value."""


class UnmendableError(ValueError):
    """The record says something that no value of the catalogue can stand for."""


@dataclass
class Mender:
    """Makes the objects of one file; `mends` grows by what had to become another value."""

    file: str
    width: int
    height: int
    mends: list[Mend] = field(default_factory=list)

    def make_objects(self, record: VocImage, lines: Sequence[int]) -> tuple[ObjectRow, ...]:
        """The objects in the file's order, keyed by their number; raises UnmendableError."""
        numbered = enumerate(record.objects, start=1)
        return tuple(
            self._object(number, item, lines[number - 1] if number <= len(lines) else 1)
            for number, item in numbered
        )

    def _object(self, number: int, item: VocObject, line: int) -> ObjectRow:
        where = f"object {number}"
        actions = sorted({it.name for it in item.actions or () if it.is_performed})
        return ObjectRow(
            object_key=f"voc-{number}",
            class_name=item.name,
            box=self._box(item.box, where, line),
            view=self._view(item.pose, where, line),
            truncated=bool(item.truncated),
            occluded=bool(item.occluded),
            difficult=bool(item.difficult),
            actions=tuple(actions),
            point_xy=self._point(item.point, where, line),
            parts=tuple(self._part(part, where, line) for part in item.parts),
        )

    def _part(self, part: VocPart, where: str, line: int) -> PartRow:
        return PartRow(part.name, self._box(part.box, f"the {part.name} of {where}", line))

    def _box(self, box: VocBox, where: str, line: int) -> Box:
        """The box in whole pixels inside the image; a file may count from 0 or swap two ends."""
        given = (box.xmin, box.ymin, box.xmax, box.ymax)
        left, right = sorted((_whole(box.xmin), _whole(box.xmax)))
        top, bottom = sorted((_whole(box.ymin), _whole(box.ymax)))
        if right < 1 or bottom < 1 or left > self.width or top > self.height:
            raise UnmendableError(
                f"the box of {where} ({_list(given)}) lies outside the {self.width} x "
                f"{self.height} pixels of the image"
            )
        mended = clamp((left, top, right, bottom), self.width, self.height)
        self._compare(given, mended.xyxy, f"the box of {where}", "box", line)
        return mended

    def _point(self, point: VocPoint | None, where: str, line: int) -> tuple[int, int] | None:
        if point is None:
            return None
        given = (point.x, point.y)
        x, y = _whole(point.x), _whole(point.y)
        mended = (min(max(x, 1), self.width), min(max(y, 1), self.height))
        self._compare(given, mended, f"the point of {where}", "point", line)
        return mended

    def _view(self, pose: str | None, where: str, line: int) -> View:
        if pose is None:
            return View.UNSPECIFIED
        view = next((view for view in View if view.casefold() == pose.casefold()), None)
        if view is None or view != pose:
            stands_for = view or View.UNSPECIFIED
            message = f"the pose of {where}, {pose[:60]!r}, became {stands_for.value}"
            self.mends.append(Mend(self.file, line, "pose", message))
            return stands_for
        return view

    def _compare(
        self,
        given: Sequence[Number],
        mended: Sequence[int],
        what: str,
        rule: str,
        line: int,
    ) -> None:
        if tuple(given) != tuple(mended):
            message = f"{what} was {_list(given)} and became {_list(mended)}"
            self.mends.append(Mend(self.file, line, rule, message))


def _whole(number: Number) -> int:
    """The nearest whole number; of two, the larger."""
    return number if isinstance(number, int) else math.floor(number + 0.5)


def _list(numbers: Sequence[Number]) -> str:
    return ", ".join(str(number) for number in numbers)
