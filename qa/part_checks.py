"""Checks of parts: a person's head, hands and feet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from catalog.box import Box, intersection_px

from .findings import Complaint, Frame
from .subjects import CheckedImage


def find_unknown_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Objects with a part that the preset does not have, or of a class that has none."""
    known = {part.name for part in frame.preset.parts}
    for item in image.objects:
        spec = frame.preset.find_class(item.class_name)
        for name in sorted({part.name for part in item.parts} - known):
            yield Complaint(f"The preset has no part {name}.", item, beside=name)
        if item.parts and spec is not None and not spec.has_parts:
            yield Complaint(f"The class {spec.display} has no parts, but some are given.", item)


def find_too_many_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Objects with more parts of one name than one object has (VOC: one head, two hands)."""
    most = {part.name: part.max_count for part in frame.preset.parts}
    for item in image.objects:
        for name, count in sorted(Counter(part.name for part in item.parts).items()):
            if name in most and count > most[name]:
                yield Complaint(
                    f"It has {count} parts named {name}, but {most[name]} at most are allowed.",
                    item,
                    beside=name,
                )


def find_far_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Objects with a part that shares no pixel with their box, or reaches far out of it."""
    for item in image.objects:
        most_px = frame.settings.qa.far_part_share * max(item.box.width_px, item.box.height_px)
        for part in item.parts:
            beside = f"{part.name} {part.box.xyxy}"
            if not intersection_px(part.box, item.box):
                message = f"The {part.name} lies wholly outside the object's box."
                yield Complaint(message, item, beside)
            elif _reach_px(part.box, item.box) > most_px:
                message = f"The {part.name} reaches far out of the object's box."
                yield Complaint(message, item, beside)


def find_large_parts(image: CheckedImage, _frame: Frame) -> Iterator[Complaint]:
    """Objects with a part whose box is larger than their own."""
    for item in image.objects:
        for part in item.parts:
            if part.box.area_px > item.box.area_px:
                beside = f"{part.name} {part.box.xyxy}"
                yield Complaint(f"The {part.name} is larger than the object.", item, beside)


def _reach_px(part: Box, whole: Box) -> int:
    """By how many pixels the part reaches out on the side where it reaches out most."""
    return max(
        whole.xmin - part.xmin,
        whole.ymin - part.ymin,
        part.xmax - whole.xmax,
        part.ymax - whole.ymax,
        0,
    )
