"""One <object> of an annotation file, of any year and any writer."""

from __future__ import annotations

from collections import Counter

from .elements import Element
from .nodes import Node
from .records import Remarks, VocAction, VocBox, VocObject, VocPart, VocPoint, VocSize

POSES = ("Unspecified", "Left", "Right", "Frontal", "Rear")
PERSON_PARTS = {"head": 1, "hand": 2, "foot": 2}
"""The parts of a person and how many of each there are at most (VOC2011 devkit, section 2.7)."""

EXCLUSIVE_ACTION = "other"
ACTIONS = (
    *("jumping", EXCLUSIVE_ACTION, "phoning", "playinginstrument", "reading", "ridingbike"),
    *("ridinghorse", "running", "takingphoto", "usingcomputer", "walking"),
)
"""Of VOC2011 and VOC2012; VOC2010 has them without jumping and other."""


def read_object(node: Node, remarks: Remarks, size: VocSize | None) -> VocObject | None:
    """The object, or None where it has no name or no box that can be read.

    Boxes are held against `size` where it is given.
    """
    element = Element(node, remarks)
    name, box = element.word("name"), _read_box(element, size)
    pose = element.text("pose")
    if pose is not None and pose not in POSES:
        element.remark("pose", f"expected one of {', '.join(POSES)}, got {pose!r}", "pose")
    flags = {tag: element.flag(tag) for tag in ("truncated", "occluded", "difficult")}
    parts = [_read_part(part, remarks, size) for part in node.find_all("part")]
    _check_part_counts(node, name, remarks)
    actions, point = _read_actions(element), _read_point(element, size)
    if name is None or box is None or None in parts:
        return None
    whole = tuple(part for part in parts if part is not None)
    return VocObject(name, box, pose, **flags, parts=whole, actions=actions, point=point)


def _read_box(element: Element, size: VocSize | None) -> VocBox | None:
    inner = element.element("bndbox", is_required=True)
    sides = inner and inner.numbers("xmin", "ymin", "xmax", "ymax")
    if not inner or not sides:
        return None
    box = VocBox(*sides)
    _check_box(inner, box, size)
    return box


def _check_box(element: Element, box: VocBox, size: VocSize | None) -> None:
    shown = f"xmin {box.xmin}, ymin {box.ymin}, xmax {box.xmax}, ymax {box.ymax}"
    if box.xmin > box.xmax or box.ymin > box.ymax:
        element.remark("box-order", f"expected xmin <= xmax and ymin <= ymax, got {shown}")
    is_inside = box.xmin >= 1 and box.ymin >= 1
    if size is not None:
        is_inside = is_inside and box.xmax <= size.width and box.ymax <= size.height
    if not is_inside:
        within = f" of {size.width} x {size.height}" if size else ""
        message = f"expected a box inside the image{within}, from 1, got {shown}"
        element.remark("box-inside", message)


def _read_part(node: Node, remarks: Remarks, size: VocSize | None) -> VocPart | None:
    element = Element(node, remarks)
    name, box = element.word("name"), _read_box(element, size)
    return None if name is None or box is None else VocPart(name, box)


def _check_part_counts(node: Node, name: str | None, remarks: Remarks) -> None:
    """Only the parts of a person are VOC's; an own class may have its own."""
    if name != "person":
        return
    counts: Counter[str] = Counter()
    for part in node.find_all("part"):
        inner = part.find("name")
        word = "" if inner is None else inner.text
        counts[word] += 1
        if word and word not in PERSON_PARTS:
            message = f"expected a part of {', '.join(PERSON_PARTS)}, got {word!r}"
            remarks.add(part.line, "part-name", message)
        elif counts[word] > PERSON_PARTS.get(word, 1):
            message = f"expected at most {PERSON_PARTS[word]} parts {word} of one person"
            remarks.add(part.line, "part-count", message)


def _read_actions(element: Element) -> tuple[VocAction, ...] | None:
    inner = element.element("actions")
    if inner is None:
        return None
    tags = sorted({child.tag for child in inner.node.children})
    actions = tuple(VocAction(tag, bool(inner.flag(tag))) for tag in tags)
    performed = [action.name for action in actions if action.is_performed]
    if EXCLUSIVE_ACTION in performed and len(performed) > 1:
        inner.remark("actions", f"expected {EXCLUSIVE_ACTION!r} alone, got {', '.join(performed)}")
    return actions


def _read_point(element: Element, size: VocSize | None) -> VocPoint | None:
    inner = element.element("point")
    place = inner and inner.numbers("x", "y")
    if not inner or not place:
        return None
    point = VocPoint(*place)
    if min(place) < 1 or (size and (point.x > size.width or point.y > size.height)):
        message = f"expected a point inside the image, got x {point.x}, y {point.y}"
        inner.remark("point-inside", message)
    return point
