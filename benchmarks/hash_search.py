"""All pairs within ten bits among many hashes of 64 bits: seconds, memory, and what is found.

    python -m benchmarks.hash_search --rows 100000 1000000 [--equal 100000]

The hashes are as uneven as those of photographs: each bit is the sign of a Gaussian that shares a
few hidden causes with all others (a light sky, a dark ground), so that a band of 16 bits collides
about twice as often as in random bits. One in a hundred is a copy of another with up to ten bits
flipped.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dedup.search import Hashes, find_matches

MAX_BITS = 10
CAUSES = 8
MEAN = 0.08
SHARED = 0.30
"""The share of a bit's variance that comes from the hidden causes."""
CHUNK_ROWS = 1 << 16


def main() -> None:
    """Measure what the command line asks for and print a Markdown table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--equal", type=int, default=0, help="so many hashes are all alike")
    options = parser.parse_args()
    print(
        "| hashes | seconds | processor s | peak MB | pairs | planted found |\n" + "|---" * 6 + "|"
    )
    for rows in options.rows:
        hashes, planted = make_planted(rows, options.equal, np.random.default_rng(1))
        start, used = time.perf_counter(), time.process_time()
        pairs, found = count_pairs(hashes, planted)
        secs, used = time.perf_counter() - start, time.process_time() - used
        took = f"{secs:.2f} | {used:.2f} | {measure_peak_mb():,.0f} | {pairs:,}"
        print(f"| {rows:,} | {took} | {found:,} of {planted.shape[1]:,} |", flush=True)


def count_pairs(hashes: Hashes, planted: NDArray[np.int64]) -> tuple[int, int]:
    """How many pairs the search finds, and how many of the planted ones."""
    pairs, numbers = 0, [np.empty(0, np.int64)]
    for first, second in find_matches(hashes, hashes, MAX_BITS):
        first, second = first[first < second], second[first < second]
        pairs += len(first)
        numbers.append(first * len(hashes) + second)
    wanted = planted.min(axis=0, initial=len(hashes)) * len(hashes) + planted.max(axis=0, initial=0)
    return pairs, int(np.isin(wanted, np.concatenate(numbers)).sum())


def make_planted(
    rows: int, equal_rows: int, random: np.random.Generator
) -> tuple[Hashes, NDArray[np.int64]]:
    """Uneven hashes, and the rows of each copy and of what it is a copy of."""
    hashes = make_skewed(rows, random)
    planted = random.permutation(rows)[: rows // 100 * 2].reshape(2, -1)
    hashes[planted[1]] = hashes[planted[0]]
    for row, flips in zip(planted[1], random.integers(0, MAX_BITS + 1, rows // 100), strict=True):
        for bit in random.choice(64, flips, replace=False):
            hashes[row] ^= np.uint64(1) << np.uint64(bit)
    alike = np.setdiff1d(np.arange(rows), planted)[:equal_rows]
    hashes[alike] = hashes[alike[:1]]
    return hashes, planted


def make_skewed(rows: int, random: np.random.Generator) -> Hashes:
    """As many hashes whose bits are neither balanced nor independent."""
    loads = random.normal(size=(CAUSES, 64))
    loads *= np.sqrt(SHARED / (loads**2).sum(axis=0))
    means = random.normal(0, MEAN, 64)
    means[0] = 3.0  # the first bit compares the mean brightness
    chunks = []
    for start in range(0, rows, CHUNK_ROWS):
        count = min(CHUNK_ROWS, rows - start)
        values = random.normal(size=(count, CAUSES)) @ loads + means
        values += random.standard_normal((count, 64)) * np.sqrt(1 - SHARED)
        octets = np.packbits(values > 0, axis=1, bitorder="little")
        chunks.append(octets.view("<u8").ravel().astype(np.uint64))
    return np.concatenate(chunks)


def measure_peak_mb() -> float:
    """The most memory that this process has held."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    main()
