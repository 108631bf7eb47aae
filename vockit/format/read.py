"""Annotation files: from bytes of any year and any writer to a record and remarks on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from . import records
from .kit_syntax import find_kit_remarks
from .nodes import Element, Node, NotXmlError, parse_nodes
from .write import STYLES, UnwritableError, VocStyle, format_annotation

POSES = ("Unspecified", "Left", "Right", "Frontal", "Rear")
PERSON_PARTS = {"head": 1, "hand": 2, "foot": 2}
"""The parts of a person and how many of each there are at most (VOC2011 devkit, section 2.7)."""

EXCLUSIVE_ACTION = "other"
ACTIONS = (
    "jumping",
    EXCLUSIVE_ACTION,
    "phoning",
    "playinginstrument",
    "reading",
    "ridingbike",
    "ridinghorse",
    "running",
    "takingphoto",
    "usingcomputer",
    "walking",
)
"""Of VOC2011 and VOC2012; VOC2010 has them without jumping and other."""


@dataclass(frozen=True)
class Places:
    """The first line of each child of the root, by tag, and the line of every object."""

    lines: Mapping[str, int] = field(default_factory=dict)
    objects: tuple[int, ...] = ()

    def find_line(self, tag: str, number: int = 0) -> int:
        """The line of the object of that number, else of the tag; 1 where there is none."""
        if number:
            return self.objects[number - 1] if number <= len(self.objects) else 1
        return self.lines.get(tag, 1)


@dataclass(frozen=True)
class Reading:
    """What a file says, and what is not as the norm says; `image` is None as remarks tell.

    `partial` is what can be read of it all the same: without the objects of the numbers `unread`,
    which count from 1 in the file's order, and without a filename where the file has none.
    """

    image: records.VocImage | None
    remarks: tuple[records.Remark, ...]
    root: Node | None = field(default=None, compare=False, repr=False)
    data: bytes = field(default=b"", compare=False, repr=False)
    partial: records.VocImage | None = field(default=None, compare=False, repr=False)
    unread: tuple[int, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def places(self) -> Places:
        """The lines of what the file says."""
        if self.root is None:
            return Places()
        lines = {child.tag: child.line for child in reversed(self.root.children)}
        return Places(lines, tuple(node.line for node in self.root.find_all("object")))

    @cached_property
    def style(self) -> VocStyle | None:
        """The style in which writing the image gives the file, without any remark."""
        if self.remarks or self.image is None:
            return None
        for style in STYLES:
            if not self.data.startswith(
                f"<annotation>\n\t<{style.orders['annotation'][0]}>".encode()
            ):
                continue  # so that most files are written once
            try:
                if format_annotation(self.image, style).encode() == self.data:
                    return style
            except UnwritableError:
                return None
        return None


def read_annotation(data: bytes, *, year: int = 2012) -> Reading:
    """The record and the remarks on it, held to the kit of `year`; raises nothing, ever."""
    remarks = records.Remarks()
    try:
        if not data.strip():
            raise NotXmlError(1, "expected an annotation, got an empty file")
        for remark in find_kit_remarks(data):
            remarks.add(remark.line, remark.rule, remark.message)
        root = parse_nodes(data)
        if root.tag != "annotation":
            raise NotXmlError(root.line, f"expected <annotation> as the root, got <{root.tag}>")
    except NotXmlError as error:
        remarks.add(error.line, "xml", str(error))
        return Reading(None, remarks.sorted())
    partial, unread = _read_image(Element(root, remarks), year)
    image = partial if partial.filename and not unread else None
    return Reading(image, remarks.sorted(), root, data, partial, unread)


def _read_image(root: Element, year: int) -> tuple[records.VocImage, tuple[int, ...]]:
    """What can be read, and the numbers of the objects that cannot."""
    folder = root.word("folder")
    filename = root.word("filename")
    source = owner = size = None
    if element := root.element("source", is_required=True):
        is_required = year >= 2008  # since then the kit does
        source = records.VocSource(
            database=element.text("database", is_required=True),
            annotation=element.text("annotation", is_required=is_required),
            image=element.text("image", is_required=is_required),
            flickrid=element.text("flickrid"),
        )
    if element := root.element("owner"):
        owner = records.VocOwner(flickrid=element.text("flickrid"), name=element.text("name"))
    if element := root.element("size", is_required=True):
        numbers = element.numbers("width", "height")
        depth = element.number("depth")
        size = records.VocSize(numbers[0], numbers[1], depth) if numbers else None
    segmented = root.flag("segmented", is_required=True)
    whole, unread = _read_objects(root, size)
    image = records.VocImage(filename or "", whole, folder, source, owner, size, segmented)
    return image, unread


def _read_objects(
    root: Element, size: records.VocSize | None
) -> tuple[tuple[records.VocObject, ...], tuple[int, ...]]:
    """The objects that can be read, and the numbers of those that cannot."""
    nodes = list(root.node.find_all("object"))
    if not nodes:
        message = "expected at least one object; the development kit cannot read a file with none"
        root.remark("no-object", message)
    for tag in ("actions", "point"):
        without = [node for node in nodes if node.find(tag) is None]
        if without and len(without) < len(nodes):
            message = f"expected <{tag}> in all objects of a file or in none"
            root.remarks.add(without[0].line, f"{tag}-in-all", message)
    objects = [_read_object(node, root.remarks, size) for node in nodes]
    whole = tuple(item for item in objects if item is not None)
    return whole, tuple(number for number, item in enumerate(objects, start=1) if item is None)


def _read_object(
    node: Node, remarks: records.Remarks, size: records.VocSize | None
) -> records.VocObject | None:
    """The object, or None where it has no name or no box in a picture of that size, if known."""
    element = Element(node, remarks)
    name = element.word("name")
    box = _read_box(element, size)
    pose = element.text("pose")
    if pose is not None and pose not in POSES:
        element.remark("pose", f"expected one of {', '.join(POSES)}, got {pose!r}", "pose")
    flags = {tag: element.flag(tag) for tag in ("truncated", "occluded", "difficult")}
    parts = [_read_part(part, remarks, size) for part in node.find_all("part")]
    counts: Counter[str] = Counter()
    for part in node.find_all("part") if name == "person" else ():  # an own class has its own
        inner = part.find("name")
        word = "" if inner is None else inner.text
        counts[word] += 1
        if word and word not in PERSON_PARTS:
            message = f"expected a part of {', '.join(PERSON_PARTS)}, got {word!r}"
            remarks.add(part.line, "part-name", message)
        elif counts[word] > PERSON_PARTS.get(word, 1):
            message = f"expected at most {PERSON_PARTS[word]} parts {word} of one person"
            remarks.add(part.line, "part-count", message)
    actions = _read_actions(element)
    point = _read_point(element, size)
    if name is None or box is None or None in parts:
        return None
    whole = tuple(part for part in parts if part is not None)
    return records.VocObject(name, box, pose, **flags, parts=whole, actions=actions, point=point)


def _read_box(element: Element, size: records.VocSize | None) -> records.VocBox | None:
    inner = element.element("bndbox", is_required=True)
    sides = inner and inner.numbers("xmin", "ymin", "xmax", "ymax")
    if not inner or not sides:
        return None
    box = records.VocBox(*sides)
    shown = f"xmin {box.xmin}, ymin {box.ymin}, xmax {box.xmax}, ymax {box.ymax}"
    if box.xmin > box.xmax or box.ymin > box.ymax:
        inner.remark("box-order", f"expected xmin <= xmax and ymin <= ymax, got {shown}")
    is_inside = box.xmin >= 1 and box.ymin >= 1
    if size is not None:
        is_inside = is_inside and box.xmax <= size.width and box.ymax <= size.height
    if not is_inside:
        within = f" of {size.width} x {size.height}" if size else ""
        message = f"expected a box inside the image{within}, from 1, got {shown}"
        inner.remark("box-inside", message)
    return box


def _read_part(
    node: Node, remarks: records.Remarks, size: records.VocSize | None
) -> records.VocPart | None:
    element = Element(node, remarks)
    name = element.word("name")
    box = _read_box(element, size)
    return None if name is None or box is None else records.VocPart(name, box)


def _read_actions(element: Element) -> tuple[records.VocAction, ...] | None:
    inner = element.element("actions")
    if inner is None:
        return None
    tags = sorted({child.tag for child in inner.node.children})
    actions = tuple(records.VocAction(tag, bool(inner.flag(tag))) for tag in tags)
    performed = [action.name for action in actions if action.is_performed]
    if EXCLUSIVE_ACTION in performed and len(performed) > 1:
        inner.remark("actions", f"expected {EXCLUSIVE_ACTION!r} alone, got {', '.join(performed)}")
    return actions


def _read_point(element: Element, size: records.VocSize | None) -> records.VocPoint | None:
    inner = element.element("point")
    place = inner and inner.numbers("x", "y")
    if not inner or not place:
        return None
    point = records.VocPoint(*place)
    if min(place) < 1 or (size and (point.x > size.width or point.y > size.height)):
        message = f"expected a point inside the image, got x {point.x}, y {point.y}"
        inner.remark("point-inside", message)
    return point
