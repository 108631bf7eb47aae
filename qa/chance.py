"""Chance performance of localisation: how alike the boxes of a class are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .statistic_images import CountedImage

LEAST_OVERLAP = 0.5
MOST_OBJECTS = 5000
"""Of a class with more, as many drawn by a fixed seed: the share of pairs stays the same."""

_CHUNK = 256
_ROUNDING = 1e-12


def chance_performance(images: Sequence[CountedImage], class_name: str) -> float | None:
    """The share of pairs of boxes of the class that overlap by half, all images at one size.

    It is how often a detector would be right that answers with another object's box (ImageNet,
    appendix 2, equation 6). None of fewer than two objects. Difficult objects count.
    """
    boxes = np.array(
        [
            _scale(item.box.xyxy, image.width_px, image.height_px)
            for image in images
            for item in image.objects
            if item.class_name == class_name
        ]
    ).reshape(-1, 4)
    if len(boxes) < 2:
        return None
    if len(boxes) > MOST_OBJECTS:
        boxes = np.random.default_rng(0).choice(boxes, MOST_OBJECTS, replace=False)
    boxes = boxes[np.argsort(_areas(boxes))]
    return 2 * _count_alike(boxes) / (len(boxes) * (len(boxes) - 1))


def _scale(
    xyxy: tuple[int, int, int, int], width_px: int, height_px: int
) -> tuple[float, float, float, float]:
    """The edges of a box as shares of the image's sides."""
    xmin, ymin, xmax, ymax = xyxy
    return ((xmin - 1) / width_px, (ymin - 1) / height_px, xmax / width_px, ymax / height_px)


def _count_alike(boxes: NDArray[np.float64]) -> int:
    """How many pairs overlap by LEAST_OVERLAP or more; the boxes are sorted by their areas.

    A box that is larger by more than 1 / LEAST_OVERLAP times cannot.
    """
    areas = _areas(boxes)
    alike = 0
    for start in range(0, len(boxes), _CHUNK):
        end = min(start + _CHUNK, len(boxes))
        stop = np.searchsorted(areas, areas[end - 1] / LEAST_OVERLAP + _ROUNDING, side="right")
        some, others = boxes[start:end], boxes[start:stop]
        pairs = _overlap_enough(some, others)
        alike += int(np.triu(pairs, k=1).sum())
    return alike


def _overlap_enough(some: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    width = np.minimum(some[:, None, 2], others[:, 2]) - np.maximum(some[:, None, 0], others[:, 0])
    height = np.minimum(some[:, None, 3], others[:, 3]) - np.maximum(some[:, None, 1], others[:, 1])
    shared = np.maximum(width, 0) * np.maximum(height, 0)
    together = _areas(some)[:, None] + _areas(others) - shared
    return np.asarray(shared >= LEAST_OVERLAP * together - _ROUNDING)


def _areas(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    areas: NDArray[np.float64] = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return areas
