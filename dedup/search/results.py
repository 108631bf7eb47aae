"""What a search finds: rows with equal hashes as stars, everything else as pairs of first rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .stars import RowPairs, Rows, Stars, expand_pairs, make_stars


@dataclass(frozen=True)
class Pairs:
    """Two rows and in how many bits their hashes differ, pair by pair."""

    first: Rows
    second: Rows
    distance_bits: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.first)

    def turn(self) -> Pairs:
        """The same pairs with the lower row first."""
        lower, higher = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        return Pairs(lower, higher, self.distance_bits)

    def sort(self) -> Pairs:
        """The same pairs in order of their rows."""
        order = np.lexsort((self.second, self.first))
        return Pairs(self.first[order], self.second[order], self.distance_bits[order])


@dataclass(frozen=True)
class Repeats:
    """Rows whose hash an earlier row has already, in order, each with the first row that has it.

    A hash that many rows share is a star here, one entry a row, and not all of its pairs.
    """

    row: Rows
    first_row: Rows

    def __len__(self) -> int:
        return len(self.row)

    def make_stars(self) -> Stars:
        """The same by first row."""
        return make_stars(self.row, self.first_row)


@dataclass(frozen=True)
class Matches:
    """All pairs among some hashes; a row stands in `pairs` for all rows that repeat it.

    Pairs are of first rows with unequal hashes, first < second, and only those where one of the
    two or a row that repeats it is from `new_from` on. Two rows, one of them so new, are within
    the distance if and only if they have one first row or their first rows are a pair.
    """

    repeats: Repeats
    pairs: Pairs
    new_from: int = 0

    def expand(self, max_alike: int | None = None) -> Iterator[RowPairs]:
        """Every two rows (lower, higher) within the distance, the higher new; in bounded chunks.

        Where more than `max_alike` rows share a hash, the first of them meets each of the others
        and stands for them in all else; without that limit such rows make this quadratic.
        """
        stars = self.repeats.make_stars()
        small = stars if max_alike is None else stars.keep_small(max_alike)
        centres = np.unique(small.centres)
        for one, other in expand_pairs(centres, centres, small, small):
            yield self._choose_new(one[one < other], other[one < other])
        is_large = ~np.isin(stars.centres, centres)
        yield self._choose_new(stars.centres[is_large], stars.rows[is_large])
        for one, other in expand_pairs(self.pairs.first, self.pairs.second, small, small):
            yield self._choose_new(np.minimum(one, other), np.maximum(one, other))

    def _choose_new(self, lower: Rows, higher: Rows) -> RowPairs:
        is_new = higher >= self.new_from
        return lower[is_new], higher[is_new]


@dataclass(frozen=True)
class QueryMatches:
    """All pairs of a query and a base row within the distance, `pairs` holding first rows.

    Here first rows with equal hashes are pairs too, at distance 0.
    """

    query_repeats: Repeats
    base_repeats: Repeats
    pairs: Pairs

    def expand(self, max_alike: int | None = None) -> Iterator[RowPairs]:
        """Every query row and base row within the distance, in bounded chunks.

        Where more than `max_alike` rows share a hash, the first of them stands for all.
        """
        queries, base = self.query_repeats.make_stars(), self.base_repeats.make_stars()
        if max_alike is not None:
            queries, base = queries.keep_small(max_alike), base.keep_small(max_alike)
        return expand_pairs(self.pairs.first, self.pairs.second, queries, base)


def join_pairs(chunks: Iterable[Pairs]) -> Pairs:
    """All pairs of the chunks, in order of their rows."""
    listed = [NO_PAIRS, *chunks]
    return Pairs(
        np.concatenate([chunk.first for chunk in listed]),
        np.concatenate([chunk.second for chunk in listed]),
        np.concatenate([chunk.distance_bits for chunk in listed]),
    ).sort()


def join_repeats(chunks: Iterable[Repeats]) -> Repeats:
    """All repeats of the chunks, in order of their rows."""
    listed = [NO_REPEATS, *chunks]
    rows = np.concatenate([chunk.row for chunk in listed])
    order = np.argsort(rows, kind="stable")
    return Repeats(rows[order], np.concatenate([chunk.first_row for chunk in listed])[order])


NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint16))
NO_REPEATS = Repeats(np.empty(0, np.int64), np.empty(0, np.int64))
