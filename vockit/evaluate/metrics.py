"""The metrics of one class or one image on arrays: ranked items, boxes, and pixels of masks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .curves import Curve, Flags, Floats, Ints, Judged, Rules, draw_curve, rank

Counts = NDArray[np.int64]
Labels = NDArray[np.uint8]
_LABELS = 256
LEAST_OVERLAP = 0.5
"""Reached by >=, as both kits compute it; the documentation says "exceed"."""


def ranking(labels: NDArray[np.int_], confidences: Floats, rules: Rules = Rules.VOC2012) -> Curve:
    """The curve of one class (VOCevalcls.m, VOCevalaction.m).

    `labels` are 1, 0 (difficult: counts neither way) or -1. An item without a result has the
    confidence -inf; it is ranked all the same, so recall always reaches 1.

    >>> import numpy as np
    >>> ranking(np.array([1, -1, 1]), np.array([0.9, 0.8, 0.7])).ap
    0.8333333333333333
    """
    images = np.arange(len(labels))
    return draw_curve(judge_items(labels, confidences, images), rules)


def judge_items(labels: NDArray[np.int_], confidences: Floats, images: Ints) -> Judged:
    """Each listed item in rank order: right, wrong or neither; `images` are those of the items."""
    order = rank(confidences)
    ranked = labels[order]
    return Judged(images[order], ranked > 0, ranked < 0, images[labels > 0])


def roc(labels: NDArray[np.int_], confidences: Floats) -> tuple[Floats, Floats]:
    """False and true positive rates, from (0, 0) to (1, 1); equal confidences are one step.

    Both end with NaN where no label is 1 or -1.
    """
    kept = labels != 0
    if not kept.any():
        return np.array([0.0, np.nan]), np.array([0.0, np.nan])
    ranked = labels[kept]
    scores = confidences[kept]
    order = rank(scores)
    ranked, scores = ranked[order], scores[order]
    ends = np.append(scores[1:] != scores[:-1], True)
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.cumsum(ranked > 0)[ends] / np.count_nonzero(ranked > 0)
        wrong = np.cumsum(ranked < 0)[ends] / np.count_nonzero(ranked < 0)
    return np.concatenate(([0.0], wrong)), np.concatenate(([0.0], right))


def area_under_roc(false_rates: Floats, true_rates: Floats) -> float:
    """The area under the ROC curve, 0 to 1."""
    return float(np.trapezoid(true_rates, false_rates))


def equal_error_rate(false_rates: Floats, true_rates: Floats) -> float:
    """The accuracy where false positives and negatives are equally frequent, as VOC2005 has it."""
    gap = true_rates + false_rates - 1
    if np.isnan(gap).any():
        return float("nan")
    after = int(np.argmax(gap >= 0))
    before = max(after - 1, 0)
    span = gap[after] - gap[before]
    share = 0.0 if span == 0 else -gap[before] / span
    return float(true_rates[before] + share * (true_rates[after] - true_rates[before]))


@dataclass(frozen=True)
class DetectionTruth:
    """The objects of one class in file order: image numbers, boxes (n x 4, inclusive), flags."""

    images: Ints
    boxes: Floats
    difficult: Flags


@dataclass(frozen=True)
class Detections:
    """Scored boxes in file order: image numbers, confidences, boxes (n x 4, inclusive)."""

    images: Ints
    confidences: Floats
    boxes: Floats


@dataclass(frozen=True)
class Pairing:
    """Rows by rank: places in the file; `best` in the truth; `overlaps` -inf without an object."""

    order: Ints
    images: Ints
    best: Ints
    overlaps: Floats


def detection(
    truth: DetectionTruth,
    detections: Detections,
    rules: Rules = Rules.VOC2012,
    *,
    least_overlap: float = LEAST_OVERLAP,
) -> Curve:
    """The curve of one class (VOCevaldet.m).

    Each row takes the object that it overlaps most. An object that is taken makes a further row
    wrong; a difficult one makes a row count neither way.

    >>> import numpy as np
    >>> one = np.array([[10.0, 10, 50, 50]])
    >>> truth = DetectionTruth(np.array([0]), one, np.array([False]))
    >>> found = Detections(np.array([0, 1]), np.array([0.9, 0.8]), np.vstack([one, one]))
    >>> curve = detection(truth, found)
    >>> curve.ap, curve.npos, curve.precision.tolist()
    (1.0, 1, [1.0, 0.5])
    """
    judged = judge(truth, pair(truth, detections), least_overlap=least_overlap)
    return draw_curve(judged, rules)


def pair(truth: DetectionTruth, detections: Detections) -> Pairing:
    """Each row with the object that it overlaps most; holds for every threshold and slice."""
    order = rank(detections.confidences)
    images = detections.images[order]
    return Pairing(order, images, *find_best(truth, images, detections.boxes[order]))


def judge(
    truth: DetectionTruth,
    pairing: Pairing,
    *,
    least_overlap: float = LEAST_OVERLAP,
    difficult: Flags | None = None,
) -> Judged:
    """Each row in rank order; `difficult` replaces the flags of the truth."""
    flags = truth.difficult if difficult is None else difficult
    is_near = pairing.overlaps >= least_overlap
    is_difficult = is_near & flags[pairing.best] if len(flags) else is_near
    is_right = np.zeros(len(pairing.order), np.bool_)
    candidates = np.flatnonzero(is_near & ~is_difficult)
    _, first = np.unique(pairing.best[candidates], return_index=True)  # of each object, by rank
    is_right[candidates[first]] = True
    return Judged(pairing.images, is_right, ~is_right & ~is_difficult, truth.images[~flags])


def find_best(truth: DetectionTruth, images: Ints, boxes: Floats) -> tuple[Ints, Floats]:
    """For each box the object that it overlaps most, the first of equals; -inf without any."""
    by_image = np.argsort(truth.images, kind="stable")
    sorted_images = truth.images[by_image]
    low = np.searchsorted(sorted_images, images, "left")
    counts = np.searchsorted(sorted_images, images, "right") - low
    starts = np.cumsum(counts) - counts
    pair_rows = np.repeat(np.arange(len(images)), counts)
    pair_objects = by_image[np.arange(len(pair_rows)) + np.repeat(low - starts, counts)]
    pair_overlaps = measure_overlaps(boxes[pair_rows], truth.boxes[pair_objects])
    order = np.lexsort((-pair_overlaps, pair_rows))  # equal overlaps keep the order of the file
    rows, first = np.unique(pair_rows[order], return_index=True)
    best = np.zeros(len(images), np.int64)
    overlaps = np.full(len(images), -np.inf)
    best[rows] = pair_objects[order[first]]
    overlaps[rows] = pair_overlaps[order[first]]
    return best, overlaps


def measure_overlaps(first: Floats, second: Floats) -> Floats:
    """Intersection over union in inclusive pixels, broadcast; -inf for boxes apart."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        sides = np.minimum(first[..., 2:], second[..., 2:])
        sides = sides - np.maximum(first[..., :2], second[..., :2]) + 1
        shared = sides.prod(axis=-1)
        areas = [(side[..., 2:] - side[..., :2] + 1).prod(axis=-1) for side in (first, second)]
        overlaps = shared / (areas[0] + areas[1] - shared)
    return np.where((sides > 0).all(axis=-1) & ~np.isnan(overlaps), overlaps, -np.inf)


