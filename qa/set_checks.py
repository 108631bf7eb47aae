"""Checks that see an image only together with others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

from catalog.box import Box

from .box_checks import count_sides_at_border, is_confusable
from .findings import CheckedImage, Complaint, Frame

MOST_SIDES_AT_BORDER = 2
"""Boxes with more sides on the border have few coordinates left, and coincide by chance."""


def find_identical_boxes(
    images: Sequence[CheckedImage], frame: Frame
) -> Iterator[tuple[int, Complaint]]:
    """An object has exactly the same box as one on another image."""
    margin_px = frame.settings.qa.border_margin_px
    first_places: dict[Box, int] = {}
    for place, image in enumerate(images):
        for item in image.objects:
            if count_sides_at_border(item.box, image, margin_px) > MOST_SIDES_AT_BORDER:
                continue
            first = first_places.setdefault(item.box, place)
            if first != place:
                other = images[first].image_id
                message = f"Same box as in image {other}. Copied by mistake?"
                yield place, Complaint(message, item, detail=str(other))


def find_missing_actions(
    images: Sequence[CheckedImage], frame: Frame
) -> Iterator[tuple[int, Complaint]]:
    """An object of a class that has actions has none, though the party marks actions."""
    if not (frame.marks_actions or any(item.actions for one in images for item in one.objects)):
        return
    for place, image in enumerate(images):
        for item in image.objects:
            spec = frame.preset.find_class(item.class_name)
            if spec is not None and spec.has_actions and not item.actions:
                message = f"No action set for this {spec.display}."
                yield place, Complaint(message, item)


def find_other_labels_of_an_hour(
    images: Sequence[CheckedImage], frame: Frame
) -> Iterator[tuple[int, Complaint]]:
    """Images of one owner and hour have classes that contradict each other.

    Speaks where an image shares no class with any other of its hour, or where it has one of two
    classes that look alike and another has the other.
    """
    hours: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, image in enumerate(images):
        if image.owner is not None and image.taken_hour is not None and image.objects:
            hours[image.owner, image.taken_hour].append(place)
    for places in hours.values():
        if len(places) > 1:
            yield from _compare_hour(images, places, frame)


def _compare_hour(
    images: Sequence[CheckedImage], places: Sequence[int], frame: Frame
) -> Iterator[tuple[int, Complaint]]:
    classes = {place: {item.class_name for item in images[place].objects} for place in places}
    for place in places:
        others = [other for other in places if other != place]
        for other in (it for it in others if it < place):
            here_only, there_only = classes[place] - classes[other], classes[other] - classes[place]
            pairs = product(sorted(here_only), sorted(there_only))
            if names := next((pair for pair in pairs if is_confusable(frame, *pair)), None):
                here, there = map(frame.display, names)
                image_id = images[other].image_id
                message = (
                    f"It shows {here}, but image {image_id} of the same owner and hour shows "
                    f"{there}. Are they the same thing?"
                )
                detail = f"{image_id} {names[0]} {names[1]}"
                yield place, Complaint(message, detail=detail, badness=1.0)
        if not any(classes[place] & classes[other] for other in others):
            image_id = images[others[0]].image_id
            message = f"No class in common with image {image_id} of the same owner and hour."
            yield place, Complaint(message, detail="strange", badness=0.5)
