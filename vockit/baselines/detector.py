"""A window detector: gradients in a window of the class's shape, one round of hard negatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vockit.evaluate.metrics import measure_overlaps
from vockit.format.records import VocObject

from .features import DETECTOR_COST, Pixels, crop, make_linear

Boxes = NDArray[np.float64]
_CELL_PX = 8
_WINDOW_PX = 64
"""The side of a square window; others have the same area."""
_MARGIN = 0.1
_SCALE_STEP = 1.2
_MOST_NEGATIVES = 2000
_MOST_NEGATIVE_IMAGES = 200
_NEGATIVES_AN_IMAGE = 10
_MOST_BOXES = 20
"""Of one class and image."""
_FAR_OVERLAP = 0.3
_SAME_OVERLAP = 0.5


class Example(Protocol):
    """An annotated picture to learn from, such as an image of a release."""

    @property
    def image_id(self) -> str:
        """What tells it from others."""

    @property
    def pixels(self) -> Pixels:
        """Red, green and blue: height x width x 3."""

    @property
    def objects(self) -> Sequence[VocObject]:
        """Its objects of all classes."""


@dataclass(frozen=True)
class Detector:
    """A class's window and its weights, the last of which is the bias."""

    descriptor: Any
    window_wh: tuple[int, int]

    @property
    def weights(self) -> NDArray[np.float32]:
        """Those of the window's gradients, and the bias."""
        return np.asarray(self.descriptor.svmDetector, np.float32).ravel()

    def find(self, pixels: Pixels, threshold: float) -> tuple[Boxes, NDArray[np.float64]]:
        """Boxes (n x 4, from 1, both ends inside) and confidences over the threshold.

        A box is the object's: the window has a margin around it, as it had when it was learned.
        """
        boxes: list[Boxes] = []
        confidences: list[NDArray[np.float64]] = []
        for scale in _list_scales(pixels.shape[:2], self.window_wh):
            size = _fit_size(pixels.shape[:2], scale, self.window_wh)
            scaled = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
            corners, weights = self.descriptor.detect(
                scaled, hitThreshold=threshold, winStride=(_CELL_PX, _CELL_PX)
            )
            if len(corners):
                margin = np.array(self.window_wh) * _MARGIN / (1 + 2 * _MARGIN)
                low = np.asarray(corners, np.float64).reshape(-1, 2) + margin
                ratio = np.array(pixels.shape[1::-1]) / size
                high = low + self.window_wh - 2 * margin
                boxes.append(np.hstack([low * ratio + 1, high * ratio]))
                confidences.append(np.asarray(weights, np.float64).ravel())
        if not boxes:
            return np.empty((0, 4)), np.empty(0)
        return suppress(np.vstack(boxes), np.concatenate(confidences))


def suppress(boxes: Boxes, confidences: NDArray[np.float64]) -> tuple[Boxes, NDArray[np.float64]]:
    """The most confident boxes, none of which overlaps a better one by half."""
    order = np.argsort(-confidences, kind="stable")
    kept: list[int] = []
    for place in order.tolist():
        if not kept or measure_overlaps(boxes[place], boxes[kept]).max() < _SAME_OVERLAP:
            kept.append(place)
        if len(kept) == _MOST_BOXES:
            break
    return boxes[kept], confidences[kept]


def _list_scales(size_hw: tuple[int, ...], window_wh: tuple[int, int]) -> Iterator[float]:
    """From the picture's own size, or where the window fits, to where the window fills it."""
    least = max(window_wh[0] / size_hw[1], window_wh[1] / size_hw[0])
    scale = max(1.0, least)
    while scale > least:
        yield scale
        scale /= _SCALE_STEP
    yield least


def _fit_size(
    size_hw: tuple[int, ...], scale: float, window_wh: tuple[int, int]
) -> tuple[int, int]:
    """Width and height of the scaled picture, never smaller than the window."""
    width = max(round(size_hw[1] * scale), window_wh[0])
    height = max(round(size_hw[0] * scale), window_wh[1])
    return width, height


