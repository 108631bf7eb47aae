"""The tables of the development kit (VOC2011, tables 1 to 4): images and objects by set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from catalog.preset import Preset
from catalog.states import Split
from voc.class_counts import SETS, WHOLE, Count, CountTable, count_by_set, is_in_set

from .statistic_images import CountedImage

_Drawn = Sequence[tuple[Split | None, CountedImage]]


def count_main(images: Sequence[CountedImage], preset: Preset, *, all_objects: bool) -> CountTable:
    """Table 1: objects of every class; the total counts every image of the set."""
    drawn = [(image.split, image) for image in images]
    shown = ("table1", "Main image sets", "Images")
    return _count_classes(shown, drawn, preset, set_names(images), all_objects)


def count_segmentation(
    images: Sequence[CountedImage], preset: Preset, *, all_objects: bool
) -> CountTable:
    """Table 2: as table 1, of images with masks."""
    drawn = [(image.segmented_split, image) for image in images if image.is_segmented]
    shown = ("table2", "Segmentation image sets", "Images with masks")
    return _count_classes(shown, drawn, preset, set_names(images), all_objects)


def count_layout(images: Sequence[CountedImage], preset: Preset) -> CountTable:
    """Table 3: objects whose parts are given, of the classes that have parts."""
    sets, names = set_names(images), [item.name for item in preset.classes if item.has_parts]
    drawn = [(it.split, [(one.class_name,) for one in it.objects if one.parts]) for it in images]
    rows, _ = count_by_set(drawn, names, sets)
    caption = "Images that show at least one object with parts, and objects with parts."
    empty = "No class of the preset has parts, so the table has no rows."
    return CountTable("table3", "Layout image sets", caption, sets, rows, empty=empty)


def count_actions(images: Sequence[CountedImage], preset: Preset) -> CountTable:
    """Table 4: objects that do each action; several may be done at once."""
    sets, names = set_names(images), [item.name for item in preset.actions]
    drawn = [(image.split, [item.actions for item in image.objects]) for image in images]
    rows, total = count_by_set(drawn, names, sets)
    caption = "Images that show someone doing it, and how many do; one may do several things."
    empty = "The preset has no actions, so the table has no rows."
    return CountTable("table4", "Action image sets", caption, sets, rows, total, empty)


def set_names(images: Iterable[CountedImage]) -> tuple[str, ...]:
    """The sets to be counted: VOC's four where images have sets, else one of all."""
    return SETS if any(image.split for image in images) else (WHOLE,)


def _count_classes(
    shown: tuple[str, str, str],
    drawn: _Drawn,
    preset: Preset,
    sets: tuple[str, ...],
    all_objects: bool,
) -> CountTable:
    """The table of these images; without a row where there is no image."""
    name, title, images = shown
    what = "all objects" if all_objects else "objects that are not difficult"
    caption = f"{images} that show at least one object of the class, and objects; of {what}."
    if not drawn and name == "table2":
        empty = "No image has segmentation masks in a release."
        return CountTable(name, title, caption, sets, (), empty=empty)
    words = [
        (split, [(it.class_name,) for it in image.objects if all_objects or not it.difficult])
        for split, image in drawn
    ]
    rows, objects = count_by_set(words, preset.class_names, sets)
    total = tuple(
        Count(sum(is_in_set(it, split) for split, _ in drawn), count.objects)
        for it, count in zip(sets, objects, strict=True)
    )
    return CountTable(name, title, caption, sets, rows, total)
