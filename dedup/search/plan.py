"""How a search is to be done: which bands of bits, and how many flips to try in each.

By the pigeonhole principle, if the radii of disjoint bands and one for each band add up to more
than the distance, two hashes within the distance differ in some band by no more than its radius
(Norouzi, Punjani and Fleet 2012, multi-index hashing). Any such plan is exact; they differ in cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb, exp

import numpy as np
from numpy.typing import NDArray

from .bits import Words, choose_bits, choose_first_words

WORD_BITS = 64
MAX_BAND_BITS = 24
MAX_PATTERNS = 200_000
SAMPLE_ROWS = 4096

# Measured on one core, in nanoseconds, on hashes as uneven as those of photographs.
_COST_OF_BUCKET = 1.0
_COST_OF_BUCKET_PAIR = 8.0
_COST_OF_ROW = 4.0
_COST_OF_BLOCK = 1.7  # eight rows, each word
_COST_OF_FILLING = 30.0  # a row
_COST_OF_PLANNING = 5e6


@dataclass(frozen=True)
class Band:
    """Some bits of a hash, by number, and in how many of them a pair may differ."""

    bits: tuple[int, ...]
    radius: int

    def make_mask(self, word_count: int) -> Words:
        """One word after the other with the band's bits set."""
        mask = np.zeros(word_count, dtype=np.uint64)
        for bit in self.bits:
            mask[bit // WORD_BITS] |= np.uint64(1 << (bit % WORD_BITS))
        return mask

    def make_patterns(self) -> NDArray[np.int32]:
        """Every number that differs from 0 in at most `radius` bits of the band."""
        return np.array(
            [
                sum(1 << bit for bit in bits)
                for flips in range(min(self.radius, len(self.bits)) + 1)
                for bits in combinations(range(len(self.bits)), flips)
            ],
            dtype=np.int32,
        )


@dataclass(frozen=True)
class Plan:
    """The bands of a search, and the words by which nearly all candidates are told from pairs."""

    max_bits: int
    bands: tuple[Band, ...]
    first_words: tuple[int, ...]


@dataclass(frozen=True)
class Size:
    """How many rows meet how many; with `is_self` they are the same, and pairs are met once.

    No band may be wider than `widest_bits`: each set has a table of the buckets.
    """

    queries: int
    base: int
    is_self: bool
    widest_bits: int = MAX_BAND_BITS


@dataclass(frozen=True)
class Shape:
    """The width in bits and the radius of a band."""

    width: int
    radius: int


def make_plan(sample: Words, size: Size, max_bits: int) -> Plan:
    """The cheapest plan for hashes like the sample (`[word, row]`); the same for the same input."""
    first_words = choose_first_words(sample, max_bits)
    shapes = plan_shapes(len(sample) * WORD_BITS, size, max_bits, len(first_words))
    weights = [count_patterns(shape) / (1 << shape.width) for shape in shapes]
    chosen = choose_bits(sample, [shape.width for shape in shapes], weights)
    pairs = zip(chosen, shapes, strict=True)
    bands = tuple(Band(bits, shape.radius) for bits, shape in pairs)
    return Plan(max_bits, bands, first_words)


def plan_shapes(hash_bits: int, size: Size, max_bits: int, first_words: int) -> tuple[Shape, ...]:
    """The widths and radii that cost least; a single band of no bits is a scan of all pairs."""
    scan = (Shape(0, 0),)
    if max_bits >= hash_bits or estimate_cost(scan, size, first_words) < _COST_OF_PLANNING:
        return scan
    choices = [scan, *list_shapes(hash_bits, max_bits, size.widest_bits)]
    return min(choices, key=lambda shapes: estimate_cost(shapes, size, first_words))


def list_shapes(
    hash_bits: int, max_bits: int, widest_bits: int = MAX_BAND_BITS
) -> Iterator[tuple[Shape, ...]]:
    """Ways to cut a hash into disjoint bands that leave no pair within the distance uncovered.

    The first bands have one flip more than the others, and may be wider.
    """
    for count in range(1, max_bits + 2):
        least, more = divmod(max_bits + 1 - count, count)
        for wide in range(4, min(widest_bits, MAX_BAND_BITS) + 1):
            narrow = min((hash_bits - more * wide) // (count - more), wide)
            if narrow < 1 or (more == 0 and narrow < wide):
                continue
            shapes = (Shape(wide, least + 1),) * more + (Shape(narrow, least),) * (count - more)
            if max(map(count_patterns, shapes)) <= MAX_PATTERNS:
                yield shapes


def count_patterns(shape: Shape) -> int:
    """How many patterns of so many flips the band has."""
    return sum(comb(shape.width, flips) for flips in range(shape.radius + 1))


def estimate_cost(shapes: tuple[Shape, ...], size: Size, first_words: int) -> float:
    """About how many nanoseconds of one core the search takes on random bits."""
    return sum(_estimate_band(shape, size, first_words) for shape in shapes)


def _estimate_band(shape: Shape, size: Size, first_words: int) -> float:
    buckets = 1 << shape.width
    patterns = count_patterns(shape)
    share = 0.5 if size.is_self else 1.0
    fullness = size.base / buckets
    row = _COST_OF_ROW + (fullness / 8 + 0.5) * first_words * _COST_OF_BLOCK
    bucket_pairs = share * patterns * buckets * (1 - exp(-size.queries / buckets))
    rows = share * patterns * size.queries * (1 - exp(-fullness))
    filling = _COST_OF_FILLING * (size.queries + (0 if size.is_self else size.base))
    visits = bucket_pairs * _COST_OF_BUCKET_PAIR + rows * row
    return visits + filling + buckets * _COST_OF_BUCKET
