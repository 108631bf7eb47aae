"""The party's own detector: a window of gradients for each class, learned from what is checked."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from catalog.image_store import ImageStore
from vockit.baselines.detector import Detector, train_detector
from vockit.format.records import VocObject

from .errors import NothingLearnedError
from .finder import as_confidence, as_score
from .kinds import Detections
from .preparation import Pixels

LEAST_OBJECTS = 10
"""A class of which fewer are checked is not learned."""


def read_pixels(store: ImageStore, sha256: str) -> Pixels:
    """The stored picture, red first; raises ImageStoreError."""
    with Image.open(io.BytesIO(store.get(sha256))) as image:
        return np.asarray(image.convert("RGB"))


@dataclass(frozen=True)
class CheckedPicture:
    """A checked image to learn from; its file is read when it is asked for."""

    store: ImageStore
    sha256: str
    objects: Sequence[VocObject]

    @property
    def image_id(self) -> str:
        """The digest of its file."""
        return self.sha256

    @property
    def pixels(self) -> Pixels:
        """Raises ImageStoreError."""
        return read_pixels(self.store, self.sha256)


class TrainedFinder:
    """A detector for each class that was learned."""

    def __init__(self, detectors: Mapping[str, Detector]) -> None:
        self._detectors = [*detectors.values()]
        self.classes = tuple(detectors)

    def pack(self) -> bytes:
        """Names, windows and weights of all classes; the same for the same detector."""
        parts = [
            f"{name} {detector.window_wh}\n".encode() + detector.weights.tobytes()
            for name, detector in zip(self.classes, self._detectors, strict=True)
        ]
        return b"".join(parts)

    def find(self, pixels: Pixels, min_confidence: float) -> Detections:
        """Boxes of all classes, most confident first."""
        threshold = as_score(min_confidence)
        answers = [detector.find(pixels, threshold) for detector in self._detectors]
        labels = np.repeat(np.arange(len(answers)), [len(boxes) for boxes, _ in answers])
        boxes = np.vstack([boxes for boxes, _ in answers])
        scores = np.concatenate([scores for _, scores in answers])
        edges = boxes - [1, 1, 0, 0]  # these boxes count pixels from 1, both ends inside
        edges = np.clip(edges, 0, np.array(pixels.shape[1::-1] * 2, np.float64))
        detections = Detections(edges, as_confidence(scores), labels)
        return detections.select(np.argsort(-detections.confidences, kind="stable"))


def train(
    pictures: Sequence[CheckedPicture],
    classes: Sequence[str],
    tell: Callable[[str], object] = lambda _line: None,
) -> TrainedFinder:
    """A detector of each class that has enough objects; raises NothingLearnedError.

    `tell` gets the name of each class as its turn comes.
    """
    detectors = dict[str, Detector]()
    for name in classes:
        easy = sum(
            item.name == name and not item.difficult
            for picture in pictures
            for item in picture.objects
        )
        if easy < LEAST_OBJECTS:
            continue
        tell(name)
        detector = train_detector(pictures, name)
        if detector is not None:
            detectors[name] = detector
    if not detectors:
        raise NothingLearnedError(
            f"No class has {LEAST_OBJECTS} checked objects that are not difficult; check more "
            "images first."
        )
    return TrainedFinder(detectors)
