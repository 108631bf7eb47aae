"""Which images may show one photograph: by hashes of the whole, and by visual words.

What comes out is verified later, so that a wrong candidate costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .search import Hashes, find_matches
from .signature.features import WORD_BITS, Words
from .signature.hashes import TURNS

NEAREST = 4
"""Each image meets so many: issue 21's trial found 99 % of 74 changes by the best four."""
LEAST_SHARED = 0.03
"""Of two images' weighted words; unrelated photographs share 0.02 on the average."""
QUERIES_AT_ONCE = 64
BYTES_PER_MB = 1 << 20
STOP_SHARE, LEAST_STOPPED = 0.1, 1000
"""Words that more images hold say nothing, as Sivic and Zisserman's stop list. Comparing the rest
takes a sixteenth of the time and misses 3 of 2,490 copies among 5,400 images."""
BYTES_PER_IMAGE = 15_000
"""What an image's words take in the table and while it is built."""

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
    counts = [len(it) for it in views]
    codes = [np.arange(it, dtype=np.uint8) for it in counts]
    return ViewTable(
        np.repeat(np.array(image_ids, np.int64), counts),
        np.concatenate([np.empty(0, np.uint8), *codes]),
        np.concatenate([np.empty(0, np.uint64), *views]),
    )


@dataclass(frozen=True)
class Candidates:
    """Pairs of images, with the views of both that are near one another, and their distance."""

    first: Rows
    second: Rows
    first_code: Rows
    second_code: Rows
    bits: Rows


def find_by_hashes(views: ViewTable, new_ids: Rows, base_ids: Rows, max_bits: int) -> Candidates:
    """Each new image with the nearest images of the base of which some view is near one of its own.

    The wholes of the one are compared in all orientations, with the wholes and boxes of the other
    as they lie. Of equal hashes only the first image's is compared, with which all others are
    paired, so that very many copies of an image cost no more than so many images.
    """
    is_upright = (views.codes == 0) | (views.codes >= len(TURNS))
    upright = _take(views, is_upright & np.isin(views.owners, base_ids))
    firsts, first_of = _find_firsts(upright)
    copies = np.flatnonzero(upright.owners != upright.owners[first_of])
    nearest = _keep_nearest([_pair(upright, copies, upright, first_of[copies])], new_ids)
    queries = _take(views, np.isin(views.owners, new_ids))
    distinct, _ = _find_firsts(queries)
    base = upright.hashes[firsts]
    for one, other in find_matches(queries.hashes[distinct], base, max_bits):
        chunk = _pair(queries, distinct[one], upright, firsts[other])
        nearest = _keep_nearest([nearest, chunk], new_ids)
    return nearest


def _pair(one: ViewTable, rows: Rows, other: ViewTable, others: Rows) -> Candidates:
    bits = np.bitwise_count(one.hashes[rows] ^ other.hashes[others]).astype(np.int64)
    codes = one.codes[rows].astype(np.int64), other.codes[others].astype(np.int64)
    return Candidates(one.owners[rows], other.owners[others], *codes, bits)


def _keep_nearest(parts: list[Candidates], new_ids: Rows) -> Candidates:
    """The nearest few partners of each image, of pairs with a new one; a pair comes once."""
    columns = [
        np.concatenate([getattr(it, column.name) for it in parts]) for column in fields(Candidates)
    ]
    first, second, one, other, bits = columns
    is_wanted = (first != second) & (np.isin(first, new_ids) | np.isin(second, new_ids))
    low, high = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((other, one, bits, high, low))
    order = order[is_wanted[order]]
    is_first = (np.diff(low[order], prepend=-1) != 0) | (np.diff(high[order], prepend=-1) != 0)
    order = order[is_first]
    kept = np.zeros(len(order), np.bool_)
    for images, partners in ((low, high), (high, low)):
        by_image = np.lexsort((partners[order], bits[order], images[order]))
        groups = images[order][by_image]
        starts = np.flatnonzero(np.diff(groups, prepend=-1) != 0)
        places = np.arange(len(groups)) - np.repeat(starts, np.diff(starts, append=len(groups)))
        kept[by_image[places < NEAREST]] = True
    return Candidates(*(it[order[kept]] for it in columns))


