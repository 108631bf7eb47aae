"""Hashes for tests, and the plain way to find pairs that the search has to agree with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dedup.search import Hashes, Matches, QueryMatches

RowPair = tuple[int, int]


def make_hashes(random: np.random.Generator, rows: int, words: int) -> Hashes:
    return random.integers(0, 2**64, (rows, words), dtype=np.uint64)


def flip_bits(hashes: Hashes, flips: NDArray[np.int64], random: np.random.Generator) -> Hashes:
    """Each hash with as many of its bits flipped as said."""
    bits = 64 * hashes.shape[1]
    changed = hashes.copy()
    for row, count in enumerate(flips.tolist()):
        for bit in random.choice(bits, count, replace=False).tolist():
            changed[row, bit // 64] ^= np.uint64(1 << (bit % 64))
    return changed


def measure_distances(queries: Hashes, base: Hashes) -> NDArray[np.int64]:
    """In how many bits each query differs from each hash of the base; both `[row, word]`."""
    distances = np.zeros((len(queries), len(base)), dtype=np.int64)
    for word in range(queries.shape[1]):
        distances += np.bitwise_count(queries[:, None, word] ^ base[None, :, word])
    return distances


def scan_pairs(hashes: Hashes, max_bits: int, new_from: int = 0) -> list[RowPair]:
    near = np.triu(measure_distances(hashes, hashes) <= max_bits, k=1)
    return [(one, other) for one, other in np.argwhere(near).tolist() if other >= new_from]


def scan_matches(queries: Hashes, base: Hashes, max_bits: int) -> list[RowPair]:
    near = measure_distances(queries, base) <= max_bits
    return [(query, row) for query, row in np.argwhere(near).tolist()]


def spell_out(matches: Matches | QueryMatches, max_alike: int | None = None) -> list[RowPair]:
    """All pairs of rows in order; one that was found twice shows twice."""
    return sorted(
        pair
        for rows in matches.expand(max_alike)
        for pair in zip(rows[0].tolist(), rows[1].tolist(), strict=True)
    )
