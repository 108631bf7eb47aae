"""Which images are near-duplicates of which by their hashes; pure, and exact for its thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.settings import DedupSettings

from .bands import Hashes, RowPairs, Rows, pairs_within

WORDS_256 = 4


@dataclass(frozen=True)
class HashTable:
    """The hashes of many images, one row each; `hashes_256` has four words of 64 bits a row.

    `is_new` marks the rows that were not matched before.
    """

    image_ids: NDArray[np.int64]
    is_new: NDArray[np.bool_]
    hashes_64: Hashes
    hashes_256: Hashes
    quality: NDArray[np.float64]

    def select(self, rows: NDArray[np.bool_]) -> HashTable:
        """The table of the marked rows."""
        return HashTable(
            self.image_ids[rows],
            self.is_new[rows],
            self.hashes_64[rows],
            self.hashes_256[rows],
            self.quality[rows],
        )


@dataclass(frozen=True)
class Pair:
    """Two images within both thresholds."""

    first_id: int
    second_id: int
    distance_64_bits: int
    distance_256_bits: int


def find_pairs(table: HashTable, settings: DedupSettings) -> list[Pair]:
    """Every pair of a new image and any other within both thresholds, once, in order of ids.

    Images with less quality than the settings ask for match nothing: flat ones look alike.
    """
    table = table.select(table.quality >= settings.min_quality)
    new_rows = np.flatnonzero(table.is_new)
    pairs: list[Pair] = []
    chunks = pairs_within(table.hashes_64[new_rows], table.hashes_64, settings.max_distance_64_bits)
    for query_rows, base_rows in chunks:
        once = _take_once(table, new_rows[query_rows], base_rows)
        pairs += _verify(table, once, settings.max_distance_256_bits)
    return sorted(pairs, key=lambda pair: (pair.first_id, pair.second_id))


def distances_256_bits(first: Hashes, second: Hashes) -> NDArray[np.int64]:
    """How many of 256 bits differ, row by row."""
    distances: NDArray[np.int64] = np.bitwise_count(first ^ second).sum(axis=1, dtype=np.int64)
    return distances


def _take_once(table: HashTable, first: Rows, second: Rows) -> RowPairs:
    """Two new rows find each other; the pair is taken from the first of them."""
    once = (first < second) | ((first != second) & ~table.is_new[second])
    return first[once], second[once]


def _verify(table: HashTable, rows: RowPairs, max_distance_256_bits: int) -> list[Pair]:
    first, second = rows
    distances = distances_256_bits(table.hashes_256[first], table.hashes_256[second])
    near = distances <= max_distance_256_bits
    first, second, distances = first[near], second[near], distances[near]
    distances_64 = np.bitwise_count(table.hashes_64[first] ^ table.hashes_64[second])
    columns = (table.image_ids[first], table.image_ids[second], distances_64, distances)
    rows_of = zip(*(column.tolist() for column in columns), strict=True)
    return [Pair(min(a, b), max(a, b), bits_64, bits_256) for a, b, bits_64, bits_256 in rows_of]
