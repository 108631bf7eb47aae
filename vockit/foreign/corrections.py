"""Corrections of a foreign annotation: numbers that its file has wrong, and files to refuse.

Import, conversion and browsing use this module, so they read the same boxes from a file and report
the same changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vockit.format.nodes import Node
from vockit.format.read import Reading
from vockit.format.records import (
    Number,
    Remark,
    VocBox,
    VocImage,
    VocObject,
    VocPart,
    VocPoint,
    VocSize,
)

_NUMBERS = {"width", "height", "xmin", "ymin", "xmax", "ymax", "x", "y"}
UNREADABLE_RULES = ("xml", "required", "number", "empty")
"""The rules whose remarks explain why a file could not be read as a record."""


class UncorrectableError(Exception):
    """A record or its picture is wrong in a way that cannot be corrected; leave the image out."""


@dataclass(frozen=True)
class Change:
    """One value that was corrected; `number` counts objects from 1 and is 0 for the whole image."""

    rule: str
    message: str
    number: int = 0


def find_refusal(reading: Reading) -> str | None:
    """The reason to refuse an annotation that was read, or None if it can be used.

    The development kit drops a comma in a number, so that 10,4 would be 104, and reads the first
    of several boxes of an object: both lose what the annotator drew.
    """
    if reading.image is None or reading.root is None:
        return _find_reason(reading)
    return find_lost_numbers(reading.root)


def find_lost_numbers(root: Node) -> str | None:
    """Where reading would lose what the annotator drew, or None."""
    for node in _iterate_nodes(root):
        if node.tag in _NUMBERS and "," in node.text:
            return f"line {node.line}: expected <{node.tag}> without a comma, got {node.text!r}"
        boxes = sum(child.tag == "bndbox" for child in node.children)
        if boxes > 1:
            return (
                f"line {node.line}: expected one <bndbox> in <{node.tag}>, got {boxes}; "
                "write an object for each"
            )
    return None


def find_fault(reading: Reading, start: int = 0) -> Remark:
    """The first remark from that line on that says why something cannot be read."""
    remarks = [remark for remark in reading.remarks if remark.rule in UNREADABLE_RULES]
    remarks = [remark for remark in remarks or reading.remarks if remark.line >= start]
    return remarks[0] if remarks else Remark(start, "xml", "it has no record")


def _find_reason(reading: Reading) -> str:
    """Why there is no record of the whole file."""
    if reading.root is not None and not reading.unread:
        return f"line {reading.root.line}: expected a <filename> in <annotation>"
    first = min(reading.unread, default=0)
    fault = find_fault(reading, reading.places.find_line("object", first) if first else 0)
    return f"line {fault.line}: {fault.message}"


def _iterate_nodes(node: Node) -> Iterator[Node]:
    """The node and all below it, in the file's order."""
    yield node
    for child in node.children:
        yield from _iterate_nodes(child)


def fit_record(
    record: VocImage, size_wh: tuple[int, int], *, is_whole: bool
) -> tuple[VocImage, tuple[Change, ...]]:
    """The record with boxes, parts and points moved inside its picture, and the changes.

    `size_wh` is the picture's size in pixels. `is_whole` rounds coordinates to whole pixels, as in
    releases. Raises UncorrectableError for a box outside the picture, and if the record states
    another size than the picture has.
    """
    changes: list[Change] = []
    size = record.size
    depth = size.depth if size else None
    said = (size.width, size.height) if size else (0, 0)
    if said != size_wh:
        if all(said):
            raise UncorrectableError(
                f"its annotation says {said[0]} x {said[1]} pixels, "
                f"but its picture has {size_wh[0]} x {size_wh[1]}"
            )
        changes.append(Change("size", describe_size(size, size_wh)))
    fitter = _Fitter(size_wh, is_whole, changes)
    objects = tuple(
        fitter.fit_object(item, number) for number, item in enumerate(record.objects, start=1)
    )
    fitted = replace(record, size=VocSize(*size_wh, depth), objects=objects)
    return fitted, tuple(changes)


def describe_size(said: VocSize | None, size_wh: tuple[int, int]) -> str:
    """What became of the size that a file says, which is not the picture's."""
    width, height = (said.width, said.height) if said else (0, 0)
    return f"<size> was {width} x {height} and became {size_wh[0]} x {size_wh[1]}"


def fit_box(box: VocBox, size_wh: tuple[int, int], what: str) -> VocBox:
    """The box with both ends in order and inside a picture of that size in pixels.

    Raises UncorrectableError, which calls the box `what`, where it has no pixel of the picture.
    """
    width, height = size_wh
    left, right = sorted((box.xmin, box.xmax))
    top, bottom = sorted((box.ymin, box.ymax))
    if right < 1 or bottom < 1 or left > width or top > height:
        raise UncorrectableError(f"{what} lies outside the {width} x {height} pixels of the image")
    return VocBox(
        xmin=_clamp(left, width),
        ymin=_clamp(top, height),
        xmax=_clamp(right, width),
        ymax=_clamp(bottom, height),
    )


def _clamp(value: Number, most: int) -> Number:
    return min(max(value, 1), most)


@dataclass(frozen=True)
class _Fitter:
    """Moves objects inside a picture of that size, and adds each change to `changes`."""

    size_wh: tuple[int, int]
    is_whole: bool
    changes: list[Change]

    def fit_object(self, item: VocObject, number: int) -> VocObject:
        """The object with point, parts and box inside the picture."""
        what = f"object {number}"
        point = None if item.point is None else self._fit_point(item.point, number)
        parts = tuple(
            VocPart(part.name, self._fit_box(part.box, number, f"the {part.name} of {what}"))
            for part in item.parts
        )
        box = self._fit_box(item.box, number, what)
        return replace(item, box=box, parts=parts, point=point)

    def _fit_point(self, point: VocPoint, number: int) -> VocPoint:
        """The nearest pixel of the picture."""
        given = point.x, point.y
        made = [
            _clamp(self._round(value), most)
            for value, most in zip(given, self.size_wh, strict=True)
        ]
        self._compare("point", f"the point of object {number}", given, made, number)
        return VocPoint(*made)

    def _fit_box(self, box: VocBox, number: int, what: str) -> VocBox:
        """The box inside the picture, also if the file counts from 0 or swaps xmin and xmax."""
        given = (box.xmin, box.ymin, box.xmax, box.ymax)
        what = f"the box of {what}"
        rounded = VocBox(*map(self._round, given))
        fitted = fit_box(rounded, self.size_wh, f"{what} ({_list(given)})")
        made = (fitted.xmin, fitted.ymin, fitted.xmax, fitted.ymax)
        self._compare("box", what, given, made, number)
        return fitted

    def _round(self, value: Number) -> Number:
        """The nearest whole number, the larger of two; as it is where fractions are kept."""
        return math.floor(value + 0.5) if self.is_whole and isinstance(value, float) else value

    def _compare(
        self, rule: str, what: str, given: Sequence[Number], made: Sequence[Number], number: int
    ) -> None:
        if tuple(given) != tuple(made):
            message = f"{what} was {_list(given)} and became {_list(made)}"
            self.changes.append(Change(rule, message, number))


def _list(numbers: Sequence[Number]) -> str:
    return ", ".join(str(number) for number in numbers)
