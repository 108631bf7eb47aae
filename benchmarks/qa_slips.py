"""Slips planted into right annotations, one kind for each automatic check of images.

Slips are as people make them, so some lie beyond what a check looks at: a second box is drawn by
hand and not copied, an object cut by the border is drawn short of it, a carried-over box is moved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from catalog.box import Box
from catalog.settings import CONFUSABLE
from catalog.states import View
from qa.subjects import CheckedImage, CheckedObject, CheckedPart

from .qa_scenes import Hand, box_at_border

AGAIN_SHARE = 0.06  # how far an edge is off when an object is drawn again, as a share of its side


@dataclass(frozen=True)
class Planted:
    """An image with a slip, and the key of the object that the check has to name."""

    image: CheckedImage
    key: str | None


Plant = Callable[[CheckedImage, Hand], Planted]


def change(image: CheckedImage, hand: Hand, **values: Any) -> Planted:
    """One of the objects with other values."""
    place = int(hand.rng.integers(len(image.objects)))
    objects = list(image.objects)
    objects[place] = replace(objects[place], **values)
    return Planted(replace(image, objects=tuple(objects)), objects[place].key)


def add(image: CheckedImage, item: CheckedObject) -> Planted:
    """One more object, drawn last."""
    added = replace(item, key="planted", number=len(image.objects) + 1)
    return Planted(replace(image, objects=(*image.objects, added)), added.key)


def as_person(image: CheckedImage, hand: Hand, **values: Any) -> Planted:
    """One of the objects made a person in the middle of the image, with other values."""
    return change(image, hand, class_name="person", **({"box": hand.place(60, 180)} | values))


def draw_again(box: Box, hand: Hand) -> Box:
    """The box as it is drawn a second time."""
    sides = (box.width_px, box.height_px) * 2
    off = hand.rng.normal(0, AGAIN_SHARE, size=4)
    left, top, right, bottom = (
        edge + share * side for edge, share, side in zip(box.xyxy, off, sides, strict=True)
    )
    return hand.fit((left, top, max(left, right), max(top, bottom)))


def reach_outside(image: CheckedImage, hand: Hand) -> Planted:
    """A box that goes on beyond the right border."""
    box = hand.place()
    past = image.width_px + int(hand.rng.integers(1, 20))
    return change(image, hand, box=Box(box.xmin, box.ymin, past, box.ymax))


def click_for_box(image: CheckedImage, hand: Hand) -> Planted:
    """A box of up to six pixels, from a click that slipped."""
    corner = hand.place()
    width, height = (int(side) for side in hand.rng.integers(1, 7, size=2))
    box = Box(corner.xmin, corner.ymin, corner.xmin + width - 1, corner.ymin + height - 1)
    return add(image, replace(image.objects[0], box=box))


def draw_twice(image: CheckedImage, hand: Hand) -> Planted:
    """One object drawn a second time."""
    item = hand.pick(image.objects)
    return add(image, replace(item, box=draw_again(item.box, hand)))


def draw_as_alike(image: CheckedImage, hand: Hand) -> Planted:
    """One object drawn a second time, as a class that looks alike."""
    first, second = hand.pick(CONFUSABLE)
    held = change(image, hand, class_name=first)
    item = next(one for one in held.image.objects if one.key == held.key)
    return add(held.image, replace(item, class_name=second, box=draw_again(item.box, hand)))


def draw_as_other(image: CheckedImage, hand: Hand) -> Planted:
    """One object drawn a second time, as a class that looks nothing like it."""
    held = change(image, hand, class_name="bottle")
    item = next(one for one in held.image.objects if one.key == held.key)
    return add(held.image, replace(item, class_name="train", box=draw_again(item.box, hand)))


def forget_truncated(image: CheckedImage, hand: Hand) -> Planted:
    """An object that the border cuts without the flag, a fifth of them drawn short of it."""
    short_px = int(hand.rng.integers(1, 5)) if hand.rng.random() < 0.2 else 0
    box = box_at_border(hand.place(), hand, short_px)
    return change(image, hand, box=box, truncated=False)


def flag_truncated(image: CheckedImage, hand: Hand) -> Planted:
    """A flag on an object that is whole, wherever it is."""
    return change(image, hand, truncated=True, occluded=False)


def misplace_part(image: CheckedImage, hand: Hand) -> Planted:
    """A person with the hand of somebody else, anywhere in the image."""
    part = CheckedPart("hand", hand.place(10, 40))
    return as_person(image, hand, box=hand.place(40, 140), parts=(part,))


def draw_person_as_head(image: CheckedImage, hand: Hand) -> Planted:
    """A person whose head was drawn around the whole of them, up to ten pixels wider."""
    box, wide = hand.place(60, 180), int(hand.rng.integers(0, 11))
    head = (box.xmin - wide, box.ymin - wide, box.xmax + wide, box.ymax + wide)
    return as_person(image, hand, box=box, parts=(CheckedPart("head", hand.fit(head)),))


def draw_two_heads(image: CheckedImage, hand: Hand) -> Planted:
    """A person with two heads."""
    box = hand.place(60, 180)
    return as_person(image, hand, box=box, parts=(CheckedPart("head", hand.tremble(box)),) * 2)


def give_tail(image: CheckedImage, hand: Hand) -> Planted:
    """A person with a part that people do not have."""
    box = hand.place(60, 180)
    return as_person(image, hand, box=box, parts=(CheckedPart("tail", hand.tremble(box)),))


def leave_empty(image: CheckedImage, _hand: Hand) -> Planted:
    """An image that was finished with nothing in it."""
    return Planted(replace(image, objects=()), None)


def click_through(image: CheckedImage, hand: Hand) -> Planted:
    """An image that nobody looked at for longer than three seconds."""
    return Planted(replace(image, active_secs=float(hand.rng.uniform(0.3, 3.0))), None)


PLANTS: dict[str, Plant] = {
    "outside_image": reach_outside,
    "unknown_class": lambda image, hand: change(image, hand, class_name="zebra"),
    "unknown_part": give_tail,
    "too_many_parts": draw_two_heads,
    "unknown_action": lambda image, hand: as_person(image, hand, actions=("sleeping",)),
    "exclusive_action": lambda image, hand: as_person(image, hand, actions=("other", "walking")),
    "no_objects": leave_empty,
    "small_box": click_for_box,
    "same_class_overlap": draw_twice,
    "confusable_overlap": draw_as_alike,
    "other_class_overlap": draw_as_other,
    "far_part": misplace_part,
    "large_part": draw_person_as_head,
    "short_time": click_through,
    "border_not_truncated": forget_truncated,
    "truncated_inside": flag_truncated,
    "view_missing": lambda image, hand: as_person(image, hand, view=View.UNSPECIFIED),
    "actions_missing": lambda image, hand: as_person(image, hand, actions=()),
}
"""What is planted for a check that looks at single images, or needs no other to speak."""
