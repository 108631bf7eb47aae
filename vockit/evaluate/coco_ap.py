"""COCO's average precision of one class, as pycocotools 2.0 computes it with its own settings.

Sources: cocodataset.org/#detection-eval and pycocotools' cocoeval.py. It differs from VOC's AP: ten
least overlaps from 0.5 to 0.95, precision at 101 recalls instead of the area, 100 detections of an
image at most, and of two detections that overlap one object the more confident takes it, and the
other may take the next. Difficult objects count as crowds: a detection may lie within one as others
do, its overlap is the share of its own area, and it then counts neither way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .curves import Flags, Floats, Ints, average, rank
from .metrics import Detections, DetectionTruth

OVERLAPS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0.0, 1.0, 101)
MOST_OF_IMAGE = 100
_LEAST = np.minimum(OVERLAPS, 1 - 1e-10)  # as pycocotools has it


@dataclass(frozen=True)
class CocoAp:
    """AP over all ten least overlaps, at 0.5 and at 0.75; NaN where no object counts."""

    ap: float
    ap50: float
    ap75: float


NO_AP = CocoAp(math.nan, math.nan, math.nan)


def measure_coco(truth: DetectionTruth, detections: Detections) -> CocoAp:
    """COCO's AP of one class.

    >>> import numpy as np
    >>> one = np.array([[10.0, 10, 50, 50]])
    >>> truth = DetectionTruth(np.array([0]), one, np.array([False]))
    >>> round(measure_coco(truth, Detections(np.array([0]), np.array([0.9]), one)).ap, 6)
    1.0
    """
    objects = int(np.count_nonzero(~truth.difficult))
    if not objects:
        return NO_AP
    kept = _keep_first(detections)
    order = kept[rank(detections.confidences[kept])]
    matched, ignored = _match_all(truth, detections, kept)
    at_least = np.array(
        [
            _average_precision(matched[level, order], ignored[level, order], objects)
            for level in range(len(OVERLAPS))
        ]
    )
    return CocoAp(float(at_least.mean()), float(at_least[0]), float(at_least[5]))


def average_coco(classes: Mapping[str, CocoAp]) -> CocoAp:
    """The means over the classes that have a number, NaN where none has."""
    return CocoAp(
        *(
            average([getattr(scores, name) for scores in classes.values()])
            for name in ("ap", "ap50", "ap75")
        )
    )


def _keep_first(detections: Detections) -> Ints:
    """The places of the most confident 100 of each image, image by image, equals in file order."""
    order = rank(detections.confidences)
    order = order[np.argsort(detections.images[order], kind="stable")]
    images = detections.images[order]
    place_in_image = np.arange(len(order)) - np.searchsorted(images, images, "left")
    return np.asarray(order[place_in_image < MOST_OF_IMAGE], np.int64)


@dataclass(frozen=True)
class _Near:
    """Detections that overlap an object enough, image by image, the most confident first.

    `objects` are the objects of each image (images x most, -1 behind the last), `places` the row of
    it that is each detection's, `overlaps` those with the objects there.
    """

    rows: Ints
    places: Ints
    overlaps: Floats
    objects: Ints


def _match_all(truth: DetectionTruth, detections: Detections, kept: Ints) -> tuple[Flags, Flags]:
    """For each least overlap and detection: whether it took an object, and if that is ignored."""
    matched = np.zeros((len(OVERLAPS), len(detections.images)), np.bool_)
    ignored = np.zeros_like(matched)
    near = _find_near(truth, detections, kept)
    is_crowd = truth.difficult[near.objects]
    is_free = np.broadcast_to(~is_crowd, (len(OVERLAPS), *near.objects.shape)).copy()
    turns = np.arange(len(near.rows)) - np.searchsorted(near.places, near.places, "left")
    for turn in range(int(turns.max(initial=-1)) + 1):  # one detection of each image at a time
        chosen = np.flatnonzero(turns == turn)
        images = near.places[chosen]
        overlaps = near.overlaps[chosen]
        is_enough = overlaps >= _LEAST[:, None, None]
        taken = _take_last_best(overlaps, is_enough & is_free[:, images])
        in_crowd = _take_last_best(overlaps, is_enough & is_crowd[images])
        levels, columns = np.nonzero(taken >= 0)
        is_free[levels, images[columns], taken[levels, columns]] = False
        matched[:, near.rows[chosen]] = (taken >= 0) | (in_crowd >= 0)
        ignored[:, near.rows[chosen]] = (taken < 0) & (in_crowd >= 0)
    return matched, ignored


def _find_near(truth: DetectionTruth, detections: Detections, kept: Ints) -> _Near:
    images, objects = _list_objects(truth)
    places = np.searchsorted(images, detections.images[kept])
    has_objects = images[np.minimum(places, len(images) - 1)] == detections.images[kept]
    rows = kept[has_objects]
    places = places[has_objects]
    overlaps = _measure_padded(truth, objects[places], detections.boxes[rows])
    is_near = (overlaps >= OVERLAPS[0]).any(axis=1)
    return _Near(rows[is_near], places[is_near], overlaps[is_near], objects)


def _list_objects(truth: DetectionTruth) -> tuple[Ints, Ints]:
    """The images that have objects, and the places of these (images x most), -1 behind the last."""
    by_image = np.argsort(truth.images, kind="stable")
    images, first, counts = np.unique(truth.images[by_image], return_index=True, return_counts=True)
    columns = np.arange(counts.max())
    places = np.minimum(first[:, None] + columns, len(by_image) - 1)
    return images, np.where(columns < counts[:, None], by_image[places], -1)


def _measure_padded(truth: DetectionTruth, objects: Ints, boxes: Floats) -> Floats:
    """The overlap of each box with the objects of its image, -1 where there is none."""
    overlaps = measure_crowd_overlaps(boxes, truth.boxes[objects], truth.difficult[objects])
    return np.where(objects >= 0, overlaps, -1.0)


def _take_last_best(overlaps: Floats, is_offered: Flags) -> Ints:
    """The offered object that overlaps most (levels x rows), of equals the last; -1 without any."""
    offered = np.where(is_offered, overlaps, -np.inf)[..., ::-1]
    best = is_offered.shape[-1] - 1 - offered.argmax(axis=-1)
    return np.where(is_offered.any(axis=-1), best, -1)


def measure_crowd_overlaps(boxes: Floats, objects: Floats, is_crowd: Flags) -> Floats:
    """Overlaps of each box with some objects (boxes x objects), 0 where they are apart.

    Of a crowd it is the share of the box that lies within. Sides are inclusive pixels.
    """
    sides = np.minimum(boxes[:, None, 2:], objects[..., 2:])
    sides = np.clip(sides - np.maximum(boxes[:, None, :2], objects[..., :2]) + 1, 0, None)
    shared: NDArray[np.float64] = sides.prod(axis=-1)
    areas = (boxes[:, None, 2:] - boxes[:, None, :2] + 1).prod(axis=-1)
    object_areas = (objects[..., 2:] - objects[..., :2] + 1).prod(axis=-1)
    whole = np.where(is_crowd, areas, areas + object_areas - shared)
    overlaps: Floats = np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0)
    return overlaps


def _average_precision(matched: Flags, ignored: Flags, objects: int) -> float:
    """The mean of the precision at 101 recalls, 0 where a recall is not reached."""
    counts = ~ignored
    right = np.cumsum(matched & counts)
    wrong = np.cumsum(~matched & counts)
    recall = right / objects
    precision = right / (right + wrong + np.spacing(1))
    highest_after = np.maximum.accumulate(precision[::-1])[::-1]
    places = np.searchsorted(recall, RECALLS, side="left")
    reached = places < len(recall)
    return (
        float(np.where(reached, highest_after[places * reached], 0.0).mean())
        if len(recall)
        else 0.0
    )
