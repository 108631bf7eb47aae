"""What the papers analyse: size, view and other slices of the objects, and the ranks of images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from vockit.format.records import VocObject

from .curves import Flags, Floats, Ints, draw_curve
from .metrics import judge, judge_items
from .scores import Boxes, ClassScore, Items
from .truth import Truth

SIZES_PERCENT = (0, 1, 2, 5, 10, 15, 20, 25, 30)
"""The least areas of IJCV 2010, Figs. 15 and 26, in percent of the image."""

_SLICES: Mapping[str, Callable[[VocObject, float], bool]] = {
    "view Frontal": lambda item, area: item.pose == "Frontal",
    "view Rear": lambda item, area: item.pose == "Rear",
    "view Left": lambda item, area: item.pose == "Left",
    "view Right": lambda item, area: item.pose == "Right",
    "view unspecified": lambda item, area: item.pose in (None, "Unspecified"),
    "truncated": lambda item, area: item.truncated is True,
    "not truncated": lambda item, area: item.truncated is not True,
    "occluded": lambda item, area: item.occluded is True,
    "not occluded": lambda item, area: item.occluded is not True,
    "tall": lambda item, area: _aspect(item) < 0.5,
    "medium": lambda item, area: 0.5 <= _aspect(item) <= 2,
    "wide": lambda item, area: _aspect(item) > 2,
    "area below 2 %": lambda item, area: area < 0.02,
    "area 2 to 15 %": lambda item, area: 0.02 <= area < 0.15,
    "area from 15 %": lambda item, area: area >= 0.15,
}


def _aspect(item: VocObject) -> float:
    box = item.box
    return (box.xmax - box.xmin + 1) / max(box.ymax - box.ymin + 1, 1e-9)


def measure_by_size(truth: Truth, score: ClassScore, areas: Floats) -> list[float]:
    """The AP of a class for objects of at least each of SIZES_PERCENT; NaN without positives.

    `areas` are shares of the image: of objects for detection, of measure_unions for classification.
    """
    evidence = score.evidence
    least = np.array(SIZES_PERCENT) / 100
    assert evidence is not None
    if isinstance(evidence, Items):
        areas = areas[evidence.images]
    return [_ap_of(truth, evidence, areas < least_share) for least_share in least]


def find_slices(truth: Truth, name: str) -> dict[str, Flags]:
    """Which objects of a class are in each slice by view, truncation, occlusion, aspect, area."""
    listed = list(zip(truth.items.get(name, []), measure_areas(truth, name), strict=True))
    return {
        slice_name: np.array([is_in(item, area) for (_, item), area in listed], np.bool_)
        for slice_name, is_in in _SLICES.items()
    }


def measure_slice(truth: Truth, name: str, score: ClassScore, inside: Flags) -> tuple[int, float]:
    """Positives and AP of a slice of the objects of a class; others, or their images, are out."""
    evidence = score.evidence
    objects = truth.objects(name)
    if isinstance(evidence, Boxes):
        return int((inside & ~objects.difficult).sum()), _ap_of(truth, evidence, ~inside)
    assert isinstance(evidence, Items)
    is_shown = np.isin(evidence.images, objects.images[inside & ~objects.difficult])
    return int(((evidence.labels > 0) & is_shown).sum()), _ap_of(truth, evidence, ~is_shown)


def _ap_of(truth: Truth, evidence: Boxes | Items, is_out: Flags) -> float:
    """The AP if objects, or positive items, that are out count neither way; NaN without others."""
    if isinstance(evidence, Boxes):
        hard = evidence.truth.difficult | is_out
        judged = judge(evidence.truth, evidence.pairing, difficult=hard)
    else:
        labels = np.where((evidence.labels > 0) & is_out, 0, evidence.labels)
        judged = judge_items(labels, evidence.confidences, evidence.images)
    return draw_curve(judged, truth.rules).ap if len(judged.positives) else np.nan


def measure_areas(truth: Truth, name: str) -> Floats:
    """The share of the image that each object of a class covers, 0 to 1; NaN without a size."""
    objects = truth.objects(name)
    sides = objects.boxes[:, 2:] - objects.boxes[:, :2] + 1
    sizes = truth.sizes_wh[objects.images].reshape(-1, 2)
    return np.asarray(sides.prod(axis=1) / sizes.prod(axis=1))


def measure_unions(truth: Truth, name: str) -> Floats:
    """The share of each image that the boxes of a class cover together."""
    shares = np.zeros(len(truth.images))
    boxes_of: dict[int, list[VocObject]] = {}
    for number, item in truth.items.get(name, []):
        boxes_of.setdefault(number, []).append(item)
    for number, items in boxes_of.items():
        width, height = truth.sizes_wh[number]
        if np.isnan(width) or width < 1 or height < 1 or width * height > 1e8:
            continue
        covered = np.zeros((int(height), int(width)), np.bool_)
        for box in (item.box for item in items):
            rows = slice(max(int(box.ymin) - 1, 0), max(int(box.ymax), 0))
            covered[rows, max(int(box.xmin) - 1, 0) : max(int(box.xmax), 0)] = True
        shares[number] = covered.mean()
    return shares


def rank_images(items: Sequence[Items]) -> Floats:
    """The median over methods of each listed item's rank, equals sharing one (IJCV 2010, 6.1.4)."""
    from scipy.stats import rankdata  # loading it takes longer than most commands

    ranks = [
        rankdata(-np.nan_to_num(item.confidences, nan=-np.inf, neginf=-1e300)) for item in items
    ]
    return np.asarray(np.median(ranks, axis=0))


def find_telling(
    labels: Ints, medians: Floats, most: int = 5
) -> dict[str, list[tuple[int, float]]]:
    """Positives of best and of worst median rank, and negatives of best rank, with these ranks."""
    positive = np.flatnonzero(labels > 0)
    negative = np.flatnonzero(labels < 0)
    by_rank = positive[np.argsort(medians[positive], kind="stable")]
    confusing = negative[np.argsort(medians[negative], kind="stable")][:most]
    chosen = {"easy": by_rank[:most], "hard": by_rank[::-1][:most], "confusing": confusing}
    return {
        kind: [(int(place), float(medians[place])) for place in some]
        for kind, some in chosen.items()
    }
