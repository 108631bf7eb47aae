"""What of an annotation file is read otherwise than it says, so that releases can hold it.

The Normaliser makes the record one that a release can have, the Corrector one that the catalogue
can hold: boxes whole and inside the picture.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.box import Box, clamp
from catalog.states import View
from export.form import DEPTH, UNKNOWN
from export.recipe import PERSON
from export.verify.facts import is_release_folder
from voc.read import Places, Reading
from voc.read_object import EXCLUSIVE_ACTION, PERSON_PARTS
from voc.records import (
    Number,
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocOwner,
    VocPart,
    VocPoint,
    VocSize,
    VocSource,
)
from voc.text import fit_text

from .tree_image import Correction, object_key

NOT_SAID = "Unknown"
"""For a source that the file does not name; other programs write it too."""
CORRECTED_RULES = frozenset(
    {
        *("box-inside", "box-order", "integer", "point-inside", "pose"),
        *("actions", "actions-in-all", "part-count", "point-in-all"),
    }
)
"""Rules of the reader whose breaches are reported with the new value."""


@dataclass
class Normaliser:
    """Makes the record of one file; `corrections` grows by each value that became another one."""

    file: str
    year: int
    reading: Reading
    corrections: list[Correction] = field(default_factory=list)

    def normalise(self, record: VocImage) -> VocImage:
        """The record with a folder, a source and objects that a release can have."""
        if self.reading.style is not None:  # all else is as releases have it
            return self._with_folder(record)
        record = self._with_folder(record)
        record = replace(record, source=self._source(record.source))
        if record.owner is not None:
            flickrid = self._text("owner", "flickrid", record.owner.flickrid) or UNKNOWN
            name = self._text("owner", "name", record.owner.name) or UNKNOWN
            record = replace(record, owner=VocOwner(flickrid, name))
        objects = tuple(self._keep_parts(*it) for it in enumerate(record.objects, 1))
        objects = self._settle_points(self._settle_actions(objects))
        return replace(record, objects=objects)

    def _with_folder(self, record: VocImage) -> VocImage:
        if record.folder is not None and is_release_folder(record.folder, self.year):
            return record
        folder = f"VOC{self.year}"
        self._tell("folder", f"<folder> said {_show(record.folder)} and became {folder}")
        return replace(record, folder=folder)

    def _source(self, source: VocSource | None) -> VocSource:
        source = source or VocSource()
        made = VocSource(
            self._text("source", "database", source.database) or NOT_SAID,
            self._text("source", "annotation", source.annotation) or NOT_SAID,
            self._text("source", "image", source.image) or NOT_SAID,
            self._text("source", "flickrid", source.flickrid),
        )
        for tag in ("database", "annotation", "image"):
            if getattr(source, tag) is None:
                self._tell("source", f"<{tag}> was missing and became {getattr(made, tag)}")
        return made

    def _text(self, parent: str, tag: str, text: str | None) -> str | None:
        if text is None or fit_text(text) == text:
            return text
        fitting = fit_text(text)
        self._tell(parent, f"<{tag}> said {_show(text)} and became {_show(fitting)}")
        return fitting or None

    def _keep_parts(self, number: int, item: VocObject) -> VocObject:
        if item.name != PERSON:
            return item
        kept, counts = list[VocPart](), Counter[str]()
        for part in item.parts:
            counts[part.name] += 1
            if counts[part.name] <= PERSON_PARTS.get(part.name, len(item.parts)):
                kept.append(part)
                continue
            message = f"a {part.name} of object {number} is left out: a person has no more of them"
            self._tell("part-count", message, number)
        return item if len(kept) == len(item.parts) else replace(item, parts=tuple(kept))

    def _settle_actions(self, objects: tuple[VocObject, ...]) -> tuple[VocObject, ...]:
        if all(item.actions is None for item in objects):
            return objects
        names = sorted({it.name for item in objects for it in item.actions or ()})
        return tuple(
            self._with_actions(number, item, names) for number, item in enumerate(objects, 1)
        )

    def _with_actions(self, number: int, item: VocObject, names: list[str]) -> VocObject:
        performed = {it.name for it in item.actions or () if it.is_performed}
        if EXCLUSIVE_ACTION in performed and len(performed) > 1:
            performed.discard(EXCLUSIVE_ACTION)
            message = f"object {number} does not perform {EXCLUSIVE_ACTION!r}: it does another"
            self._tell("actions", message, number)
        if item.actions is None:
            message = f"object {number} got <actions>, of which it performs none"
            self._tell("actions-in-all", message, number)
        actions = tuple(VocAction(name, name in performed) for name in names)
        return item if actions == item.actions else replace(item, actions=actions)

    def _settle_points(self, objects: tuple[VocObject, ...]) -> tuple[VocObject, ...]:
        if len({item.point is None for item in objects}) < 2:
            return objects
        self._tell("point-in-all", "its points are left out: not all objects have one")
        return tuple(replace(item, point=None) for item in objects)

    def _tell(self, rule: str, message: str, number: int = 0) -> None:
        line = self.reading.places.find_line(rule, number)
        self.corrections.append(Correction(self.file, line, rule, message))


def _show(text: str | None) -> str:
    return "nothing" if text is None else repr(text[:60])


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
