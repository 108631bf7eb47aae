"""What differs between the sets of a dataset: sizes, owners, years and classes, side by side."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from statistics import fmean, median
from typing import NamedTuple

from vockit.format.class_counts import Cell, Share, Table, is_in_set
from vockit.format.records import VocObject

_YEAR = re.compile("[12][0-9]{3}(?![0-9])")
TITLE = "What differs between the sets"
_CAPTION = (
    "Owners are counted where they are known. The year is that of the upload, else that of the "
    "photograph. The size of a box is the square root of its share of the image."
)
_OF_ASKED = " How many images show a class is a share of those that were asked about it."


class SetObject(NamedTuple):
    """An object with the area of its box."""

    class_name: str
    is_difficult: bool
    area_px: float


@dataclass(frozen=True)
class SetImage:
    """An image and the set that it is in, with what is known of its photograph.

    Nobody was asked whether it shows the `unasked` classes: no share of these counts it.
    """

    set_name: str
    size_wh: tuple[int, int]
    objects: Sequence[SetObject]
    owner: str | None = None
    year: int | None = None
    unasked: Set[str] = frozenset()


def list_objects(objects: Iterable[VocObject]) -> list[SetObject]:
    """The objects of an annotation file; both ends of a box are inside."""
    return [
        SetObject(
            class_name=item.name,
            is_difficult=bool(item.difficult),
            area_px=float(
                (item.box.xmax - item.box.xmin + 1) * (item.box.ymax - item.box.ymin + 1)
            ),
        )
        for item in objects
    ]


def find_year(*moments: object) -> int | None:
    """The year of the first of these moments or texts that begins with one."""
    for moment in moments:
        if match := _YEAR.match(str(moment)):
            return int(match[0])
    return None


def compare_sets(
    images: Iterable[SetImage], sets: Sequence[str], class_names: Sequence[str]
) -> Table:
    """A column for each set; a measure that nothing is known of is None."""
    images = list(images)
    held = [[image for image in images if is_in_set(name, image.set_name)] for name in sets]
    columns = [_measure(some, class_names) for some in held]
    rows = [(measure, *(column[measure] for column in columns)) for measure in columns[0]]
    caption = _CAPTION + _OF_ASKED if any(image.unasked for image in images) else _CAPTION
    return Table("sets", TITLE, caption, ("measure", *sets), rows, decimals=2)


def _measure(images: Sequence[SetImage], class_names: Sequence[str]) -> dict[str, Cell]:
    """What is known of the images of one set, by the name of each measure."""
    objects = [item for image in images for item in image.objects]
    box_sizes = [
        (item.area_px / (image.size_wh[0] * image.size_wh[1])) ** 0.5
        for image in images
        for item in image.objects
        if min(image.size_wh) > 0
    ]
    difficult = sum(item.is_difficult for item in objects)
    cells: dict[str, Cell] = {
        "images": len(images),
        "objects": len(objects),
        "objects of an image, mean": len(objects) / len(images) if images else None,
        "objects that are difficult": _share(difficult, len(objects)),
        "size of a box, mean": fmean(box_sizes) if box_sizes else None,
        "width in pixels, median": _find_middle([image.size_wh[0] for image in images]),
        "height in pixels, median": _find_middle([image.size_wh[1] for image in images]),
    }
    cells |= _measure_owners(images) | _measure_years(images)
    for name in class_names:
        asked = [image for image in images if name not in image.unasked]
        shown = sum(any(item.class_name == name for item in image.objects) for image in asked)
        cells[f"images that show {name}"] = _share(shown, len(asked))
    return cells


def _measure_owners(images: Sequence[SetImage]) -> dict[str, Cell]:
    owners = Counter(image.owner for image in images if image.owner)
    return {
        "owners": len(owners),
        "images of the owner with most": _share(max(owners.values(), default=0), len(images)),
        "images of unknown owners": len(images) - owners.total(),
    }


def _measure_years(images: Sequence[SetImage]) -> dict[str, Cell]:
    """The years as texts, which no table writes with a comma."""
    years = sorted(image.year for image in images if image.year is not None)
    return {
        "first year": str(years[0]) if years else None,
        "median year": str(years[(len(years) - 1) // 2]) if years else None,
        "last year": str(years[-1]) if years else None,
        "images of unknown years": len(images) - len(years),
    }


def _find_middle(numbers: Sequence[int]) -> int | None:
    return round(median(numbers)) if numbers else None


def _share(part: int, whole: int) -> Share | None:
    return Share(part / whole) if whole else None
