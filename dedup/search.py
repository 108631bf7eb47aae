"""Exact search for all hashes of 64 bits within a Hamming distance of one another.

Two hashes within the distance agree nearly in one of four bands of 16 bits: if the radii of the
bands and one for each band add up to more than the distance, some band differs by no more than its
radius (Norouzi, Punjani and Fleet 2012, multi-index hashing). The base is sorted into buckets by
the bits of a band, and each query is compared with the buckets near its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Rows = NDArray[np.int64]
RowPairs = tuple[Rows, Rows]

BAND_BITS = 16
BANDS = 64 // BAND_BITS
PAIRS_AT_ONCE = 1 << BAND_BITS  # as many as fit into the processor's cache


def find_matches(queries: Hashes, base: Hashes, max_bits: int) -> Iterator[RowPairs]:
    """Every query row and base row within the distance, in chunks; each pair once, none missed."""
    # Of more bits than a band has, the buckets near a query are most of all buckets.
    if len(queries) * len(base) <= PAIRS_AT_ONCE or max_bits > BAND_BITS:
        yield from _compare_all(queries, base, max_bits)
        return
    share, more = divmod(max_bits + 1, BANDS)
    radii = [share - 1 + (band < more) for band in range(BANDS)]  # -1: the band is not needed
    for band, radius in enumerate(radii):
        if radius < 0:
            continue
        # Both in order of the band, so that neighbours in memory are compared with one another.
        own_order, order = (
            np.argsort(_take_band(hashes, band), kind="stable") for hashes in (queries, base)
        )
        sought = queries[own_order]
        there = base[order]
        for rows, others in _iterate_buckets(sought, there, band, radius):
            near = _select_near(sought[rows] ^ there[others], max_bits, radii[:band])
            yield own_order[rows[near]], order[others[near]]


def _iterate_buckets(sought: Hashes, there: Hashes, band: int, radius: int) -> Iterator[RowPairs]:
    """The rows of each query and of the base whose bits of a band differ by the radius at most.

    Both are sorted by the band.
    """
    patterns = np.arange(1 << BAND_BITS, dtype=np.uint64)
    sought_bits = _take_band(sought, band)
    starts = np.searchsorted(_take_band(there, band), np.arange((1 << BAND_BITS) + 1))
    for pattern in patterns[np.bitwise_count(patterns) <= radius]:
        keys = (sought_bits ^ pattern).astype(np.int64)
        yield from _expand(starts[keys], starts[keys + 1])


def _select_near(flips: Hashes, max_bits: int, radii: Sequence[int]) -> Rows:
    """The places of pairs within the distance that no earlier band of these radii has given."""
    near = np.flatnonzero(np.bitwise_count(flips) <= max_bits)
    for band, radius in enumerate(radii):
        differing = np.bitwise_count(_take_band(flips[near], band))
        near = near[differing > max(radius, -1)]
    return near


def _compare_all(queries: Hashes, base: Hashes, max_bits: int) -> Iterator[RowPairs]:
    step = max(PAIRS_AT_ONCE // max(len(base), 1), 1)
    for start in range(0, len(queries), step):
        distances = np.bitwise_count(queries[start : start + step, None] ^ base[None])
        rows, others = np.nonzero(distances <= max_bits)
        yield rows + start, others


def _take_band(hashes: Hashes, band: int) -> Hashes:
    return (hashes >> np.uint64(BAND_BITS * band)) & np.uint64((1 << BAND_BITS) - 1)


def _expand(lows: Rows, highs: Rows) -> Iterator[RowPairs]:
    """Each query with all places of its bucket, in chunks."""
    counts = highs - lows
    rows = np.flatnonzero(counts)
    if not len(rows):
        return
    ends = np.cumsum(counts[rows])
    cuts = np.searchsorted(ends, np.arange(0, int(ends[-1]), PAIRS_AT_ONCE))
    for begin, end in zip(cuts, [*cuts[1:], len(rows)], strict=True):
        some = rows[begin:end]
        sizes = counts[some]
        first = np.repeat(lows[some] - np.cumsum(sizes) + sizes, sizes)
        yield np.repeat(some, sizes), first + np.arange(int(sizes.sum()))
