"""What every detector has: names of its classes, and a way to find them in a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .child import Child
from .kinds import Detections, Kind, Layout
from .preparation import Floats, Pixels


class Finder(Protocol):
    """A detector of the classes that it names."""

    @property
    def classes(self) -> Sequence[str]:
        """The name of each label, from 0."""

    def find(self, pixels: Pixels, min_confidence: float) -> Detections:
        """What is in a picture, in its pixels; confidences are from 0 to 1."""


@dataclass(frozen=True)
class ModelFinder:
    """An ONNX model in its process."""

    child: Child
    kind: Kind
    layout: Layout
    classes: Sequence[str]

    def find(self, pixels: Pixels, min_confidence: float) -> Detections:
        """Raises ModelError."""
        return self.child.find(pixels, self.kind, self.layout, min_confidence)


def as_confidence(scores: Floats) -> Floats:
    """The confidences of scores of a linear classifier, whose 0 is 0.5."""
    return np.asarray(1 / (1 + np.exp(-scores)), np.float64)


def as_score(confidence: float) -> float:
    """The score of a confidence, the other way round."""
    inside = float(np.clip(confidence, 1e-9, 1 - 1e-9))
    return float(np.log(inside / (1 - inside)))