def _find_firsts(views: ViewTable) -> tuple[Rows, Rows]:
    """The first row of each hash, and for each row the first one with its hash."""
    _, firsts, inverse = np.unique(views.hashes, return_index=True, return_inverse=True)
    return firsts, firsts[inverse.ravel()]


def _take(views: ViewTable, rows: NDArray[np.bool_]) -> ViewTable:
    return ViewTable(views.owners[rows], views.codes[rows], views.hashes[rows])


def count_holders(words: Iterable[Words]) -> Rows:
    """How many images hold each word; the sum over all parts of the base weighs the words."""
    return np.asarray(_count_words(words).sum(axis=0, dtype=np.int64)).ravel()


class WordIndex:
    """Which images hold each visual word, weighted by tf-idf (Sivic and Zisserman 2003).

    An image holds its own words and those of its mirror image. `holders` and `images` count all of
    the base, so that each part of it gives a pair the same weight.
    """

    def __init__(self, image_ids: Rows, words: Iterable[Words], holders: Rows, images: int) -> None:
        self.image_ids = image_ids
        weights = np.log(1 + images / np.maximum(holders, 1))
        weights[holders > max(STOP_SHARE * images, LEAST_STOPPED)] = 0
        self._weights = scipy.sparse.diags_array(weights.astype(np.float32))
        self._table = self._weigh(words).T.tocsr()

    def find_nearest(self, words: Iterable[Words]) -> Iterator[tuple[Rows, NDArray[np.float32]]]:
        """For each list of words the images that share most, and how much, the best first."""
        queries = self._weigh(words)
        for start in range(0, queries.shape[0], QUERIES_AT_ONCE):
            scores = (queries[start : start + QUERIES_AT_ONCE] @ self._table).tocsr()
            for begin, end in pairwise(scores.indptr.tolist()):
                values, columns = scores.data[begin:end], scores.indices[begin:end]
                if len(values) > NEAREST + 1:
                    best = np.argpartition(-values, NEAREST)[: NEAREST + 1]
                    values, columns = values[best], columns[best]
                order = np.lexsort((columns, -values))
                order = order[values[order] >= LEAST_SHARED]
                yield self.image_ids[columns[order]], values[order]

    def _weigh(self, words: Iterable[Words]) -> scipy.sparse.csr_array:
        rows = _count_words(words) @ self._weights
        rows.eliminate_zeros()
        return _normalise(rows)


def find_by_words(
    index: WordIndex, image_ids: Rows, words: list[Words]
) -> tuple[list[tuple[int, int]], list[float]]:
    """Each of the images with those of the index that share most words, mirrored or not.

    Two lists: pairs of ids, the queried image's first, and how much they share.
    """
    pairs: list[tuple[int, int]] = []
    shares: list[float] = []
    nearest = index.find_nearest([it[:, :2] for it in words])
    for image_id, (others, values) in zip(image_ids.tolist(), nearest, strict=True):
        there = others != image_id
        pairs += [(image_id, it) for it in others[there][:NEAREST].tolist()]
        shares += values[there][:NEAREST].tolist()
    return pairs, shares


def _count_words(words: Iterable[Words]) -> scipy.sparse.csr_array:
    """A row for each image: 1 for each word that it holds, however often."""
    lists = [np.unique(it.ravel()).astype(np.int32) for it in words]
    ends = np.cumsum([0, *(len(it) for it in lists)])
    columns = np.concatenate(lists) if lists else np.empty(0, np.int32)
    ones = np.ones(len(columns), np.float32)
    return scipy.sparse.csr_array((ones, columns, ends), shape=(len(lists), 1 << WORD_BITS))


def _normalise(rows: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    lengths = np.sqrt(np.asarray(rows.power(2).sum(axis=1)).ravel())
    return scipy.sparse.diags_array((1 / np.maximum(lengths, 1e-6)).astype(np.float32)) @ rows