def train_detector(images: Sequence[Example], name: str) -> Detector | None:
    """A detector of a class from annotated images; None without an object that is not difficult."""
    objects = _list_objects(images, name)
    shapes = [(b[2] - b[0] + 1) / (b[3] - b[1] + 1) for boxes in objects.values() for b in boxes]
    if not shapes:
        return None
    window_wh = _choose_window(float(np.median(shapes)))
    descriptor: Any = cv2.HOGDescriptor(
        window_wh, (2 * _CELL_PX, 2 * _CELL_PX), (_CELL_PX, _CELL_PX), (_CELL_PX, _CELL_PX), 9
    )
    positives = np.array(list(_describe_objects(images, objects, descriptor, window_wh)))
    rng = np.random.default_rng(0)
    without = [image for image in images if not _shows(image, name)]
    pool = without or list(images)
    chosen = [pool[place] for place in rng.permutation(len(pool))[:_MOST_NEGATIVE_IMAGES]]
    negatives = [
        _describe(descriptor, crop(pixels, sides), window_wh)
        for image in chosen
        for pixels in [image.pixels]
        for sides in _draw_windows(rng, pixels.shape[:2], _list_boxes(image, name), window_wh)
    ]
    detector = Detector(descriptor, window_wh)
    _fit(detector, positives, negatives)
    hard = [
        _describe(descriptor, crop(pixels, box, _MARGIN), window_wh)
        for image in chosen
        for pixels in [image.pixels]
        for box in detector.find(pixels, -0.5)[0]
        if _is_far(box, _list_boxes(image, name))
    ]
    if hard:
        _fit(detector, positives, [*negatives, *hard[:_MOST_NEGATIVES]])
    return detector


def _fit(
    detector: Detector, positives: NDArray[np.float32], negatives: list[NDArray[np.float32]]
) -> None:
    """Set the detector's weights; where nothing is negative, those of the mean positive."""
    weights = positives.mean(axis=0)
    bias = -1.0
    if negatives:
        features = np.vstack([positives, negatives])
        labels = np.repeat([1, -1], [len(positives), len(negatives)])
        machine = make_linear(DETECTOR_COST).fit(features, labels)
        weights = machine.coef_[0]
        bias = float(machine.intercept_[0])
    detector.descriptor.setSVMDetector(np.append(weights, bias).astype(np.float32))


def _choose_window(shape: float) -> tuple[int, int]:
    """Width and height of a window of that shape, in whole cells."""
    root = float(np.sqrt(np.clip(shape, 0.25, 4)))
    sides = (_WINDOW_PX * root, _WINDOW_PX / root)
    width, height = (max(2, round(side / _CELL_PX)) * _CELL_PX for side in sides)
    return width, height


def _list_boxes(image: Example, name: str) -> Boxes:
    """All boxes of a class, difficult ones too."""
    sides = [
        (item.box.xmin, item.box.ymin, item.box.xmax, item.box.ymax)
        for item in image.objects
        if item.name == name
    ]
    return np.array(sides, np.float64).reshape(-1, 4)


def _list_objects(images: Sequence[Example], name: str) -> dict[str, Boxes]:
    """The boxes to learn from by image."""
    objects = {}
    for image in images:
        is_easy = [not item.difficult for item in image.objects if item.name == name]
        if any(is_easy):
            objects[image.image_id] = _list_boxes(image, name)[is_easy]
    return objects


def _shows(image: Example, name: str) -> bool:
    return any(item.name == name for item in image.objects)


def _describe_objects(
    images: Sequence[Example],
    objects: dict[str, Boxes],
    descriptor: Any,
    window_wh: tuple[int, int],
) -> Iterator[NDArray[np.float32]]:
    """Each object with a margin, and its mirror image."""
    for image in images:
        if image.image_id in objects:
            pixels = image.pixels
            for box in objects[image.image_id]:
                part = crop(pixels, box, _MARGIN)
                yield _describe(descriptor, part, window_wh)
                yield _describe(descriptor, np.ascontiguousarray(part[:, ::-1]), window_wh)


def _describe(descriptor: Any, part: Pixels, window_wh: tuple[int, int]) -> NDArray[np.float32]:
    scaled = cv2.resize(part, window_wh, interpolation=cv2.INTER_AREA)
    return np.asarray(descriptor.compute(scaled), np.float32).ravel()


def _draw_windows(
    rng: np.random.Generator, size_hw: tuple[int, ...], boxes: Boxes, window_wh: tuple[int, int]
) -> Iterator[tuple[float, float, float, float]]:
    """Random windows of the class's shape that no object of the class fills."""
    fit = min(size_hw[1] / window_wh[0], size_hw[0] / window_wh[1])
    for scale in fit * rng.uniform(0.3, 1, _NEGATIVES_AN_IMAGE):
        width = window_wh[0] * scale
        height = window_wh[1] * scale
        left = 1 + rng.uniform(0, size_hw[1] - width)
        top = 1 + rng.uniform(0, size_hw[0] - height)
        sides = (left, top, left + width - 1, top + height - 1)
        if _is_far(np.array(sides), boxes):
            yield sides


def _is_far(box: Boxes, boxes: Boxes) -> bool:
    return not len(boxes) or bool(measure_overlaps(box, boxes).max() < _FAR_OVERLAP)
