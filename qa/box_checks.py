"""Checks of where boxes lie: in the image, at its border, on one another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from catalog.annotated import AnnotatedObject
from catalog.box import Box, intersection_px, overlap
from catalog.sentences import say
from catalog.states import WordKind

from .findings import CheckedImage, Complaint, Frame


def find_outside_image(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """A box, a part or a point reaches outside the image."""
    size = f"{image.width_px} x {image.height_px}"
    for item in image.objects:
        if not item.box.is_inside(image.width_px, image.height_px):
            message = say(
                "The box {box} reaches outside the image of {size} pixels.",
                box=_show(item.box),
                size=size,
            )
            yield Complaint(message, item)
        for part in item.parts:
            if not part.box.is_inside(image.width_px, image.height_px):
                message = say(
                    "The {part} {box} reaches outside the image of {size} pixels.",
                    part=frame.display_word(WordKind.PART, part.word),
                    box=_show(part.box),
                    size=size,
                )
                yield Complaint(message, item, detail=f"{part.word} {_show(part.box)}")
        x, y = item.point_xy or (1, 1)
        if not (1 <= x <= image.width_px and 1 <= y <= image.height_px):
            message = say(
                "The point {point} lies outside the image of {size} pixels.",
                point=str(item.point_xy),
                size=size,
            )
            yield Complaint(message, item, "point")


def find_small_boxes(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """A box has a side shorter than the party's smallest."""
    least = frame.settings.annotate.min_box_px
    for item in image.objects:
        if min(item.box.width_px, item.box.height_px) < least:
            size = f"{item.box.width_px} x {item.box.height_px}"
            message = say(
                "The box is {size} pixels; each side needs at least {least}.",
                size=size,
                least=least,
            )
            yield Complaint(message, item)


def find_same_class_overlaps(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Two boxes of one class overlap or are nearly the same; most are one object drawn twice."""
    # ImageNet, appendix 5; its page kept boxes of one class at least 5 pixels apart
    least_px = frame.settings.qa.same_class_px
    for first, second in _list_pairs(image):
        if first.class_name != second.class_name:
            continue
        shared = overlap(first.box, second.box)
        if shared > frame.settings.qa.same_class_overlap:
            message = say(
                "It overlaps object {number} of the same class (IoU {iou:.2f}). Drawn twice?",
                number=first.number,
                iou=shared,
            )
        elif (apart_px := _measure_apart(first.box, second.box)) < least_px:
            message = say(
                "No side is more than {px} px from that of object {number} of the same class. "
                "Drawn twice?",
                number=first.number,
                px=apart_px,
            )
        else:
            continue
        yield Complaint(message, second, detail=first.key, badness=shared, other=first)


def find_confusable_overlaps(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Two objects of similar classes overlap; many are one object with two classes."""
    # ImageNet, appendix 5
    yield from _complain_of_classes(image, frame, frame.settings.qa.confusable_overlap, True)


def find_other_class_overlaps(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Two objects of different classes overlap; some are one object with two classes."""
    yield from _complain_of_classes(image, frame, frame.settings.qa.other_class_overlap, False)


def is_confusable(frame: Frame, first: str, second: str) -> bool:
    """Whether the party holds the two classes to look alike."""
    pairs = frame.settings.qa.confusable
    return (first, second) in pairs or (second, first) in pairs


def find_border_not_truncated(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object touches the border of the image but is not truncated."""
    if all(flag.name != "truncated" for flag in frame.preset.flags):
        return
    for item in image.objects:
        if not item.truncated and _is_at_border(item.box, image, frame):
            yield Complaint(say("The box touches the border. Is the object truncated?"), item)


def find_truncated_inside(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object is truncated, but no border and no other object cuts it, and it is not occluded."""
    for item in image.objects:
        is_explained = item.occluded or _is_at_border(item.box, image, frame)
        if item.truncated and not is_explained and not _meets_another(item, image):
            yield Complaint(
                say("Marked truncated, but touches neither the border nor another object."), item
            )


def count_sides_at_border(box: Box, image: CheckedImage, margin_px: int) -> int:
    """How many sides of the box lie within the margin of the image's outermost pixels."""
    before = box.xmin <= 1 + margin_px, box.ymin <= 1 + margin_px
    right = image.width_px - margin_px
    bottom = image.height_px - margin_px
    return sum((*before, box.xmax >= right, box.ymax >= bottom))


def _complain_of_classes(
    image: CheckedImage, frame: Frame, most: float, are_alike: bool
) -> Iterator[Complaint]:
    for first, second in _list_pairs(image):
        names = (first.class_name, second.class_name)
        if names[0] == names[1] or is_confusable(frame, *names) is not are_alike:
            continue
        if (shared := overlap(first.box, second.box)) > most:
            yield Complaint(
                say(
                    "It overlaps object {number} ({class_name}) (IoU {iou:.2f}). One object with "
                    "two classes?",
                    number=first.number,
                    class_name=frame.display(first.class_name),
                    iou=shared,
                ),
                second,
                detail=first.key,
                badness=shared,
                other=first,
            )


def _list_pairs(image: CheckedImage) -> Iterator[tuple[AnnotatedObject, AnnotatedObject]]:
    """Every two objects, in the annotator's order.

    A box around a group lies on others, such as on those in front of it that have their own.
    """
    return combinations((item for item in image.objects if not item.group_of), 2)


def _measure_apart(first: Box, second: Box) -> int:
    """The largest distance of two sides of the same name, in pixels."""
    return max(abs(side - other) for side, other in zip(first.xyxy, second.xyxy, strict=True))


def _is_at_border(box: Box, image: CheckedImage, frame: Frame) -> bool:
    return count_sides_at_border(box, image, frame.settings.qa.border_margin_px) > 0


def _meets_another(item: AnnotatedObject, image: CheckedImage) -> bool:
    xmin, ymin, xmax, ymax = item.box.xyxy
    grown = Box(max(xmin - 1, 1), max(ymin - 1, 1), xmax + 1, ymax + 1)
    others = (other.box for other in image.objects if other is not item)
    return any(intersection_px(grown, box) > 0 for box in others)


def _show(box: Box) -> str:
    return f"({', '.join(map(str, box.xyxy))})"
