"""Histograms of colours and gradients, and a linear classifier over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Vector = NDArray[np.float32]
Sides = tuple[int, int, int, int]
"""Left, top, right, bottom: from 1, both ends inside."""
_SIDE_PX = 128
_COLOUR_BINS = (6, 4, 4)
_HOG = cv2.HOGDescriptor((_SIDE_PX, _SIDE_PX), (64, 64), (32, 32), (32, 32), 9)
CLASSIFIER_COST = 0.001
DETECTOR_COST = 0.01


def describe(pixels: Pixels) -> Vector:
    """Colours of the whole picture and of its quarters, and gradients of 16 cells."""
    small = cv2.resize(pixels, (_SIDE_PX, _SIDE_PX), interpolation=cv2.INTER_AREA)
    hsv = cv2.cvtColor(small, cv2.COLOR_RGB2HSV)
    half = _SIDE_PX // 2
    quarters = [
        hsv[top : top + half, left : left + half] for top in (0, half) for left in (0, half)
    ]
    colours = [_count_colours(np.ascontiguousarray(part)) for part in (hsv, *quarters)]
    gradients = np.asarray(_HOG.compute(small), np.float32).ravel()
    return np.concatenate([*colours, gradients])


def _count_colours(hsv: NDArray[Any]) -> Vector:
    """The root of each colour's share, so that rare colours count too (Hellinger)."""
    counts = cv2.calcHist([hsv], [0, 1, 2], None, list(_COLOUR_BINS), [0, 180, 0, 256, 0, 256])
    shares = np.asarray(counts, np.float32).ravel()
    return np.asarray(np.sqrt(shares / max(float(shares.sum()), 1.0)), np.float32)


def crop(pixels: Pixels, sides: Sequence[float], margin: float = 0.0) -> Pixels:
    """The pixels in a box with a share of its sides around it, inside the picture; at least one."""
    height, width = pixels.shape[:2]
    left, top, right, bottom = sides
    across = margin * (right - left + 1)
    down = margin * (bottom - top + 1)
    first_column = int(np.clip(left - 1 - across, 0, width - 1))
    first_row = int(np.clip(top - 1 - down, 0, height - 1))
    last_column = int(np.clip(right + across, first_column + 1, width))
    last_row = int(np.clip(bottom + down, first_row + 1, height))
    return np.ascontiguousarray(pixels[first_row:last_row, first_column:last_column])


Score = Callable[[NDArray[np.float32]], NDArray[np.float64]]
"""The confidence of each row of features."""


def fit_score(features: NDArray[np.float32], labels: NDArray[np.int_]) -> Score:
    """A linear classifier of 1 and -1; the share of 1 where all labels are the same."""
    if len(set(labels.tolist())) < 2:
        constant = float(np.mean(labels > 0)) if len(labels) else 0.0
        return lambda rows: np.full(len(rows), constant)
    from sklearn.pipeline import make_pipeline  # sklearn takes over a second to load
    from sklearn.preprocessing import StandardScaler

    machine = make_linear(CLASSIFIER_COST)
    model = make_pipeline(StandardScaler(), machine).fit(features, labels)
    return lambda rows: np.asarray(model.decision_function(rows), np.float64)


def make_linear(cost: float) -> Any:
    """A linear support vector machine in which rare classes count as much as frequent ones."""
    from sklearn.svm import LinearSVC

    return LinearSVC(C=cost, class_weight="balanced", random_state=0, max_iter=5000)
