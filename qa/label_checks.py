"""Checks of what is said of objects: class, view, flags, actions; and of the time it took."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.states import View

from .findings import Complaint, Frame
from .subjects import CheckedImage


def find_unknown_classes(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Objects of a class that the preset does not have."""
    for item in image.objects:
        if frame.preset.find_class(item.class_name) is None:
            yield Complaint(f"The preset has no class {item.class_name}.", item)


def find_missing_views(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Objects without a view, of a class that has views."""
    if set(frame.preset.views) == {View.UNSPECIFIED}:
        return
    for item in image.objects:
        spec = frame.preset.find_class(item.class_name)
        if spec is not None and spec.has_views and item.view is View.UNSPECIFIED:
            yield Complaint(
                f"The {spec.display} has no view; is it none of those that can be named?", item
            )


def find_unknown_views(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Objects with a view that the preset does not have, or of a class that has none."""
    for item in image.objects:
        spec = frame.preset.find_class(item.class_name)
        if item.view not in frame.preset.views:
            yield Complaint(f"The preset has no view {item.view.value}.", item)
        elif spec is not None and not spec.has_views and item.view is not View.UNSPECIFIED:
            yield Complaint(
                f"The class {spec.display} has no views, but {item.view.value} is given.", item
            )


def find_unknown_flags(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Objects with a flag that the preset does not have; a release would not show it."""
    known = {flag.name for flag in frame.preset.flags}
    for item in image.objects:
        for name in ("truncated", "occluded", "difficult"):
            if getattr(item, name) and name not in known:
                message = f"It is marked {name}, a flag that the preset does not have."
                yield Complaint(message, item, beside=name)


def find_unknown_actions(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Objects with an action that the preset does not have, or of a class that has none."""
    known = {action.name for action in frame.preset.actions}
    for item in image.objects:
        spec = frame.preset.find_class(item.class_name)
        for name in item.actions:
            if name not in known:
                yield Complaint(f"The preset has no action {name}.", item, beside=name)
        if item.actions and spec is not None and not spec.has_actions:
            yield Complaint(f"The class {spec.display} has no actions, but some are given.", item)


def find_exclusive_actions(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Objects with an action that holds alone ("other") beside another one."""
    alone = {action.name: action.display for action in frame.preset.actions if action.is_exclusive}
    for item in image.objects:
        for name in item.actions:
            if name in alone and len(set(item.actions)) > 1:
                yield Complaint(f'The action "{alone[name]}" holds only alone.', item, beside=name)


def find_no_objects(image: CheckedImage, _frame: Frame) -> Iterator[Complaint]:
    """Images that are neither discarded nor hold an object; VOC's kits cannot read such a file."""
    if not image.objects:
        yield Complaint("The image holds no object; discard it with that reason.")


def find_short_time(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """Images that were annotated faster than anybody can; nothing where nobody measured."""
    limits = frame.settings.qa
    if image.active_secs is None:
        return
    least = max(limits.min_active_secs, limits.min_active_secs_per_object * len(image.objects))
    if image.active_secs < least:
        yield Complaint(
            f"The image took {image.active_secs:.1f} active seconds, less than {least:g}.",
            badness=1 - image.active_secs / least,
        )
