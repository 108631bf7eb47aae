"""Images that look like very many others without being one with them, as discs on black.

To compare each with each would take the square of their number. Each is compared with its nearest
so many; a pair is left out only where both of its images have so many nearer ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .crowds import Ids, place_partners

LEAST_NEAREST = 40
IMAGES_PER_MORE = 500
"""Of unrelated photographs some 4 of 10,000 are candidates by chance: of so many images each may
have one more such partner, and five times as many as are expected leave nothing out."""

WATCHED_FROM = 8
"""An image that has so many partners in one part of a search may be of a throng."""

FARTHEST = 64
"""How unlike the views of two candidates are is told in this many steps."""


class Throngs:
    """The images that were compared with so many others, and how unlike these were.

    It goes along with a search part by part: the nearest of all parts are what counts, so that
    what is nearest of all is chosen in parts too.
    """

    def __init__(self, images: int) -> None:
        self._most = LEAST_NEAREST + images // IMAGES_PER_MORE
        self._watched = np.empty(0, np.int64)
        self._seen = np.empty((0, FARTHEST + 1), np.uint16)
        self._members = np.empty(0, np.int64)
        self.left_out = 0

    @property
    def most(self) -> int:
        """With how many others each image is compared at least."""
        return self._most

    @property
    def members(self) -> Ids:
        """The images of which pairs were left out, ascending."""
        return self._members

    def hold(self, one: Ids, other: Ids) -> NDArray[np.bool_]:
        """Which pairs, row by row, are of two such images."""
        return np.isin(one, self._members) & np.isin(other, self._members)

    def choose(
        self, one: Ids, other: Ids, unlikeness: Ids, is_tried: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Which of these pairs, each given once, are to be compared, besides those that were."""
        places = place_partners(one, other, unlikeness)
        earlier = [self._count_nearer(ids, unlikeness) for ids in (one, other)]
        is_seen = is_tried | ((places + np.stack(earlier)).min(axis=0) < self._most)
        far = ~is_seen
        self.left_out += int(far.sum())
        self._members = np.union1d(self._members, np.union1d(one[far], other[far]))
        self._watch(np.concatenate([one, other]))
        for ids in (one, other):
            self._note(ids[is_seen], unlikeness[is_seen])
        chosen: NDArray[np.bool_] = is_seen & ~is_tried
        return chosen

    def _count_nearer(self, ids: Ids, unlikeness: Ids) -> Ids:
        """With how many images that are not farther each was compared before."""
        if not len(self._watched):
            return np.zeros(len(ids), np.int64)
        images, places = np.unique(ids, return_inverse=True)
        rows, are_known = self._find(images)
        counts = np.cumsum(self._seen[rows], axis=1, dtype=np.int32)
        return np.where(are_known[places], counts[places, unlikeness], 0)

    def _watch(self, ids: Ids) -> None:
        """Begin to count for those that have many partners among these."""
        images, counts = np.unique(ids, return_counts=True)
        watched = np.union1d(self._watched, images[counts >= WATCHED_FROM])
        seen = np.zeros((len(watched), FARTHEST + 1), np.uint16)
        seen[np.searchsorted(watched, self._watched)] = self._seen
        self._watched, self._seen = watched, seen

    def _note(self, ids: Ids, unlikeness: Ids) -> None:
        if len(self._watched):
            rows, are_known = self._find(ids)
            np.add.at(self._seen, (rows[are_known], unlikeness[are_known]), 1)

    def _find(self, ids: Ids) -> tuple[Ids, NDArray[np.bool_]]:
        rows = np.minimum(np.searchsorted(self._watched, ids), len(self._watched) - 1)
        return rows, self._watched[rows] == ids
