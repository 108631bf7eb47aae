"""The tables of the development kit: images and objects by class and set.

VOC2011 devkit, tables 1 to 4. Table 2 counts segmentation, which a party does not make.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from catalog.preset import Preset

from .statistic_images import CountedImage, set_names
from .subjects import CheckedObject

Counted = Callable[[CheckedObject], bool]


@dataclass(frozen=True)
class Count:
    """Images that hold at least one counted object, and the counted objects."""

    images: int
    objects: int


@dataclass(frozen=True)
class CountTable:
    """A table of counts: a row a word, a column a set. `total` may be missing.

    `empty` says why there is no row, where there is none.
    """

    number: int
    title: str
    caption: str
    sets: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Count, ...]], ...]
    total: tuple[Count, ...] | None = None
    empty: str = ""


def count_main(images: Sequence[CountedImage], preset: Preset, *, all_objects: bool) -> CountTable:
    """Table 1: objects of every class, without difficult ones unless all are asked for.

    The total of images counts every image of the set, since an image may show several classes or
    difficult objects only.
    """
    sets = set_names(list(images))
    rows = [
        (item.name, _count_sets(images, sets, _is_class(item.name, all_objects)))
        for item in preset.classes
    ]
    objects = _count_sets(images, sets, lambda item: all_objects or not item.difficult)
    total = tuple(
        Count(sum(image.is_in(name) for image in images), count.objects)
        for name, count in zip(sets, objects, strict=True)
    )
    what = "all objects" if all_objects else "objects that are not difficult"
    return CountTable(
        1,
        "Main image sets",
        f"Images that show at least one object of the class, and objects; of {what}.",
        sets,
        tuple(rows),
        total,
    )


def count_segmentation(images: Sequence[CountedImage]) -> CountTable:
    """Table 2: no row, since parties draw boxes and nobody segments."""
    caption = "Images that are segmented, and objects in them."
    empty = "No image is segmented: a party draws boxes, so the table has no rows."
    sets = set_names(list(images))
    return CountTable(2, "Segmentation image sets", caption, sets, (), empty=empty)


def count_layout(images: Sequence[CountedImage], preset: Preset) -> CountTable:
    """Table 3: objects whose parts are given, of the classes that have parts."""
    sets = set_names(list(images))
    rows = [
        (item.name, _count_sets(images, sets, _has_parts(item.name)))
        for item in preset.classes
        if item.has_parts
    ]
    caption = "Images that show at least one object with parts, and objects with parts."
    empty = "No class of the preset has parts, so the table has no rows."
    return CountTable(3, "Layout image sets", caption, sets, tuple(rows), empty=empty)


def count_actions(images: Sequence[CountedImage], preset: Preset) -> CountTable:
    """Table 4: objects that do each action; several may be done at once."""
    sets = set_names(list(images))
    rows = [(item.name, _count_sets(images, sets, _does(item.name))) for item in preset.actions]
    total = _count_sets(images, sets, lambda item: bool(item.actions))
    caption = "Images that show somebody doing it, and how many do; one may do several things."
    empty = "The preset has no actions, so the table has no rows."
    return CountTable(4, "Action image sets", caption, sets, tuple(rows), total, empty)


def _count_sets(
    images: Sequence[CountedImage], sets: Sequence[str], is_counted: Counted
) -> tuple[Count, ...]:
    counts = [(image, sum(map(is_counted, image.objects))) for image in images if image.objects]
    return tuple(
        Count(
            sum(count > 0 for image, count in counts if image.is_in(name)),
            sum(count for image, count in counts if image.is_in(name)),
        )
        for name in sets
    )


def _is_class(name: str, all_objects: bool) -> Counted:
    return lambda item: item.class_name == name and (all_objects or not item.difficult)


def _has_parts(name: str) -> Counted:
    return lambda item: item.class_name == name and bool(item.parts)


def _does(action: str) -> Counted:
    return lambda item: action in item.actions