@dataclass(frozen=True)
class Segmentation:
    """Accuracies in percent, their mean, and pixels by true (row) and resulting class (column)."""

    accuracies: Floats
    mean: float
    confusion: Counts


def count_confusion(truth: Labels, result: Labels, classes: int) -> Counts:
    """Pixels by true and resulting label (0 is background) of one image, without void.

    >>> import numpy as np
    >>> count_confusion(np.array([[0, 1, 255]], np.uint8), np.array([[0, 0, 1]], np.uint8), 1)
    array([[1, 0],
           [1, 0]])
    """
    pairs = truth.astype(np.uint16) * np.uint16(_LABELS) + result
    table = np.bincount(pairs.ravel(), minlength=_LABELS**2).reshape(_LABELS, _LABELS)
    return table[: classes + 1, : classes + 1].astype(np.int64)


def segmentation(confusion: Counts, rules: Rules = Rules.VOC2012) -> Segmentation:
    """The accuracy of each class (VOCevalseg.m): intersection over union since 2008.

    By the rules of 2007 it is the share of the class's true pixels that were found, 0 if it has
    none. A class in neither truth nor result is NaN, and makes the kit's mean NaN.

    >>> import numpy as np
    >>> segmentation(np.array([[8, 2], [0, 10]])).accuracies.round(2).tolist()
    [80.0, 83.33]
    """
    hits = np.diag(confusion).astype(np.float64)
    true = confusion.sum(axis=1)
    given = confusion.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if rules is Rules.VOC2007:
            accuracies = np.where(true > 0, 100 * hits / true, 0.0)
        else:
            accuracies = 100 * hits / (true + given - hits)
    return Segmentation(accuracies, float(np.mean(accuracies)), confusion)
