"""The map from one picture to another, by local features that agree (RANSAC)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.constants import (
    CERTAIN_AGREEING,
    CLEAR_RATIO,
    FEATURES_SIDE_PX,
    LEAST_AGREEING,
)
from dedup.signature.features import Features
from dedup.signature.hashes import Map

Rows = NDArray[np.int64]
MIRROR: Map = np.array([[-1, 0, 1], [0, 1, 0], [0, 0, 1]], np.float64)


@dataclass(frozen=True)
class Registration:
    """The map from the first picture's coordinates to the second's, and how many features agree."""

    first_to_second: Map
    inliers: int


def register(first: Features, second: Features) -> list[Registration]:
    """The possible maps, the one most agree on first; mirrored ones if no other is certain."""
    registrations = _fit(first, second, np.eye(3))
    if max((fit.inliers for fit in registrations), default=0) < CERTAIN_AGREEING:
        registrations += _fit(first.mirrored, second, MIRROR)
    return sorted(registrations, key=lambda registration: -registration.inliers)


def _fit(first: Features, second: Features, to_oriented: Map) -> list[Registration]:
    """The maps between pictures of which the first was oriented so before."""
    rows, others = _match(first.directions, second.directions)
    aspects = first.aspect, second.aspect
    return [
        Registration(fit.first_to_second @ to_oriented, fit.inliers)
        for fit in fit_map(first.points[rows], second.points[others], aspects)
    ]


def _match(first: NDArray[np.float32], second: NDArray[np.float32]) -> tuple[Rows, Rows]:
    """Rows of both that are each other's nearest, and nearer than the second nearest."""
    if min(len(first), len(second)) < LEAST_AGREEING:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    likeness = first @ second.T
    rows = np.arange(len(first))
    nearest = likeness.argmax(axis=1)
    best = likeness[rows, nearest]
    likeness[rows, nearest] = -1
    clear = np.flatnonzero(1 - best < CLEAR_RATIO**2 * (1 - likeness.max(axis=1)))
    likeness[rows, nearest] = best
    back = likeness[:, nearest[clear]].argmax(axis=0)
    chosen = clear[back == clear]
    return chosen, nearest[chosen]


def fit_map(
    first: NDArray[np.float32], second: NDArray[np.float32], aspects: tuple[float, float]
) -> list[Registration]:
    """The affine map and the homography that most of these pairs of points agree on.

    Coordinates run from 0 to 1; a map that too few agree on, or that no copy has, is left out.
    """
    if len(first) < LEAST_AGREEING:
        return []
    to_px = [
        FEATURES_SIDE_PX * np.array([min(aspect, 1), 1 / max(aspect, 1)]) for aspect in aspects
    ]
    source = (first * to_px[0]).astype(np.float32)
    target = (second * to_px[1]).astype(np.float32)
    first_scale, second_scale = (np.diag([*size_px, 1]) for size_px in to_px)
    registrations = []
    for fit in (cv2.estimateAffine2D, cv2.findHomography):
        matrix, mask = fit(source, target, method=cv2.USAC_MAGSAC)
        if matrix is None or mask.sum() < LEAST_AGREEING:
            continue
        whole = np.vstack([matrix, [0, 0, 1]])[:3]
        unit = np.linalg.inv(second_scale) @ whole @ first_scale
        if unit[2, 2] != 0 and np.linalg.det(unit / unit[2, 2]) > 0:  # it does not fold the picture
            registrations.append(Registration(unit / unit[2, 2], int(mask.sum())))
    return registrations


def apply_map(matrix: Map, points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Where the map lays these points, a row each."""
    laid = np.c_[points, np.ones(len(points))] @ matrix.T
    return np.asarray(laid[:, :2] / laid[:, 2:])
