"""Detection: boxes matched with the objects of their image, by overlap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .curves import Curve, Flags, Floats, Ints, Judged, Rules, draw_curve, rank

LEAST_OVERLAP = 0.5
"""Reached by >=, as both kits compute it; the documentation says "exceed"."""


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
    """The rows in rank order, and for each the object that it overlaps most.

    `order` are places in the file, `best` places in the truth, `overlaps` -inf without an object.
    """

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
    """For each box the object of its image with the largest overlap, and that overlap.

    The first object in the file wins a tie. The overlap is -inf where the image has no object.
    """
    by_image = np.argsort(truth.images, kind="stable")
    sorted_images = truth.images[by_image]
    low = np.searchsorted(sorted_images, images, "left")
    counts = np.searchsorted(sorted_images, images, "right") - low
    best, overlaps = np.zeros(len(images), np.int64), np.full(len(images), -np.inf)
    rows = np.flatnonzero(counts)
    if not len(rows):
        return best, overlaps
    counts, low = counts[rows], low[rows]
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    pair_rows = np.repeat(np.arange(len(rows)), counts)
    pair_objects = by_image[np.arange(len(pair_rows)) - starts[pair_rows] + low[pair_rows]]
    pair_overlaps = measure_overlaps(boxes[rows[pair_rows]], truth.boxes[pair_objects])
    largest = np.maximum.reduceat(pair_overlaps, starts)
    is_largest = np.flatnonzero(pair_overlaps == largest[pair_rows])
    _, first = np.unique(pair_rows[is_largest], return_index=True)
    best[rows], overlaps[rows] = pair_objects[is_largest[first]], largest
    return best, overlaps


def measure_overlaps(first: Floats, second: Floats) -> Floats:
    """Intersection over union row by row, in inclusive pixels; -inf for boxes apart."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        width = np.minimum(first[:, 2], second[:, 2]) - np.maximum(first[:, 0], second[:, 0]) + 1
        height = np.minimum(first[:, 3], second[:, 3]) - np.maximum(first[:, 1], second[:, 1]) + 1
        shared = width * height
        overlaps = shared / (_areas(first) + _areas(second) - shared)
    meets = (width > 0) & (height > 0) & ~np.isnan(overlaps)
    return np.where(meets, overlaps, -np.inf)


def _areas(boxes: Floats) -> Floats:
    areas: Floats = (boxes[:, 2] - boxes[:, 0] + 1) * (boxes[:, 3] - boxes[:, 1] + 1)
    return areas
