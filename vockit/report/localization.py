"""How hard objects are to find: their number in an image, their scale, how alike boxes are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vockit.format.class_counts import Cell, Table
from vockit.format.records import VocBox

NAME = "localization"
TITLE = "How hard objects are to find"
CAPTION = (
    "Objects that are not difficult. Per image: of the images that show the class. Scale: the mean "
    "share of the image that an object covers. Chance: the share of pairs of boxes of the class "
    "that overlap by half, images at one size. VOC: objects per image of its trainval (kit of "
    "2011, table 1) and the chance of VOC2012 (ImageNet, appendix 2)."
)
HEADS = ("class", "img", "obj", "per image", "scale", "chance", "VOC")
MEANS = ("mean", "VOC2012, published")
VOC_CHANCE = 0.087
VOC_TRAINVAL = {
    "aeroplane": (671, 865),
    "bicycle": (550, 711),
    "bird": (764, 1119),
    "boat": (511, 850),
    "bottle": (700, 1259),
    "bus": (420, 593),
    "car": (1168, 2017),
    "cat": (1082, 1217),
    "chair": (1110, 2354),
    "cow": (308, 588),
    "diningtable": (542, 609),
    "dog": (1288, 1515),
    "horse": (483, 710),
    "motorbike": (522, 713),
    "person": (4086, 8566),
    "pottedplant": (526, 973),
    "sheep": (325, 813),
    "sofa": (509, 566),
    "train": (545, 628),
    "tvmonitor": (576, 784),
}
"""Images that show each class, and its objects that are not difficult."""
VOC_IMAGES = 11_540
VOC_OBJECTS = 27_450
MOST_OBJECTS = 5000  # of a class with more, a sample of this size tells the share of pairs
_CHUNK = 256
_LEAST = 0.5 - 1e-12  # half, whatever rounding does

Edges = tuple[float, float, float, float]
"""Left, top, right and bottom, as shares of the image's width and height."""


class PlacedObject(NamedTuple):
    """An object, and where it lies in its image."""

    class_name: str
    is_difficult: bool
    edges: Edges


def place(box: VocBox, size_wh: tuple[int, int]) -> Edges:
    """The edges of a box whose both ends are inside, as shares of the image."""
    width, height = size_wh
    left = (float(box.xmin) - 1) / width
    top = (float(box.ymin) - 1) / height
    return left, top, float(box.xmax) / width, float(box.ymax) / height


def tabulate_localization(
    images: Iterable[Iterable[PlacedObject]], class_names: Sequence[str]
) -> Table:
    """The measures of each class that has objects, their means, and what is published of VOC."""
    boxes = defaultdict[str, list[Edges]](list)
    shown = defaultdict[str, int](int)
    for image in images:
        items = [item for item in image if not item.is_difficult]
        for item in items:
            boxes[item.class_name].append(item.edges)
        for name in {item.class_name for item in items}:
            shown[name] += 1
    rows = [_measure(name, shown[name], boxes[name]) for name in class_names if boxes[name]]
    return Table(NAME, TITLE, CAPTION, HEADS, [*rows, *_add_means(rows)] if rows else ())


def chance_of_boxes(boxes: Sequence[Edges]) -> float | None:
    """The share of pairs of these boxes that overlap by half; None of fewer than two.

    It is how often a detector would be right that answers with another object's box (ImageNet,
    appendix 2, equation 6). Of more than MOST_OBJECTS a fixed sample is compared.
    """
    edges = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    if len(edges) < 2:
        return None
    if len(edges) > MOST_OBJECTS:
        edges = np.random.default_rng(0).choice(edges, MOST_OBJECTS, replace=False)
    alike = sum(
        int(np.triu(_overlap(edges[at : at + _CHUNK], edges[at:]) >= _LEAST, k=1).sum())
        for at in range(0, len(edges), _CHUNK)
    )
    return 2 * alike / (len(edges) * (len(edges) - 1))


def _measure(name: str, images: int, boxes: Sequence[Edges]) -> list[Cell]:
    areas = [(right - left) * (bottom - top) for left, top, right, bottom in boxes]
    of_voc = VOC_TRAINVAL.get(name)
    return [
        name,
        images,
        len(boxes),
        len(boxes) / images,
        fmean(areas),
        chance_of_boxes(boxes),
        of_voc[1] / of_voc[0] if of_voc else None,
    ]


def _add_means(rows: Sequence[Sequence[Cell]]) -> Iterator[list[Cell]]:
    """The mean of each measure over the classes that have it, and VOC's."""
    means = [_find_mean(row[column] for row in rows) for column in range(3, len(HEADS))]
    counts = [sum(int(row[column] or 0) for row in rows) for column in (1, 2)]
    yield [MEANS[0], *counts, *means]
    per_image = fmean(objects / images for images, objects in VOC_TRAINVAL.values())
    yield [MEANS[1], VOC_IMAGES, VOC_OBJECTS, per_image, None, VOC_CHANCE, per_image]


def _find_mean(cells: Iterable[Cell]) -> float | None:
    known = [float(cell) for cell in cells if isinstance(cell, (int, float))]
    return fmean(known) if known else None


def _overlap(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """The overlap of each two boxes."""
    least = np.maximum(first[:, None, :2], second[:, :2])
    most = np.minimum(first[:, None, 2:], second[:, 2:])
    shared = np.prod(np.maximum(most - least, 0), axis=-1)
    areas = [np.prod(edges[:, 2:] - edges[:, :2], axis=-1) for edges in (first, second)]
    return np.asarray(shared / (areas[0][:, None] + areas[1] - shared), dtype=np.float64)
