"""Local features (Lowe's SIFT) of a picture, and the visual words that they stand for.

Chum et al. 2007, the VOC paper's reference, find near-duplicates by visual words. Theirs are
learned; ours are hashed by two fixed random rotations (cross-polytope hashing, Andoni et al. 2015),
so that every party has the same words and nothing is trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.constants import CELLS_A_SIDE, CONTRAST_THRESHOLD, MOST_FEATURES, WORD_BITS

from .picture import Levels

POINT_STEPS = np.iinfo(np.uint16).max

Words = NDArray[np.uint16]
Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Features:
    """Places in the picture (x and y from 0 to 1) and RootSIFT descriptors in bytes, row by row.

    `aspect` is the picture's width : height.
    """

    points: NDArray[np.float32]
    descriptors: NDArray[np.uint8]
    aspect: float

    @cached_property
    def directions(self) -> NDArray[np.float32]:
        """The descriptors at length 1, so that their products are cosines."""
        levels = self.descriptors.astype(np.float32)
        return np.asarray(levels / np.maximum(np.linalg.norm(levels, axis=1, keepdims=True), 1))

    @cached_property
    def mirrored(self) -> Features:
        """The features of the picture with left and right changed."""
        points = self.points * np.array([-1, 1], np.float32) + np.array([1, 0], np.float32)
        return Features(points, self.descriptors[:, _MIRRORED_BINS], self.aspect)


def find_features(grey: Levels) -> Features:
    """Strong features from all over a picture, the same on every call; none in an even one."""
    sift = cv2.SIFT.create(nfeatures=MOST_FEATURES * 3 // 2, contrastThreshold=CONTRAST_THRESHOLD)
    keypoints, gradients = sift.detectAndCompute(grey, None)
    aspect = grey.shape[1] / grey.shape[0]
    if gradients is None or not len(keypoints):
        return Features(np.zeros((0, 2), np.float32), _NO_DESCRIPTORS, aspect)
    size_wh = np.array(grey.shape[::-1], np.float32)
    points = (np.array([keypoint.pt for keypoint in keypoints], np.float32) + 0.5) / size_wh
    points = np.clip(points, 0, 1)
    order = _choose(points, np.array([keypoint.size * keypoint.response for keypoint in keypoints]))
    points, gradients = points[order], gradients[order]
    # RootSIFT (Arandjelovic and Zisserman 2012): the distance becomes Hellinger's.
    roots = np.sqrt(gradients / np.maximum(gradients.sum(axis=1, keepdims=True), 1e-9))
    descriptors = np.clip(np.round(roots * 512), 0, 255).astype(np.uint8)  # 512 is OpenCV's scale
    return Features(points, descriptors, aspect)


def _choose(points: NDArray[np.float32], strength: Floats) -> NDArray[np.int64]:
    """The rows of large and strong ones first: these survive what makes a picture small or soft.

    No cell has more than twice its share unless others are poor: letters would take nearly all.
    """
    order = np.argsort(-strength, kind="stable")
    cells = np.ceil(points[order] * CELLS_A_SIDE) @ (1, CELLS_A_SIDE + 1)  # column and row in one
    by_cell = np.argsort(cells, kind="stable")
    # How many of a feature's own cell are stronger: its place less that of the cell's first one.
    earlier = np.arange(len(cells)) - np.searchsorted(cells[by_cell], cells[by_cell])
    is_crowded = np.zeros(len(cells), np.bool_)
    is_crowded[by_cell] = earlier >= 2 * MOST_FEATURES // CELLS_A_SIDE**2
    return order[np.argsort(is_crowded, kind="stable")][:MOST_FEATURES]


def hash_words(descriptors: NDArray[np.uint8]) -> Words:
    """Two words for each descriptor, one row each: the nearest, and the second nearest."""
    if not len(descriptors):
        return np.zeros((0, 2), np.uint16)
    levels = descriptors.astype(np.float32)
    levels -= levels.mean(axis=1, keepdims=True)
    nearest, margins = zip(
        *(_nearest_axes(levels @ rotation) for rotation in _rotations()), strict=True
    )
    half = WORD_BITS // 2
    # A word joins one direction of each rotation. The second word changes the more doubtful one.
    first = nearest[0][:, 0] << half | nearest[1][:, 0]
    other_low = nearest[0][:, 0] << half | nearest[1][:, 1]
    other_high = nearest[0][:, 1] << half | nearest[1][:, 0]
    second = np.where(margins[0] < margins[1], other_high, other_low)
    return np.stack([first, second], axis=1).astype(np.uint16)


def pack_features(features: Features) -> bytes:
    """The features as bytes for the catalogue."""
    head = np.array([features.aspect], "<f4").tobytes()
    points = np.round(features.points * POINT_STEPS).astype("<u2")
    return head + points.tobytes() + features.descriptors.tobytes()


def unpack_features(data: bytes) -> Features:
    """The features out of what `pack_features` made."""
    count = (len(data) - 4) // (4 + len(_MIRRORED_BINS))
    points = np.frombuffer(data, "<u2", 2 * count, 4).reshape(-1, 2) / np.float32(POINT_STEPS)
    descriptors = np.frombuffer(data, np.uint8, offset=4 + 4 * count)
    aspect = float(np.frombuffer(data, "<f4", 1)[0])
    return Features(points.astype(np.float32), descriptors.reshape(-1, len(_MIRRORED_BINS)), aspect)


def _nearest_axes(turned: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The two nearest of 256 directions (128 axes and their opposites), and how near a tie is."""
    lengths = np.abs(turned)
    rows = np.arange(len(turned))
    nearest = lengths.argmax(axis=1)
    longest = lengths[rows, nearest]
    lengths[rows, nearest] = -1
    second = lengths.argmax(axis=1)
    axes = np.stack([nearest, second], axis=1)
    is_opposite = np.take_along_axis(turned, axes, axis=1) < 0
    return axes + turned.shape[1] * is_opposite, longest - lengths[rows, second]


@cache
def _rotations() -> tuple[Floats, Floats]:
    random = np.random.default_rng(2007)
    first, second = (np.linalg.qr(random.normal(size=(128, 128)))[0] for _ in range(2))
    return first.astype(np.float32), second.astype(np.float32)


def _mirror_bins() -> NDArray[np.int64]:
    """Which of the 4 x 4 x 8 bins of the mirrored picture each bin is."""
    down, across, turn = np.meshgrid(np.arange(4), np.arange(4), np.arange(8), indexing="ij")
    return (((3 - down) * 4 + across) * 8 + (8 - turn) % 8).ravel()


_MIRRORED_BINS = _mirror_bins()
_NO_DESCRIPTORS = np.zeros((0, len(_MIRRORED_BINS)), np.uint8)
