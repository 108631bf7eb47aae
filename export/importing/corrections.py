"""An annotation file's record as the catalogue holds it: boxes whole and inside the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.box import Box, clamp
from catalog.states import View
from export.form import DEPTH
from voc.read import Places
from voc.records import Number, VocBox, VocImage, VocObject, VocPart, VocPoint, VocSize

from .tree_image import Correction, object_key

CORRECTED_RULES = frozenset(
    {
        *("box-inside", "box-order", "integer", "point-inside", "pose"),
        *("actions", "actions-in-all", "part-count", "point-in-all"),
    }
)
"""Rules of the reader whose breaches are reported with the new value, here or in normal.py."""


class UncorrectableError(ValueError):
    """The record says something that no value of the catalogue can stand for."""


@dataclass
class Corrector:
    """Corrects one file; `corrections` grows by each value that became another one."""

    file: str
    width: int
    height: int
    places: Places
    corrections: list[Correction] = field(default_factory=list)

    def correct(self, record: VocImage) -> VocImage:
        """The record as a release writes it; raises UncorrectableError."""
        objects = tuple([self._object(*it) for it in enumerate(record.objects, start=1)])
        return replace(record, size=VocSize(self.width, self.height, DEPTH), objects=objects)

    def _object(self, number: int, item: VocObject) -> VocObject:
        return replace(
            item,
            box=self._box(item.box, number, ""),
            pose=None if item.pose is None else self._view(item.pose, number),
            parts=tuple(
                [
                    VocPart(it.name, self._box(it.box, number, f"the {it.name} of "))
                    for it in item.parts
                ]
            ),
            point=None if item.point is None else self._point(item.point, number),
        )

    def _box(self, box: VocBox, number: int, part: str) -> VocBox:
        """The box in whole pixels inside the image; a file may count from 0 or swap two ends."""
        given = (box.xmin, box.ymin, box.xmax, box.ymax)
        what = f"the box of {part}object {number}"
        left, right = sorted((_whole(box.xmin), _whole(box.xmax)))
        top, bottom = sorted((_whole(box.ymin), _whole(box.ymax)))
        if right < 1 or bottom < 1 or left > self.width or top > self.height:
            raise UncorrectableError(
                f"{what} ({_list(given)}) lies outside the {self.width} x "
                f"{self.height} pixels of the image"
            )
        made = clamp((left, top, right, bottom), self.width, self.height)
        self._compare(given, made.xyxy, what, "box", number)
        return VocBox(*made.xyxy)

    def _point(self, point: VocPoint, number: int) -> VocPoint:
        given = (point.x, point.y)
        x, y = _whole(point.x), _whole(point.y)
        made = (min(max(x, 1), self.width), min(max(y, 1), self.height))
        self._compare(given, made, f"the point of object {number}", "point", number)
        return VocPoint(*made)

    def _view(self, pose: str, number: int) -> str:
        same = (view for view in View if view.casefold() == pose.casefold())
        view = next(same, View.UNSPECIFIED).value
        if view != pose:
            self._tell(number, "pose", f"the pose of object {number}, {pose[:60]!r}, became {view}")
        return view

    def _compare(
        self, given: Sequence[Number], made: Sequence[int], what: str, rule: str, number: int
    ) -> None:
        if tuple(given) != tuple(made):
            self._tell(number, rule, f"{what} was {_list(given)} and became {_list(made)}")

    def _tell(self, number: int, rule: str, message: str) -> None:
        line = self.places.find_line(rule, number)
        self.corrections.append(Correction(self.file, line, rule, message))


def make_objects(record: VocImage) -> tuple[AnnotatedObject, ...]:
    """The objects of a corrected record, keyed by their numbers."""
    return tuple([_make_object(*it) for it in enumerate(record.objects, start=1)])


def _make_object(number: int, item: VocObject) -> AnnotatedObject:
    point = item.point
    return AnnotatedObject(
        *(number, object_key(number), item.name, _make_box(item.box)),
        View(item.pose or View.UNSPECIFIED),
        *(bool(item.truncated), bool(item.occluded), bool(item.difficult)),
        tuple(sorted({it.name for it in item.actions or () if it.is_performed})),
        None if point is None else (int(point.x), int(point.y)),
        tuple([AnnotatedPart(it.name, _make_box(it.box)) for it in item.parts]),
    )


def _make_box(box: VocBox) -> Box:
    return Box(int(box.xmin), int(box.ymin), int(box.xmax), int(box.ymax))


def _whole(number: Number) -> int:
    """The nearest whole number; of two, the larger."""
    return number if isinstance(number, int) else math.floor(number + 0.5)


def _list(numbers: Sequence[Number]) -> str:
    return ", ".join(str(number) for number in numbers)
