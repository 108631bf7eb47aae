"""Which images may show one photograph: by hashes of the whole, and by visual words.

What comes out is verified later, so that a wrong candidate costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .constants import (
    LEAST_STOPPED,
    MOST_HOLDERS_READ,
    NEAREST_BY_HASHES,
    NEAREST_BY_WORDS,
    STOP_SHARE,
    WORD_BITS,
)
from .search import Hashes, find_matches
from .signature.features import Words
from .signature.hashes import TURNS

PAIRS_WAITING = 1 << 16
"""Pairs are gathered until they are more than this; then the nearest of them are chosen."""
BYTES_PER_IMAGE = 5_000
"""What an image's words take in the index: four bytes for each of 1,200, and what finds them."""
_NO_WORDS = np.empty(0, np.int64)
_NO_PLACES = np.empty(0, np.int32)
_TINY = np.finfo(np.float64).tiny

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Census:
    """The images that can be matched, ids ascending; new are those that were not matched yet."""

    image_ids: Rows
    is_new: NDArray[np.bool_]

    def find_new(self, image_ids: Iterable[int]) -> dict[int, bool]:
        """Which of these images are in it, and whether they are new."""
        wanted = np.intersect1d(np.fromiter(image_ids, np.int64), self.image_ids)
        news = self.is_new[np.searchsorted(self.image_ids, wanted)]
        return dict(zip(wanted.tolist(), news.tolist(), strict=True))


@dataclass(frozen=True)
class ViewTable:
    """The hashes of many images' views, a row for each view; `owners` are image ids."""

    owners: Rows
    codes: NDArray[np.uint8]
    hashes: Hashes


def make_view_table(image_ids: Sequence[int], views: Sequence[Hashes]) -> ViewTable:
    """The table of the hashes of these images' views."""
    counts = [len(hashes) for hashes in views]
    codes = [np.arange(count, dtype=np.uint8) for count in counts]
    return ViewTable(
        np.repeat(np.array(image_ids, np.int64), counts),
        np.concatenate([np.empty(0, np.uint8), *codes]),
        np.concatenate([np.empty(0, np.uint64), *views]),
    )


def find_by_hashes(views: ViewTable, new_ids: Rows, base_ids: Rows, max_bits: int) -> Rows:
    """Each new image with the nearest images of the base of which some view is near one of its own.

    A row each: both ids, the lower one first, the codes of both views, and the distance. The wholes
    of the one are compared in all orientations, with the wholes and boxes of the other as they lie.
    Of equal hashes of the base only the first image's is compared, with which all others are
    paired, so that very many copies of an image cost no more than so many images. An image that is
    not in the base has no such pair, and is compared by itself.
    """
    is_upright = (views.codes == 0) | (views.codes >= len(TURNS))
    upright = _take(views, is_upright & np.isin(views.owners, base_ids))
    firsts, first_of = _find_firsts(upright)
    copies = np.flatnonzero(upright.owners != upright.owners[first_of])
    nearest = _keep_nearest(_pair(upright, copies, upright, first_of[copies]), new_ids)
    queries = _take(views, np.isin(views.owners, new_ids))
    is_sought = ~np.isin(queries.owners, base_ids)
    is_sought[_find_firsts(queries)[0]] = True
    sought = np.flatnonzero(is_sought)
    base = upright.hashes[firsts]
    chunks: list[Rows] = []
    waiting = 0
    for queried, based in find_matches(queries.hashes[sought], base, max_bits):
        chunks.append(_pair(queries, sought[queried], upright, firsts[based]))
        waiting += len(queried)
        # of a hundred thousand images there are thousands of chunks, most with a few pairs
        if waiting > max(len(nearest), PAIRS_WAITING):
            nearest = _keep_nearest(np.concatenate([nearest, *chunks]), new_ids)
            chunks = []
            waiting = 0
    return _keep_nearest(np.concatenate([nearest, *chunks]), new_ids)


def _pair(first: ViewTable, first_rows: Rows, second: ViewTable, second_rows: Rows) -> Rows:
    bits = np.bitwise_count(first.hashes[first_rows] ^ second.hashes[second_rows])
    ids = (first.owners[first_rows], second.owners[second_rows])
    codes = (first.codes[first_rows], second.codes[second_rows])
    pairs = np.stack([*ids, *codes, bits], axis=1, dtype=np.int64)
    is_swapped = pairs[:, 0] > pairs[:, 1]
    pairs[is_swapped] = pairs[is_swapped][:, [1, 0, 3, 2, 4]]
    return pairs


