"""The map from one picture to another, by local features that agree (RANSAC)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.signature.features import Features, mirror
from dedup.signature.hashes import Map
from dedup.signature.picture import FEATURES_SIDE_PX

RATIO = 0.8
"""Lowe 2004: the nearest descriptor must be so much nearer than the second."""
LEAST_FOR_AFFINE = 8
LEAST_FOR_HOMOGRAPHY = 12
"""Issue 21's trial: fewer inliers fit unrelated pictures by chance. With 10 for both, a sheet is
merged with its photograph and three of 3,400 copies are lost."""
_MIRROR: Map = np.array([[-1, 0, 1], [0, 1, 0], [0, 0, 1]], np.float64)


@dataclass(frozen=True)
class Registration:
    """The map from the first picture's coordinates to the second's, and how many features agree."""

    first_to_second: Map
    inliers: int


def register(first: Features, second: Features) -> list[Registration]:
    """The possible maps, the first picture as it is or mirrored, the one most agree on first."""
    found = _register(first, second)
    mirrored = _register(mirror(first), second)
    found += [Registration(it.first_to_second @ _MIRROR, it.inliers) for it in mirrored]
    return sorted(found, key=lambda it: -it.inliers)


def match_features(
    first: NDArray[np.uint8], second: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of both that are each other's nearest, and nearer than the second nearest."""
    if len(first) < LEAST_FOR_AFFINE or len(second) < LEAST_FOR_AFFINE:
        return _NO_ROWS, _NO_ROWS
    one, other = (_normalise(it) for it in (first, second))
    likeness = one @ other.T
    rows, nearest, back = np.arange(len(one)), likeness.argmax(axis=1), likeness.argmax(axis=0)
    best = likeness[rows, nearest]
    likeness[rows, nearest] = -1
    is_clear = 1 - best < RATIO**2 * (1 - likeness.max(axis=1))
    chosen = np.flatnonzero((back[nearest] == rows) & is_clear)
    return chosen, nearest[chosen]


def fit_map(
    first: NDArray[np.float32], second: NDArray[np.float32], aspects: tuple[float, float]
) -> list[Registration]:
    """The affine map and the homography that most of these pairs of points agree on.

    Coordinates run from 0 to 1; a map that too few agree on, or that no copy has, is left out.
    """
    if len(first) < LEAST_FOR_AFFINE:
        return []
    scales = [_to_px(aspect) for aspect in aspects]
    source, target = (first * np.diag(scales[0])[:2], second * np.diag(scales[1])[:2])
    source, target = source.astype(np.float32), target.astype(np.float32)
    affine, mask = cv2.estimateAffine2D(source, target, method=cv2.USAC_MAGSAC)
    fitted = []
    if affine is not None and int(mask.sum()) >= LEAST_FOR_AFFINE:
        fitted.append((np.vstack([affine, [0, 0, 1]]), int(mask.sum())))
    if len(first) >= LEAST_FOR_HOMOGRAPHY:
        bent, mask = cv2.findHomography(source, target, method=cv2.USAC_MAGSAC)
        if bent is not None and int(mask.sum()) >= LEAST_FOR_HOMOGRAPHY:
            fitted.append((bent, int(mask.sum())))
    found = []
    for matrix, inliers in fitted:
        if abs(matrix[2, 2]) > 1e-9 and np.linalg.det(matrix) > 0:  # it does not fold the picture
            unit = np.linalg.inv(scales[1]) @ matrix @ scales[0]
            found.append(Registration(unit / unit[2, 2], inliers))
    return found


def _register(first: Features, second: Features) -> list[Registration]:
    rows, others = match_features(first.descriptors, second.descriptors)
    return fit_map(first.points[rows], second.points[others], (first.aspect, second.aspect))


def apply_map(matrix: Map, points: NDArray[np.float32]) -> NDArray[np.float64]:
    """Where the map lays these points, a row each."""
    laid = np.c_[points, np.ones(len(points))] @ matrix.T
    return np.asarray(laid[:, :2] / laid[:, 2:])


def _normalise(descriptors: NDArray[np.uint8]) -> NDArray[np.float32]:
    values = descriptors.astype(np.float32)
    return np.asarray(values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1))


def _to_px(aspect: float) -> Map:
    """From coordinates of 0 to 1 to pixels of the picture that features are found in."""
    side = FEATURES_SIDE_PX
    return np.diag([side * min(aspect, 1), side / max(aspect, 1), 1]).astype(np.float64)


_NO_ROWS = np.empty(0, np.int64)
