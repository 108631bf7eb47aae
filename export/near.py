"""Near-duplicates among the images of a release, by the hashes that dedup left on their rows.

Dedup keeps two near-duplicates that were both annotated; in a release they may only share a set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from catalog.settings import DedupSettings

from .rows import HashRow

Words = npt.NDArray[np.uint64]

ROWS_AT_ONCE = 256
LEAST_QUALITY = 20.0
"""Dedup may look at plainer images, since it verifies each pair before it binds it. Here nothing is
verified: hashes of skies and walls are near one another by chance, and would bind half a release
into one group that no split may tear."""


def find_near_pairs(
    hashes: Iterable[tuple[int, HashRow]], settings: DedupSettings
) -> list[tuple[int, int]]:
    """The pairs of ids whose hashes lie within both thresholds, the smaller id first, sorted.

    Hashes of different recipes, and images of a quality under the setting or
    LEAST_QUALITY, match nothing.
    """
    least = max(settings.min_quality, LEAST_QUALITY)
    by_recipe: dict[str, list[tuple[int, HashRow]]] = defaultdict(list)
    for image_id, row in hashes:
        if row.quality >= least:
            by_recipe[row.recipe].append((image_id, row))
    return sorted(pair for rows in by_recipe.values() for pair in _pairs(sorted(rows), settings))


def _pairs(
    hashes: Sequence[tuple[int, HashRow]], settings: DedupSettings
) -> Iterator[tuple[int, int]]:
    short = _words([row.phash_64 for _, row in hashes])
    long = _words([row.phash_256 for _, row in hashes])
    for start in range(0, len(hashes), ROWS_AT_ONCE):
        block = short[start : start + ROWS_AT_ONCE]
        distances = _distances_bits(block[:, None, :], short[None, start:, :])
        for row, column in np.argwhere(distances <= settings.max_distance_64_bits):
            first, second = start + int(row), start + int(column)
            if first >= second:
                continue
            if _distances_bits(long[first], long[second]) <= settings.max_distance_256_bits:
                yield hashes[first][0], hashes[second][0]


def _words(texts: Sequence[str]) -> Words:
    """A row of 64-bit words for each text of hexadecimal digits."""
    return np.array([np.frombuffer(bytes.fromhex(text), dtype=">u8") for text in texts], np.uint64)


def _distances_bits(first: Words, second: Words) -> npt.NDArray[np.int64]:
    distances: npt.NDArray[np.int64] = np.bitwise_count(first ^ second).sum(axis=-1, dtype=np.int64)
    return distances