def _keep_nearest(pairs: Rows, new_ids: Rows) -> Rows:
    """The nearest few partners of each image, of pairs with a new one; a pair comes once."""
    is_wanted = (pairs[:, 0] != pairs[:, 1]) & np.isin(pairs[:, :2], new_ids).any(axis=1)
    pairs = pairs[is_wanted]
    pairs = pairs[np.lexsort(pairs[:, [3, 2, 4, 1, 0]].T)]
    pairs = pairs[(np.diff(pairs[:, :2], axis=0, prepend=-1) != 0).any(axis=1)]
    is_kept = np.zeros(len(pairs), np.bool_)
    for column in (0, 1):
        order = np.lexsort((pairs[:, 1 - column], pairs[:, 4], pairs[:, column]))
        images = pairs[order, column]
        places = np.arange(len(images)) - np.searchsorted(images, images)
        is_kept[order[places < NEAREST_BY_HASHES]] = True
    return pairs[is_kept]


def _find_firsts(views: ViewTable) -> tuple[Rows, Rows]:
    """The first row of each hash, and for each row the first one with its hash."""
    _, firsts, inverse = np.unique(views.hashes, return_index=True, return_inverse=True)
    return firsts, firsts[inverse.ravel()]


def _take(views: ViewTable, rows: NDArray[np.bool_]) -> ViewTable:
    return ViewTable(views.owners[rows], views.codes[rows], views.hashes[rows])


def count_holders(words: Iterable[Words]) -> Rows:
    """How many images hold each word; the sum over all parts of the base weighs the words."""
    held = [_list_held(image_words) for image_words in words]
    return np.bincount(np.concatenate([_NO_WORDS, *held]), minlength=1 << WORD_BITS)


class WordIndex:
    """Which images hold each visual word, weighted by tf-idf (Sivic and Zisserman 2003).

    An image holds its own words and those of its mirror image. `holders` and `images` count all of
    the base, so that each part of it gives a pair the same weight.
    """

    def __init__(
        self,
        image_ids: Rows,
        words: Iterable[Iterable[Words]],
        own_holders: Rows,
        holders: Rows,
        images: int,
    ) -> None:
        """The index of these images; their words come in parts, not to be in memory all at once.

        `own_holders` counts the holders of each word among these images alone; some may be gone
        since they were counted.
        """
        self._ids = image_ids.tolist()
        self._places = {image_id: place for place, image_id in enumerate(self._ids)}
        self._holders = holders
        self._is_told = holders <= max(STOP_SHARE * images, LEAST_STOPPED)
        self._weights = np.log(1 + images / np.maximum(holders, 1)) ** 2  # of both images
        room = np.cumsum(np.where(self._is_told, own_holders, 0))
        self._begins = np.concatenate([[0], room[:-1]])
        self._ends = self._begins.copy()
        # the places of all holders of the first word, then of the second, and so on
        self._listed = np.empty(room[-1], np.int32)
        self._lengths = np.ones(len(self._ids))
        for place, image_words in enumerate(chain.from_iterable(words)):
            held = self._list_told(image_words)
            self._listed[self._ends[held]] = place
            self._ends[held] += 1
            self._lengths[place] = max(np.sqrt(self._weights[held].sum()), _TINY)

    @property
    def megabytes(self) -> float:
        """What the lists of holders take."""
        return self._listed.nbytes / 1e6

    def find_nearest(
        self, image_ids: Rows, words: Iterable[Words], tried: Mapping[int, set[int]]
    ) -> Iterator[tuple[int, int, float]]:
        """Each image with those that share most of these words of it, and how much.

        Images that were tried with it are left out.
        """
        for image_id, image_words in zip(image_ids.tolist(), words, strict=True):
            shares = self._measure_shares(self._list_rarest(image_words))
            for other in (image_id, *tried.get(image_id, ())):
                if other in self._places:
                    shares[self._places[other]] = 0
            for _ in range(NEAREST_BY_WORDS):
                best = int(shares.argmax())
                if shares[best] > 0:
                    yield image_id, self._ids[best], float(shares[best])
                shares[best] = 0

    def _measure_shares(self, held: Rows) -> NDArray[np.float64]:
        """How much of these words each image of the index holds."""
        begins = self._begins[held]
        ends = self._ends[held]
        lists = [
            self._listed[begin:end]
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        ]
        places = np.concatenate([_NO_PLACES, *lists])
        weights = np.repeat(self._weights[held], ends - begins)
        return np.bincount(places, weights, minlength=len(self._ids)) / self._lengths

    def _list_rarest(self, words: Words) -> Rows:
        """The words that few images hold; of a large base not all, as their holders are so many."""
        held = self._list_told(words)
        held = held[np.argsort(self._holders[held], kind="stable")]
        return held[np.cumsum(self._holders[held]) <= MOST_HOLDERS_READ]

    def _list_told(self, words: Words) -> Rows:
        held = _list_held(words)
        return held[self._is_told[held]]


def _list_held(words: Words) -> Rows:
    """Each of the words once, ascending; numpy's unique takes six times as long."""
    is_held = np.zeros(1 << WORD_BITS, np.bool_)
    is_held[words] = True
    return np.flatnonzero(is_held)
