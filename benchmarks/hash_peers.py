"""Other ways to find all pairs of hashes within a distance, as their users would go about it.

Each takes the hashes (`[row, word]`), the distance and a share of the work, and gives the seconds
that all of it would take and the pairs of rows found, self-pairs and doubles included. This module
needs numpy and, for each peer, that peer.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Rows = NDArray[np.int64]
Secs = NDArray[np.float64]
"""Seconds by the clock on the wall, and of all processors together."""

BAND_BITS = 16
CHUNK_PAIRS = 1 << 20


@dataclass(frozen=True)
class Outcome:
    """How long all of the work takes, measured on a share of it, and what that share found.

    `queried` is how many of the first rows have met all others; None where no row has. With
    `stands_for` pairs are of the rows that it names for each row.
    """

    secs: Secs
    first: Rows
    second: Rows
    queried: int | None
    stands_for: Rows | None = None


def read_clocks() -> Secs:
    """The clocks now; workers that were waited for are counted."""
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = time.process_time() + workers.ru_utime + workers.ru_stime
    return np.array([time.perf_counter(), used])


def scan_with_faiss(hashes: Hashes, max_bits: int, share: float) -> Outcome:
    """FAISS, IndexBinaryFlat: every query meets every hash."""
    faiss = import_module("faiss")
    return _query_faiss(faiss.IndexBinaryFlat(hashes.shape[1] * 64), hashes, max_bits, share)


def probe_with_faiss(hashes: Hashes, max_bits: int, share: float) -> Outcome:
    """FAISS, IndexBinaryMultiHash: bands of 16 bits, each with the flips that make it exact."""
    faiss = import_module("faiss")
    bits = hashes.shape[1] * 64
    index = faiss.IndexBinaryMultiHash(bits, bits // BAND_BITS, BAND_BITS)
    index.nflip = max_bits // (bits // BAND_BITS)
    return _query_faiss(index, hashes, max_bits, share)


def _query_faiss(index: object, hashes: Hashes, max_bits: int, share: float) -> Outcome:
    octets = hashes.view(np.uint8).reshape(len(hashes), -1)
    start = read_clocks()
    index.add(octets)  # type: ignore[attr-defined]
    added = read_clocks()
    queried = _count(share, len(hashes))
    ends, _, found = index.range_search(octets[:queried], max_bits + 1)  # type: ignore[attr-defined]
    queries = np.repeat(np.arange(queried), np.diff(ends.astype(np.int64)))
    secs = added - start + (read_clocks() - added) * len(hashes) / queried
    return Outcome(secs, queries, found.astype(np.int64), queried)


def scan_with_imagededup(hashes: Hashes, max_bits: int, share: float) -> Outcome:
    """imagededup, the search behind `PHash.find_duplicates`, with its default method."""
    retrieval = import_module("imagededup.handlers.search.retrieval")
    names = {f"{row}.jpg": f"{int(value):016x}" for row, value in enumerate(hashes[:, 0])}
    queried = _count(share, len(hashes))
    queries = dict(list(names.items())[:queried])
    start = read_clocks()
    search = retrieval.HashEval(names, queries, None, verbose=False, threshold=max_bits)
    secs = (read_clocks() - start) * len(hashes) / queried
    found = [
        (int(query[:-4]), int(name[:-4]))
        for query, matches in search.retrieve_results().items()
        for name in matches
    ]
    pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    return Outcome(secs, pairs[:, 0], pairs[:, 1], queried)


def join_with_numpy(hashes: Hashes, max_bits: int, share: float) -> Outcome:
    """Bands of 16 bits joined by sorting, with as many flips tried as make it exact."""
    bands = hashes.shape[1] * 64 // BAND_BITS
    least, more = divmod(max_bits + 1 - bands, bands)
    found: list[tuple[Rows, Rows]] = []
    total = np.zeros(2)
    for band in range(bands):
        start = read_clocks()
        keys = hashes.view("<u2")[:, band].astype(np.int64)
        order = np.argsort(keys, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(keys, minlength=1 << BAND_BITS))))
        sorted_at = read_clocks()
        patterns = _list_patterns(least + (band < more))
        some = patterns[:: max(round(1 / share), 1)]
        for pattern in some:
            for one, other in _list_candidates(keys[order], starts, pattern):
                rows = order[one], order[other]
                flips = hashes[rows[0]] ^ hashes[rows[1]]
                near = np.bitwise_count(flips).sum(axis=1, dtype=np.int64) <= max_bits
                found.append((rows[0][near], rows[1][near]))
        joined = read_clocks() - sorted_at
        total += sorted_at - start + joined * len(patterns) / max(len(some), 1)
    first, second = (np.concatenate([rows[side] for rows in found]) for side in (0, 1))
    return Outcome(total, first, second, len(hashes) if share == 1 else None)


def _list_patterns(flips: int) -> list[int]:
    return [
        sum(1 << bit for bit in bits)
        for count in range(flips + 1)
        for bits in combinations(range(BAND_BITS), count)
    ]


def _list_candidates(keys: Rows, starts: Rows, pattern: int) -> Iterator[tuple[Rows, Rows]]:
    """Places in sorted keys that differ by the pattern, each two once, in chunks."""
    others = keys ^ pattern
    first = np.where(others > keys, starts[others], starts[others + 1])
    if pattern == 0:
        first = np.arange(1, len(keys) + 1)
    counts = starts[others + 1] - first
    ends = np.cumsum(counts)
    start = 0
    while start < len(keys):
        done = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, done + CHUNK_PAIRS, side="right")), start + 1)
        some = counts[start:stop]
        begins = np.cumsum(some) - some
        others_of_row = np.arange(some.sum()) + np.repeat(first[start:stop] - begins, some)
        yield np.repeat(np.arange(start, stop), some), others_of_row
        start = stop


def _count(share: float, rows: int) -> int:
    return min(max(round(share * rows), 1), rows)


PEERS: dict[str, Callable[[Hashes, int, float], Outcome]] = {
    "numpy band join": join_with_numpy,
    "faiss flat": scan_with_faiss,
    "faiss multi-hash": probe_with_faiss,
    "imagededup": scan_with_imagededup,
}
