"""The tables of the development kit: images and objects by class and set.

VOC2011 devkit, tables 1 to 4. Table 2 counts segmentation, which people do not draw here: what it
counts was imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from catalog.preset import Preset

from .statistic_images import CountedImage, set_names
from .subjects import CheckedObject

Counted = Callable[[CheckedObject], bool]


@dataclass(frozen=True)
class Count:
    """Images that hold at least one counted object, and the counted objects."""

    images: int
    objects: int


Counts: TypeAlias = tuple[Count, ...]


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


def count_segmentation(
    images: Sequence[CountedImage], preset: Preset, *, all_objects: bool
) -> CountTable:
    """Table 2: objects of every class in images that were imported with masks, as in table 1.

    Without difficult ones, which masks leave void. No row where no image is segmented.
    """
    sets = set_names(list(images))
    segmented = [[image for image in images if image.is_segmented_in(name)] for name in sets]
    what = "all objects" if all_objects else "objects that are not difficult"
    rows: tuple[tuple[str, Counts], ...] = ()
    total: Counts | None = None
    if any(segmented):
        rows, total = _count_segmented(segmented, preset, all_objects)
    return CountTable(
        2,
        "Segmentation image sets",
        f"Images with masks that show at least one object of the class, and objects; of {what}.",
        sets,
        rows,
        total,
        "No image is segmented: people draw boxes here, and none was imported with masks.",
    )


def _count_segmented(
    segmented: Sequence[Sequence[CountedImage]], preset: Preset, all_objects: bool
) -> tuple[tuple[tuple[str, Counts], ...], Counts]:
    """The row of every class, and the total, of the segmented images of every set."""
    rows = []
    for item in preset.classes:
        is_counted = _is_class(item.name, all_objects)
        rows.append((item.name, tuple(_count(images, is_counted) for images in segmented)))
    objects = [_count(images, lambda it: all_objects or not it.difficult) for images in segmented]
    total = tuple(
        Count(len(images), count.objects) for images, count in zip(segmented, objects, strict=True)
    )
    return tuple(rows), total


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


def _count(images: Sequence[CountedImage], is_counted: Counted) -> Count:
    counts = [sum(map(is_counted, image.objects)) for image in images]
    return Count(sum(count > 0 for count in counts), sum(counts))


def _is_class(name: str, all_objects: bool) -> Counted:
    return lambda item: item.class_name == name and (all_objects or not item.difficult)


def _has_parts(name: str) -> Counted:
    return lambda item: item.class_name == name and bool(item.parts)


def _does(action: str) -> Counted:
    return lambda item: action in item.actions
