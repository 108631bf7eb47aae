"""Every two 64-bit hashes within a distance, found through four bands of 16 bits; exact.

By the pigeonhole principle two hashes within d bits differ in some band by few enough bits that
trying every pattern of so many flipped bits in each band finds them all (Norouzi et al. 2012,
multi-index hashing). Where a scan of all pairs is cheaper, that is done; both give the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Rows = NDArray[np.intp]
RowPairs = tuple[Rows, Rows]

BANDS = 4
BAND_BITS = 16
CHUNK_PAIRS = 1 << 20  # bounds the memory of a step, also where one band pattern is everybody's

# Measured in the time that a scan needs for one pair, about 5 ns.
_COST_OF_PATTERN = 8000
_COST_OF_LOOKUP = 4
_COST_OF_CANDIDATE = 10


def pairs_within(queries: Hashes, base: Hashes, max_distance_bits: int) -> Iterator[RowPairs]:
    """Rows of `queries` and of `base` within the distance, each pair once, in bounded chunks."""
    radii = band_radii(max_distance_bits)
    if _is_scan_cheaper(len(queries), len(base), radii):
        return scan_pairs(queries, base, max_distance_bits)
    return join_pairs(queries, base, max_distance_bits)


def scan_pairs(queries: Hashes, base: Hashes, max_distance_bits: int) -> Iterator[RowPairs]:
    """The same by looking at all pairs."""
    step = max(CHUNK_PAIRS // max(len(base), 1), 1)
    for start in range(0, len(queries), step):
        distances = np.bitwise_count(queries[start : start + step, None] ^ base[None, :])
        query_rows, base_rows = np.nonzero(distances <= max_distance_bits)
        yield query_rows + start, base_rows


def join_pairs(queries: Hashes, base: Hashes, max_distance_bits: int) -> Iterator[RowPairs]:
    """The same by looking only at pairs that share a band but for few flipped bits."""
    radii = band_radii(max_distance_bits)
    for band, radius in enumerate(radii):
        keys = _band_keys(queries, band)
        starts, rows = _buckets(_band_keys(base, band))
        for pattern in flip_patterns(radius):
            for query_rows, places in _meetings(keys ^ np.uint64(pattern), starts):
                pair = query_rows, rows[places]
                yield _keep_new(pair, queries, base, max_distance_bits, radii[:band])


def band_radii(max_distance_bits: int) -> tuple[int, ...]:
    """How many flipped bits each band must be tried with so that no pair is missed; -1 for none.

    Two hashes that differ by more than its radius in every band differ by more than the distance.
    """
    least, more = divmod(max_distance_bits - BANDS + 1, BANDS)
    return tuple(least + (band < more) for band in range(BANDS))


def flip_patterns(radius: int) -> list[int]:
    """Every pattern of at most so many bits of a band."""
    return [
        sum(1 << bit for bit in bits)
        for flips in range(min(radius, BAND_BITS) + 1)
        for bits in combinations(range(BAND_BITS), flips)
    ]


def _is_scan_cheaper(queries: int, base: int, radii: tuple[int, ...]) -> bool:
    patterns = sum(comb(BAND_BITS, flips) for radius in radii for flips in range(radius + 1))
    candidates = queries * base / (1 << BAND_BITS)
    join = _COST_OF_PATTERN + _COST_OF_LOOKUP * queries + _COST_OF_CANDIDATE * candidates
    return queries * base <= patterns * join


def _band_keys(hashes: Hashes, band: int) -> Hashes:
    return (hashes >> np.uint64(band * BAND_BITS)) & np.uint64((1 << BAND_BITS) - 1)


def _buckets(keys: Hashes) -> tuple[Rows, Rows]:
    """Where each key's rows start in a list of rows that is sorted by key."""
    counts = np.bincount(keys.astype(np.intp), minlength=1 << BAND_BITS)
    return np.concatenate(([0], np.cumsum(counts))), np.argsort(keys, kind="stable")


def _meetings(keys: Hashes, starts: Rows) -> Iterator[RowPairs]:
    """Query rows and places in the sorted list that have one key, in chunks."""
    first = starts[keys.astype(np.intp)]
    counts = starts[keys.astype(np.intp) + 1] - first
    ends = np.cumsum(counts)
    start = 0
    while start < len(keys):
        done = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, done + CHUNK_PAIRS, side="right")), start + 1)
        yield _expand(first[start:stop], counts[start:stop], start)
        start = stop


def _expand(first: Rows, counts: Rows, row: int) -> RowPairs:
    ends = np.cumsum(counts)
    query_rows = np.repeat(np.arange(row, row + len(counts)), counts)
    places = np.arange(ends[-1]) + np.repeat(first - (ends - counts), counts)
    return query_rows, places


def _keep_new(
    pair: RowPairs, queries: Hashes, base: Hashes, max_distance_bits: int, earlier: tuple[int, ...]
) -> RowPairs:
    """The pairs within the distance that no earlier band has given already."""
    query_rows, base_rows = pair
    bits = queries[query_rows] ^ base[base_rows]
    near = np.bitwise_count(bits) <= max_distance_bits
    query_rows, base_rows, bits = query_rows[near], base_rows[near], bits[near]
    is_new = np.ones(len(bits), dtype=bool)
    for band, radius in enumerate(earlier):
        is_new &= np.bitwise_count(_band_keys(bits, band)).astype(np.int64) > radius
    return query_rows[is_new], base_rows[is_new]
