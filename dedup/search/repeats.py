"""Which rows have the very hash of an earlier row, and which rows stand for others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .kernels import fill_parts, find_first_rows
from .results import Repeats, join_repeats
from .stars import Rows
from .words import Hashes, Words, take_words

REPEATED, OLD, NEW = range(3)
"""What a row is to a search: nothing, as an earlier one stands for it; known; or to be matched."""


@dataclass(frozen=True)
class Census:
    """For each row REPEATED, OLD or NEW, and all repeats.

    A row is NEW where it or a row that repeats it is.
    """

    kinds: NDArray[np.uint8]
    repeats: Repeats


def take_census(hashes: Hashes, new_from: int, rows_at_once: int) -> Census:
    """What each row is, found with about so many hashes in memory at a time.

    Equal hashes are of one part, so that the parts can be looked at one after the other.
    """
    kinds = np.full(len(hashes), OLD, dtype=np.uint8)
    kinds[new_from:] = NEW
    parts = _read_parts(hashes, rows_at_once)
    repeats = join_repeats(_find_repeats(words, rows) for words, rows in parts)
    kinds[repeats.first_row[repeats.row >= new_from]] = NEW
    kinds[repeats.row] = REPEATED
    return Census(kinds, repeats)


def _read_parts(hashes: Hashes, rows_at_once: int) -> Iterator[tuple[Words, Rows]]:
    count = -(-len(hashes) // rows_at_once)
    if count == 1:
        yield take_words(hashes, slice(None)), np.arange(len(hashes))
        return
    for part in range(count):
        chosen = [
            _choose_part(hashes, start, min(start + rows_at_once, len(hashes)), part, count)
            for start in range(0, len(hashes), rows_at_once)
        ]
        yield np.hstack([words for words, _ in chosen]), np.hstack([rows for _, rows in chosen])


def _choose_part(
    hashes: Hashes, start: int, stop: int, part: int, count: int
) -> tuple[Words, Rows]:
    words = take_words(hashes, slice(start, stop))
    parts = np.empty(stop - start, dtype=np.int64)
    fill_parts(words, parts, count)
    places = np.flatnonzero(parts == part)
    return words[:, places], places + start


def _find_repeats(words: Words, rows: Rows) -> Repeats:
    table = np.full(1 << (len(rows) * 3 // 2).bit_length(), -1, dtype=np.int32)
    first = np.empty(len(rows), dtype=np.int32)
    find_first_rows(words, table, first)
    places = np.flatnonzero(first != np.arange(len(rows)))
    return Repeats(rows[places], rows[first[places]])
