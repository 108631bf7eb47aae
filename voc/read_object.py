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
    name = element.word("name", is_required=True)
    box = _read_box(element, size)
    pose = element.text("pose")
    if pose is not None and pose not in POSES:
        line = _line_of(node, "pose")
        remarks.add(line, "pose", f"expected one of {', '.join(POSES)}, got {pose!r}")
    truncated, occluded = element.flag("truncated"), element.flag("occluded")
    difficult = element.flag("difficult")
    parts = [_read_part(part, remarks, size) for part in node.find_all("part")]
    _check_part_counts(node, name, remarks)
    actions, point = _read_actions(element), _read_point(element, size)
    if name is None or box is None or None in parts:
        return None
    return VocObject(
        name=name,
        box=box,
        pose=pose,
        truncated=truncated,
        occluded=occluded,
        difficult=difficult,
        parts=tuple(part for part in parts if part is not None),
        actions=actions,
        point=point,
    )


def _line_of(node: Node, tag: str) -> int:
    child = node.find(tag)
    return node.line if child is None else child.line


def _read_box(element: Element, size: VocSize | None) -> VocBox | None:
    inner = element.element("bndbox", is_required=True)
    if inner is None:
        return None
    xmin, ymin = inner.number("xmin"), inner.number("ymin")
    xmax, ymax = inner.number("xmax"), inner.number("ymax")
    if xmin is None or ymin is None or xmax is None or ymax is None:
        return None
    box = VocBox(xmin, ymin, xmax, ymax)
    _check_box(inner, box, size)
    return box


def _check_box(element: Element, box: VocBox, size: VocSize | None) -> None:
    shown = f"xmin {box.xmin}, ymin {box.ymin}, xmax {box.xmax}, ymax {box.ymax}"
    line = element.node.line
    if box.xmin > box.xmax or box.ymin > box.ymax:
        message = f"expected xmin <= xmax and ymin <= ymax, got {shown}"
        element.remarks.add(line, "box-order", message)
    is_inside = box.xmin >= 1 and box.ymin >= 1
    if size is not None:
        is_inside = is_inside and box.xmax <= size.width and box.ymax <= size.height
    if not is_inside:
        within = f" of {size.width} x {size.height}" if size else ""
        message = f"expected a box inside the image{within}, from 1, got {shown}"
        element.remarks.add(line, "box-inside", message)


def _read_part(node: Node, remarks: Remarks, size: VocSize | None) -> VocPart | None:
    element = Element(node, remarks)
    name = element.word("name", is_required=True)
    box = _read_box(element, size)
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
        message = f"expected {EXCLUSIVE_ACTION!r} alone, got {', '.join(performed)}"
        element.remarks.add(inner.node.line, "actions", message)
    return actions


def _read_point(element: Element, size: VocSize | None) -> VocPoint | None:
    inner = element.element("point")
    if inner is None:
        return None
    x, y = inner.number("x"), inner.number("y")
    if x is None or y is None:
        return None
    if min(x, y) < 1 or (size is not None and (x > size.width or y > size.height)):
        message = f"expected a point inside the image, got x {x}, y {y}"
        element.remarks.add(inner.node.line, "point-inside", message)
    return VocPoint(x, y)
