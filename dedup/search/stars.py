"""Pairs of rows that stand for others, spelt out in bounded chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
RowPairs = tuple[Rows, Rows]

CHUNK_PAIRS = 1 << 16


@dataclass(frozen=True)
class Stars:
    """Rows in order of the centre that stands for them, and that centre for each."""

    centres: Rows
    rows: Rows

    def count(self, centres: Rows) -> Rows:
        """How many rows each of the centres stands for, itself included."""
        ends = np.searchsorted(self.centres, centres, side="right")
        return ends - np.searchsorted(self.centres, centres) + 1

    def keep_small(self, max_rows: int) -> Stars:
        """Only the stars of at most so many rows, the centre included."""
        is_small = self.count(self.centres) <= max_rows
        return Stars(self.centres[is_small], self.rows[is_small])

    def pick(self, centres: Rows, number: Rows) -> Rows:
        """Of each centre the row of that number; 0 is the centre itself."""
        if not len(self.rows):
            return centres
        places = np.searchsorted(self.centres, centres) + number - 1
        rows = self.rows[np.minimum(places, len(self.rows) - 1)]
        return np.where(number == 0, centres, rows)


def make_stars(rows: Rows, centres: Rows) -> Stars:
    """The rows by centre, those of one centre in their order."""
    order = np.argsort(centres, kind="stable")
    return Stars(centres[order], rows[order])


def expand_pairs(
    first: Rows, second: Rows, first_stars: Stars, second_stars: Stars
) -> Iterator[RowPairs]:
    """Every row that a pair's first stands for with every one that its second does."""
    widths = second_stars.count(second)
    ends = np.cumsum(first_stars.count(first) * widths)
    for begin in range(0, int(ends[-1]) if len(ends) else 0, CHUNK_PAIRS):
        number = np.arange(begin, min(begin + CHUNK_PAIRS, int(ends[-1])))
        pair = np.searchsorted(ends, number, side="right")
        number -= np.where(pair > 0, ends[pair - 1], 0)
        one = first_stars.pick(first[pair], number // widths[pair])
        yield one, second_stars.pick(second[pair], number % widths[pair])
