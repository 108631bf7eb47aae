"""Whether the features of two pictures are found again where a map lays them.

Tiles of 128 px do not show which words a page holds. The features do: they were found at 320 px.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.signature.features import Features, mirror
from dedup.signature.hashes import Map
from dedup.signature.picture import FEATURES_SIDE_PX

REACH_PX = 4.0
"""Of 320: a map is off by up to 3 px (registration.py), a feature by one more."""
LEAST_LIKENESS = 0.8
"""The cosine of two RootSIFT descriptors; other places reach it in one of a hundred pairs."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Confirmation:
    """The features of one picture that lie in the other: places in the first, found again or not.

    Places of both pictures are in the coordinates of the first, 0 to 1.
    """

    first: NDArray[np.float64]
    is_first_found: Mask
    second: NDArray[np.float64]
    is_second_found: Mask

    @property
    def share(self) -> float:
        """How many of the features are found again, of the picture that has fewer of its own."""
        shares = [float(it.mean()) for it in (self.is_first_found, self.is_second_found) if len(it)]
        return max(shares, default=0.0)


def confirm(first: Features, second: Features, first_to_second: Map) -> Confirmation:
    """Which features both pictures have, where the map lays the one over the other."""
    to_first = np.linalg.inv(first_to_second)
    there, back = lay(first.points, first_to_second), lay(second.points, to_first)
    likeness = _compare(first, second, is_mirrored=np.linalg.det(first_to_second[:2, :2]) < 0)
    is_near = _measure_px(there, second.points, second.aspect) <= REACH_PX
    is_near |= _measure_px(first.points, back, first.aspect) <= REACH_PX
    is_same = is_near & (likeness >= LEAST_LIKENESS)
    inside, back_inside = _lie_inside(there), _lie_inside(back)
    return Confirmation(
        first.points[inside].astype(np.float64),
        is_same.any(axis=1)[inside],
        back[back_inside],
        is_same.any(axis=0)[back_inside],
    )


def lay(points: NDArray[np.floating], matrix: Map) -> NDArray[np.float64]:
    """The points where the map leads them."""
    laid = np.c_[points, np.ones(len(points))] @ matrix.T
    return np.asarray(laid[:, :2] / np.where(np.abs(laid[:, 2:]) < 1e-9, 1e-9, laid[:, 2:]))


def _compare(first: Features, second: Features, *, is_mirrored: bool) -> NDArray[np.float32]:
    one, other = (mirror(first) if is_mirrored else first), second
    values = [it.descriptors.astype(np.float32) for it in (one, other)]
    values = [it / np.maximum(np.linalg.norm(it, axis=1, keepdims=True), 1) for it in values]
    return np.asarray(values[0] @ values[1].T)


def _measure_px(
    one: NDArray[np.floating], other: NDArray[np.floating], aspect: float
) -> NDArray[np.float64]:
    """The distance of each point from each, in pixels of the picture of 320."""
    size = np.array([min(aspect, 1), 1 / max(aspect, 1)]) * FEATURES_SIDE_PX
    return np.asarray(np.linalg.norm((one[:, None] - other[None]) * size, axis=2))


def _lie_inside(points: NDArray[np.float64]) -> Mask:
    return np.asarray(((points >= 0) & (points <= 1)).all(axis=1))
