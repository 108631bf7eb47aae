from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.bands import Hashes, pairs_within


def as_hashes(values: list[int]) -> Hashes:
    return np.array(values, dtype=np.uint64)


def brute_force(queries: list[int], base: list[int], distance: int) -> list[tuple[int, int]]:
    return [
        (row, other)
        for row, query in enumerate(queries)
        for other, value in enumerate(base)
        if (query ^ value).bit_count() <= distance
    ]


def collect(queries: Hashes, base: Hashes, distance: int) -> list[tuple[int, int]]:
    """All pairs in order; a pair given twice shows twice."""
    chunks = pairs_within(queries, base, distance)
    return sorted(pair for rows in chunks for pair in zip(*(r.tolist() for r in rows), strict=True))


# Hashes that are few flips away from few centres, so that small distances are common.
centres = st.sampled_from([0, 2**64 - 1, 0x0123456789ABCDEF, 0xFFFF0000FFFF0000])
hashes = st.builds(
    lambda centre, bits: centre ^ sum(1 << bit for bit in bits),
    centres,
    st.sets(st.integers(0, 63), max_size=14),
)


@settings(deadline=None)
@given(
    st.lists(hashes, max_size=12),
    st.lists(hashes, max_size=12),
    st.integers(min_value=0, max_value=12),
)
def test_the_pairs_are_what_brute_force_finds(
    queries: list[int], base: list[int], distance: int
) -> None:
    expected = brute_force(queries, base, distance)
    assert collect(as_hashes(queries), as_hashes(base), distance) == expected


@pytest.mark.parametrize("distance", [0, 1, 3, 7, 10, 13])
def test_no_planted_pair_is_missed_among_many_hashes(distance: int) -> None:
    random = np.random.default_rng(distance)
    base = random.integers(0, 2**64, 4000, dtype=np.uint64)
    queries = random.integers(0, 2**64, 2000, dtype=np.uint64)
    for row in range(300):
        flips = sum(1 << int(bit) for bit in random.choice(64, distance, replace=False))
        queries[row] = base[2000 + row] ^ np.uint64(flips)
    assert {(row, row + 2000) for row in range(300)} <= set(collect(queries, base, distance))


def test_a_hash_that_everybody_shares_comes_in_bounded_chunks() -> None:
    hub = np.full(2000, 0xABCD, dtype=np.uint64)
    sizes = [len(rows[0]) for rows in pairs_within(hub, hub, 10)]
    assert sum(sizes) == 2000 * 2000
    assert max(sizes) <= 1 << 20


def test_nothing_matches_nothing() -> None:
    empty = as_hashes([])
    some = as_hashes([1, 2])
    assert collect(empty, some, 10) == []
    assert collect(some, empty, 10) == []
