"""How hard the objects of a release are to find, as an independent reader counts it."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import fmean

from vockit.report.localization import CAPTION, VOC_TRAINVAL

from .recount import Recount

Corners = tuple[float, float, float, float]
Row = tuple[str, int, int, float | None, float | None, float | None, float | None]
"""Class, images, objects, objects per image, scale, chance, objects per image of VOC."""


def count_localization(release: Recount) -> list[Row]:
    """A row of each class with objects that are not difficult, and the means of the columns."""
    rows = [row for name in release.recipe["classes"] for row in count_class(release, name)]
    images = sum(row[1] for row in rows)
    objects = sum(row[2] for row in rows)
    of_voc = fmean(objects / images for images, objects in VOC_TRAINVAL.values())
    return [
        *rows,
        ("mean", images, objects, mean(rows, 3), mean(rows, 4), mean(rows, 5), mean(rows, 6)),
        ("VOC2012, published", 11540, 27450, of_voc, None, 0.087, of_voc),
    ]


def count_class(release: Recount, name: str) -> Iterator[Row]:
    """The row of one class; none where it has no object that counts."""
    boxes = list[Corners]()
    images = 0
    for image in release.others:
        shown = [
            item.box
            for item in release.items[image["public_id"]]
            if item.name == name and item.flags["difficult"] != "1"
        ]
        images += bool(shown)
        boxes += [scale(box, image["width"], image["height"]) for box in shown]
    if boxes:
        pairs = [overlap(*pair) >= 0.5 - 1e-9 for pair in combinations(boxes, 2)]
        chance = fmean(pairs) if pairs else None
        of_voc = VOC_TRAINVAL[name][1] / VOC_TRAINVAL[name][0] if name in VOC_TRAINVAL else None
        yield name, images, len(boxes), len(boxes) / images, fmean(map(area, boxes)), chance, of_voc


def mean(rows: Sequence[Row], column: int) -> float | None:
    """The mean of the classes that have a number in the column."""
    known = [value for row in rows if isinstance(value := row[column], float)]
    return fmean(known) if known else None


def scale(box: Sequence[int], width: int, height: int) -> Corners:
    """The corners of a VOC box in an image of the size 1 by 1."""
    xmin, ymin, xmax, ymax = box
    return (xmin - 1) / width, (ymin - 1) / height, xmax / width, ymax / height


def area(box: Corners) -> float:
    xmin, ymin, xmax, ymax = box
    return (xmax - xmin) * (ymax - ymin)


def overlap(first: Corners, second: Corners) -> float:
    """The area that both boxes cover, as a share of the area that either covers."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(width, 0) * max(height, 0)
    return shared / (area(first) + area(second) - shared)


def format_row(row: Row, decimals: int) -> list[str]:
    """The cells as tables for people have them."""
    name, images, objects, *measures = row
    shown = ["-" if value is None else f"{value:.{decimals}f}" for value in measures]
    return [name, f"{images:,}", f"{objects:,}", *shown]


def list_localization(release: Recount) -> Iterator[str]:
    """What the datasheet says of it: how it is measured, and the means."""
    yield CAPTION
    for row in count_localization(release)[-2:]:
        yield f"| {' | '.join(format_row(row, 2))} |"
