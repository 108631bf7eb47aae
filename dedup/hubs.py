"""Hubs: images that look like very many others without being one with them, as discs on black.

To compare each with each would take the square of their number. Each is compared with its nearest
ones; a pair is left out only where both of its images have enough nearer ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .crowds import Ids, place_partners

LEAST_NEAREST = 40
IMAGES_PER_MORE = 500
"""Of unrelated photographs some 4 of 10,000 are candidates by chance; one more partner for each 500
images is five times as many, so that nothing is left out among them."""

WATCHED_FROM = 8
"""An image that has this many partners in one part of a search may be a hub."""

FARTHEST = 64
"""How unlike the views of two candidates are is told in this many steps."""


class Hubs:
    """The images that were compared with very many others, and how unlike these were.

    The nearest of all parts of a search count, whichever part comes first.
    """

    def __init__(self, images: int) -> None:
        self.most = LEAST_NEAREST + images // IMAGES_PER_MORE
        self.left_out = 0
        self.members = np.empty(0, np.int64)
        self._watched = np.empty(0, np.int64)
        self._seen = np.empty((0, FARTHEST + 1), np.uint16)

    def hold(self, one: Ids, other: Ids) -> NDArray[np.bool_]:
        """Which pairs, row by row, are of two such images."""
        return np.isin(one, self.members) & np.isin(other, self.members)

    def choose(
        self, one: Ids, other: Ids, unlikeness: Ids, is_tried: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Which of these pairs, each given once, are to be compared, besides those that were."""
        places = place_partners(one, other, unlikeness)
        earlier = [self._count_nearer(ids, unlikeness) for ids in (one, other)]
        is_seen = is_tried | ((places + np.stack(earlier)).min(axis=0) < self.most)
        far = ~is_seen
        self.left_out += int(far.sum())
        self.members = np.union1d(self.members, np.union1d(one[far], other[far]))
        self._watch(np.concatenate([one, other]))
        for ids in (one, other):
            rows, are_known = self._find(ids[is_seen])
            np.add.at(self._seen, (rows[are_known], unlikeness[is_seen][are_known]), 1)
        chosen: NDArray[np.bool_] = is_seen & ~is_tried
        return chosen

    def _count_nearer(self, ids: Ids, unlikeness: Ids) -> Ids:
        """With how many images that are not farther each was compared before."""
        images, places = np.unique(ids, return_inverse=True)
        rows, are_known = self._find(images)
        if not are_known.any():
            return np.zeros(len(ids), np.int64)
        counts = np.cumsum(self._seen[rows], axis=1, dtype=np.int32)
        return np.where(are_known[places], counts[places, unlikeness], 0)

    def _watch(self, ids: Ids) -> None:
        """Begin to count for those that have many partners among these."""
        images, counts = np.unique(ids, return_counts=True)
        watched = np.union1d(self._watched, images[counts >= WATCHED_FROM])
        seen = np.zeros((len(watched), FARTHEST + 1), np.uint16)
        seen[np.searchsorted(watched, self._watched)] = self._seen
        self._watched, self._seen = watched, seen

    def _find(self, ids: Ids) -> tuple[Ids, NDArray[np.bool_]]:
        """The row of each image, and whether it is watched."""
        if not len(self._watched):
            return np.zeros(len(ids), np.int64), np.zeros(len(ids), np.bool_)
        rows = np.minimum(np.searchsorted(self._watched, ids), len(self._watched) - 1)
        return rows, self._watched[rows] == ids
