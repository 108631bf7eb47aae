"""OpenCV's detector of upright people by gradients (Dalal and Triggs), an entry of VOC2005."""

from __future__ import annotations

import hashlib
from typing import Any

import cv2
import numpy as np

from .finder import as_confidence, as_score
from .kinds import Detections, suppress
from .preparation import Pixels

DIGEST = hashlib.sha256(b"OpenCV's default people detector").hexdigest()
"""Stands for a file; OpenCV's weights have not changed since 2008."""
_WINDOW_WH = (64, 128)
_SAME_OVERLAP = 0.45
_MARGINS = (0.125, 0.0625)
"""The share of the window's width and height that it keeps free around a person."""


class PeopleFinder:
    """Finds people who stand or walk; it needs no file."""

    classes = ("person",)

    def __init__(self) -> None:
        self._descriptor: Any = cv2.HOGDescriptor()
        weights = np.array(cv2.HOGDescriptor.getDefaultPeopleDetector(), np.float32)
        self._descriptor.setSVMDetector(weights)

    def find(self, pixels: Pixels, min_confidence: float) -> Detections:
        """The boxes are the person's: the window has a margin around it."""
        if pixels.shape[1] < _WINDOW_WH[0] or pixels.shape[0] < _WINDOW_WH[1]:
            return Detections(np.empty((0, 4)), np.empty(0), np.empty(0, np.int64))
        windows, scores = self._descriptor.detectMultiScale(
            np.ascontiguousarray(pixels[:, :, ::-1]),
            hitThreshold=max(as_score(min_confidence), -1.0),
            winStride=(8, 8),
            scale=1.05,
            groupThreshold=0,
        )
        rows = np.asarray(windows, np.float64).reshape(-1, 4)
        margin = rows[:, 2:] * _MARGINS
        edges = np.hstack([rows[:, :2] + margin, rows[:, :2] + rows[:, 2:] - margin])
        edges = np.clip(edges, 0, np.array(pixels.shape[1::-1] * 2, np.float64))
        confidences = as_confidence(np.asarray(scores, np.float64).ravel())
        detections = Detections(edges, confidences, np.zeros(len(edges), np.int64))
        return detections.select(suppress(detections, _SAME_OVERLAP))
