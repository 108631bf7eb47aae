"""Checks that see an image only beside others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from catalog.box import Box

from .box_checks import count_sides_at_border
from .findings import Complaint, Frame
from .subjects import CheckedImage, CheckedObject

MOST_SIDES_AT_BORDER = 2
"""Boxes with more sides on the border have few coordinates left, and coincide by chance."""


def find_identical_boxes(
    images: Sequence[CheckedImage], frame: Frame
) -> Iterator[tuple[int, Complaint]]:
    """Objects with the very box of an object of their class on an earlier image of the list."""
    margin_px = frame.settings.qa.border_margin_px
    first_places: dict[tuple[str, Box], int] = {}
    for place, image in enumerate(images):
        for item in image.objects:
            if count_sides_at_border(item.box, image, margin_px) > MOST_SIDES_AT_BORDER:
                continue
            first = first_places.setdefault((item.class_name, item.box), place)
            if first != place:
                yield place, _complain(item, images[first])


def find_missing_actions(
    images: Sequence[CheckedImage], frame: Frame
) -> Iterator[tuple[int, Complaint]]:
    """Objects without an action, of a class that has actions, where any object has one at all."""
    if not any(item.actions for image in images for item in image.objects):
        return
    for place, image in enumerate(images):
        for item in image.objects:
            spec = frame.preset.find_class(item.class_name)
            if spec is not None and spec.has_actions and not item.actions:
                message = f"The {spec.display} has no action, though others have; choose one."
                yield place, Complaint(message, item)


def _complain(item: CheckedObject, other: CheckedImage) -> Complaint:
    return Complaint(
        f"Image {other.image_id} has the very same box with the same class: was it carried over?",
        item,
    )
