"""Checks of what is said of objects (class, view, flags, actions, parts) and of the time taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from catalog.annotated import AnnotatedObject
from catalog.box import intersection_px
from catalog.states import View

from .findings import CheckedImage, Complaint, Frame


def find_unknown_classes(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """The preset does not have the object's class."""
    for item in image.objects:
        if frame.preset.find_class(item.class_name) is None:
            yield Complaint(f"The preset has no class {item.class_name}.", item)


def find_missing_views(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object of a class that has views has none."""
    if set(frame.preset.views) == {View.UNSPECIFIED}:
        return
    for item in image.objects:
        spec = frame.preset.find_class(item.class_name)
        if spec is not None and spec.has_views and item.view == View.UNSPECIFIED:
            yield Complaint("No view set. Is it really unspecified?", item)


def find_unknown_views(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has a view that the preset or its class does not have."""
    for item in image.objects:
        spec = frame.preset.find_class(item.class_name)
        if item.view not in frame.preset.views:
            yield Complaint(f"The preset has no view {item.view}.", item)
        elif spec is not None and not spec.has_views and item.view != View.UNSPECIFIED:
            yield Complaint(f"The class {spec.display} has no views, but {item.view} is set.", item)


def find_unknown_flags(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has a flag that the preset does not have; a release would not show it."""
    known = {flag.name for flag in frame.preset.flags}
    for item in image.objects:
        for name in ("truncated", "occluded", "difficult"):
            if getattr(item, name) and name not in known:
                message = f"Marked {name}, but this party does not use that flag."
                yield Complaint(message, item, detail=name)


def find_unknown_actions(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has an action that the preset or its class does not have."""
    known = {action.name for action in frame.preset.actions}
    for item in image.objects:
        unknown = [name for name in item.actions if name not in known]
        yield from _complain_of_unknown(item, frame, "action", unknown)


def find_exclusive_actions(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """The action "other" is set together with another one."""
    alone = {action.name: action.display for action in frame.preset.actions if action.is_exclusive}
    for item in image.objects:
        for name in item.actions:
            if name in alone and len(set(item.actions)) > 1:
                yield Complaint(
                    f'The action "{alone[name]}" cannot be combined with others.', item, detail=name
                )


def find_no_objects(image: CheckedImage, _frame: Frame) -> Iterator[Complaint]:
    """The image has no object and was not discarded."""
    if not image.objects:  # VOC's kits cannot read such a file
        yield Complaint("No object is marked. Discard the image instead.")


def find_short_time(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """The image was annotated too quickly."""
    limits = frame.settings.qa
    if image.active_secs is None:
        return
    least = max(limits.min_active_secs, limits.min_active_secs_per_object * len(image.objects))
    if image.active_secs < least:
        yield Complaint(
            f"Finished in {image.active_secs:.1f} s; please look again.",
            badness=1 - image.active_secs / least,
        )


def find_unknown_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has a part that the preset or its class does not have."""
    known = {part.name for part in frame.preset.parts}
    for item in image.objects:
        unknown = sorted({part.name for part in item.parts} - known)
        yield from _complain_of_unknown(item, frame, "part", unknown)


def find_too_many_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has more parts of one name than the preset allows."""
    most = {part.name: part.max_count for part in frame.preset.parts}
    for item in image.objects:
        for name, count in sorted(Counter(part.name for part in item.parts).items()):
            if name in most and count > most[name]:
                yield Complaint(
                    f"It has {count} parts named {name}; at most {most[name]} are allowed.",
                    item,
                    detail=name,
                )


def find_far_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """A part shares no pixel with the box of its object, or reaches far out of it."""
    for item in image.objects:
        most_px = frame.settings.qa.far_part_share * max(item.box.width_px, item.box.height_px)
        for part in item.parts:
            box, whole = part.box, item.box
            before = (whole.xmin - box.xmin, whole.ymin - box.ymin)
            reach_px = max(*before, box.xmax - whole.xmax, box.ymax - whole.ymax)
            is_outside = not intersection_px(box, whole)
            if is_outside or reach_px > most_px:
                how = "is outside" if is_outside else "reaches far out of"
                message = f"The {part.name} {how} the object's box."
                yield Complaint(message, item, f"{part.name} {box.xyxy}")


def find_large_parts(image: CheckedImage, _frame: Frame) -> Iterator[Complaint]:
    """A part is larger than its object."""
    for item in image.objects:
        for part in item.parts:
            if part.box.area_px > item.box.area_px:
                detail = f"{part.name} {part.box.xyxy}"
                yield Complaint(f"The {part.name} is larger than the object.", item, detail)


def _complain_of_unknown(
    item: AnnotatedObject, frame: Frame, noun: str, unknown: Sequence[str]
) -> Iterator[Complaint]:
    for name in unknown:
        yield Complaint(f"The preset has no {noun} {name}.", item, detail=name)
    spec = frame.preset.find_class(item.class_name)
    if getattr(item, f"{noun}s") and spec is not None and not getattr(spec, f"has_{noun}s"):
        yield Complaint(f"The class {spec.display} has no {noun}s, but some are set.", item)
