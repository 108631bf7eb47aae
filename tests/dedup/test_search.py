"""The search finds what comparing each hash with each finds."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dedup.search import HASH_BITS, Hashes, RowPairs, find_matches, find_pairs, list_shapes

RowPair = tuple[int, int]


def make_hashes(random: np.random.Generator, rows: int) -> Hashes:
    return random.integers(0, 2**64, rows, dtype=np.uint64)


def flip_bits(hashes: Hashes, flips: NDArray[np.int64], random: np.random.Generator) -> Hashes:
    """Each hash with as many of its bits flipped as said."""
    changed = hashes.copy()
    for row, count in enumerate(flips.tolist()):
        for bit in random.choice(64, count, replace=False).tolist():
            changed[row] ^= np.uint64(1 << bit)
    return changed


def scan_pairs(hashes: Hashes, max_bits: int) -> list[RowPair]:
    return [(one, other) for one, other in scan_matches(hashes, hashes, max_bits) if one < other]


def scan_matches(queries: Hashes, base: Hashes, max_bits: int) -> list[RowPair]:
    near = np.bitwise_count(queries[:, None] ^ base[None]) <= max_bits
    return [(query, row) for query, row in np.argwhere(near).tolist()]


def spell_out(chunks: Iterable[RowPairs]) -> list[RowPair]:
    """All pairs of rows in order; one that was found twice shows twice."""
    return sorted(
        pair
        for first, second in chunks
        for pair in zip(first.tolist(), second.tolist(), strict=True)
    )


@st.composite
def near_hashes(draw: st.DrawFn, max_rows: int = 30) -> Hashes:
    """Hashes that are few flips away from few centres, so that all distances are common."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    centres = make_hashes(random, draw(st.integers(1, 4)))
    rows = draw(st.integers(0, max_rows))
    most = draw(st.sampled_from([0, 2, 12, 32]))
    chosen = centres[random.integers(0, len(centres), rows)]
    return flip_bits(chosen, random.integers(0, most + 1, rows), random)


@settings(deadline=None, max_examples=60)
@given(near_hashes(), st.integers(0, 64))
def test_all_pairs_are_what_a_scan_finds(hashes: Hashes, max_bits: int) -> None:
    assert spell_out(find_pairs(hashes, max_bits, workers=2)) == scan_pairs(hashes, max_bits)


@settings(deadline=None, max_examples=60)
@given(near_hashes(40), st.integers(0, 40), st.integers(0, 64))
def test_matches_of_queries_are_what_a_scan_finds(hashes: Hashes, cut: int, max_bits: int) -> None:
    queries, base = hashes[:cut], hashes[cut:]
    found = spell_out(find_matches(queries, base, max_bits, workers=1))
    assert found == scan_matches(queries, base, max_bits)


# 30,000 rows are more than a scan is good for: these searches go by bands.
@pytest.mark.parametrize("max_bits", [0, 3, 10, 13])
def test_no_planted_pair_is_missed_among_many(max_bits: int) -> None:
    random = np.random.default_rng(100 + max_bits)
    hashes = make_hashes(random, 30_000)
    flips = random.integers(0, max_bits + 1, 500)
    hashes[-500:] = flip_bits(hashes[:500], flips, random)
    pairs = set(spell_out(find_pairs(hashes, max_bits)))
    assert {(row, 29_500 + row) for row in range(500)} <= pairs
    rows = np.r_[0:600, 29_400:30_000].tolist()
    expected = {(rows[one], rows[other]) for one, other in scan_pairs(hashes[rows], max_bits)}
    assert {pair for pair in pairs if set(pair) <= set(rows)} == expected


def test_skewed_bits_lose_nothing() -> None:
    """Constant, rare and copied bits make some buckets much fuller than others."""
    random = np.random.default_rng(7)
    chances = np.repeat([0.0, 0.1, 0.5, 0.5], 16)
    bits = random.random((20_000, 64)) < chances
    bits[:, 40:44] = bits[:, 32:36]
    hashes = np.packbits(bits, axis=1).view(np.uint64).ravel()
    matches = spell_out(find_matches(hashes[:200], hashes, 6))
    assert matches == scan_matches(hashes[:200], hashes, 6)
    assert len(matches) > 400
    found = [pair for pair in spell_out(find_pairs(hashes, 4)) if pair[1] < 2000]
    assert found == scan_pairs(hashes[:2000], 4)
    assert found


@pytest.mark.parametrize("max_bits", range(0, 64, 3))
def test_every_choice_of_bands_covers_the_distance_and_fits_the_hash(max_bits: int) -> None:
    """A pair escapes every band only by more flips in each than its radius: more than allowed."""
    for shapes in list_shapes(max_bits):
        assert sum(radius + 1 for _, radius in shapes) > max_bits
        assert sum(width for width, _ in shapes) <= HASH_BITS


def test_of_many_equal_hashes_the_first_stands_for_all() -> None:
    """50,000 rows with one hash are 1.2 billion pairs."""
    hashes = make_hashes(np.random.default_rng(8), 60_000)
    hashes[5_000:55_000] = hashes[17]
    hashes[100] = hashes[17] ^ np.uint64(3)
    alike = [17, *range(5_000, 55_000)]
    found = set(spell_out(find_pairs(hashes, 4)))
    assert found == {(17, row) for row in alike[1:]} | {
        (min(100, row), max(100, row)) for row in alike
    }


def test_a_crowd_of_near_hashes_comes_in_bounded_chunks() -> None:
    """1,500 hashes that are all near each other: over a million pairs, more than a chunk holds."""
    random = np.random.default_rng(9)
    crowd = np.unique(flip_bits(np.zeros(1500, np.uint64), np.full(1500, 3), random))
    sizes = [len(first) for first, _ in find_pairs(crowd, 6)]
    assert sum(sizes) == len(crowd) * (len(crowd) - 1) // 2
    assert max(sizes) <= 1 << 16


def test_the_order_of_what_is_found_does_not_depend_on_the_threads() -> None:
    hashes = make_hashes(np.random.default_rng(2), 20_000)
    one, three = (list(find_pairs(hashes, 16, workers=workers)) for workers in (1, 3))
    assert len(one) == len(three) > 1
    for chunk, other in zip(one, three, strict=True):
        assert np.array_equal(chunk, other)


@pytest.mark.parametrize("rows", [0, 1])
def test_none_and_one_hash_have_no_pair(rows: int) -> None:
    hashes = np.zeros(rows, np.uint64)
    assert spell_out(find_pairs(hashes, 64)) == []
    assert spell_out(find_matches(hashes, hashes[:0], 3)) == []
    assert spell_out(find_matches(hashes[:0], hashes, 3)) == []
