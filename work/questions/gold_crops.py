"""Crops of gold images, whose answer is known: true boxes, and wrong ones made of them; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from catalog.annotated import AnnotatedObject
from catalog.box import Box, clamp, overlap
from catalog.states import Said

T = TypeVar("T")
PART_SHARE = 0.4
"""How much of its longer side a box keeps that shows only a part."""
LARGER = 0.6
"""By which share of its sides a box grows on each side that is too large."""
SHIFTED = 0.65
"""By which share of its width a box moves that is beside the object."""
DIFFERS = 0.5
"""A box that overlaps each object of the class by less is wrong, as in VOC's evaluation."""
LEAST_SIDE_PX = 12
MOST_SHARE = 0.8
"""A box that covers more of its image is not asked: hardly any surroundings tell it from others."""


@dataclass(frozen=True)
class GoldObject:
    """An object of a gold image's reference, and all objects that this has."""

    image_id: int
    size: tuple[int, int]
    item: AnnotatedObject
    all_items: Sequence[AnnotatedObject]


@dataclass(frozen=True)
class GoldCrop:
    """A box of a gold image about which the answer is known, made of the object of the key."""

    image_id: int
    object_key: str
    box: Box
    known: Said


def choose_crop(gold: Sequence[GoldObject], class_id: str, lot: int) -> GoldCrop | None:
    """A crop to ask about the class, right or wrong by an even lot, or None where none is left.

    A lot that finds no object of its own kind gets a crop of the other.
    """
    wants_right = lot % 2 == 0
    lot //= 2
    of_class = [
        gold_object
        for gold_object in gold
        if gold_object.item.class_id == class_id
        and not gold_object.item.difficult
        and _has_surroundings(gold_object.item.box, gold_object.size)
    ]
    right = _turn(of_class, lot)[:1]
    if right and wants_right:
        return _make_right(right[0])
    wrong = next(_list_wrong(gold, class_id, lot), None)
    return wrong or (_make_right(right[0]) if right else None)


def _make_right(gold: GoldObject) -> GoldCrop:
    return GoldCrop(gold.image_id, gold.item.key, gold.item.box, Said.RIGHT)


def _list_wrong(gold: Sequence[GoldObject], class_id: str, lot: int) -> Iterator[GoldCrop]:
    """Wrong crops for the class, of a kind that the lot puts first."""
    kinds = tuple(_MAKERS)
    for known in _turn(kinds, lot):
        for gold_object in _turn(gold, lot // len(kinds)):
            box = _MAKERS[known](gold_object, class_id, lot)
            if box is None or not _has_surroundings(box, gold_object.size):
                continue
            if _is_wrong(box, gold_object, class_id):
                yield GoldCrop(gold_object.image_id, gold_object.item.key, box, known)


def _has_surroundings(box: Box, size: tuple[int, int]) -> bool:
    return box.area_px <= MOST_SHARE * size[0] * size[1]


def _is_wrong(box: Box, gold: GoldObject, class_id: str) -> bool:
    of_class = (item for item in gold.all_items if item.class_id == class_id)
    return all(overlap(box, item.box) < DIFFERS for item in of_class)


def _make_part(gold: GoldObject, class_id: str, lot: int) -> Box | None:
    """One end of an object of the class."""
    box = gold.item.box
    if gold.item.class_id != class_id or min(box.width_px, box.height_px) < LEAST_SIDE_PX:
        return None
    if box.width_px >= box.height_px:
        width = round(box.width_px * PART_SHARE)
        xmin = box.xmin if lot % 2 else box.xmax - width + 1
        return Box(xmin, box.ymin, xmin + width - 1, box.ymax)
    height = round(box.height_px * PART_SHARE)
    ymin = box.ymin if lot % 2 else box.ymax - height + 1
    return Box(box.xmin, ymin, box.xmax, ymin + height - 1)


def _make_large(gold: GoldObject, class_id: str, _lot: int) -> Box | None:
    """Far more than an object of the class."""
    box = gold.item.box
    if gold.item.class_id != class_id:
        return None
    more = (round(box.width_px * LARGER), round(box.height_px * LARGER))
    around = (box.xmin - more[0], box.ymin - more[1], box.xmax + more[0], box.ymax + more[1])
    return clamp(around, *gold.size)


def _make_shifted(gold: GoldObject, class_id: str, lot: int) -> Box | None:
    """Beside an object of the class, where the image has room for most of it."""
    box = gold.item.box
    if gold.item.class_id != class_id:
        return None
    step = round(box.width_px * SHIFTED)
    for shift in (step, -step) if lot % 2 else (-step, step):
        if box.xmin + shift >= 1 and box.xmax + shift <= gold.size[0]:
            return Box(box.xmin + shift, box.ymin, box.xmax + shift, box.ymax)
    return None


def _make_other(gold: GoldObject, class_id: str, _lot: int) -> Box | None:
    """The box of an object of another class."""
    return None if gold.item.class_id == class_id else gold.item.box


def _make_several(gold: GoldObject, class_id: str, _lot: int) -> Box | None:
    """Around an object of the class and another one of it."""
    box = gold.item.box
    if gold.item.class_id != class_id:
        return None
    for item in gold.all_items:
        if item.class_id == class_id and item.key != gold.item.key:
            other = item.box
            return Box(
                min(box.xmin, other.xmin),
                min(box.ymin, other.ymin),
                max(box.xmax, other.xmax),
                max(box.ymax, other.ymax),
            )
    return None


def _make_beside_or_other(gold: GoldObject, class_id: str, lot: int) -> Box | None:
    return _make_other(gold, class_id, lot) or _make_shifted(gold, class_id, lot)


_MAKERS: Mapping[Said, Callable[[GoldObject, str, int], Box | None]] = {
    Said.PART: _make_part,
    Said.LARGE: _make_large,
    Said.SEVERAL: _make_several,
    Said.WRONG: _make_beside_or_other,
}


def _turn(items: Sequence[T], lot: int) -> list[T]:
    """The items, the one of the lot first."""
    if not items:
        return []
    place = lot % len(items)
    return [*items[place:], *items[:place]]
