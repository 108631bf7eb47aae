from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup import bands
from dedup.bands import Hashes, band_radii, flip_patterns, join_pairs, pairs_within, scan_pairs


def as_hashes(values: list[int]) -> Hashes:
    return np.array(values, dtype=np.uint64)


def brute_force(queries: list[int], base: list[int], distance: int) -> list[tuple[int, int]]:
    return [
        (row, other)
        for row, query in enumerate(queries)
        for other, value in enumerate(base)
        if (query ^ value).bit_count() <= distance
    ]


def collect(chunks: object) -> list[tuple[int, int]]:
    """All pairs in order; a pair given twice shows twice."""
    assert hasattr(chunks, "__iter__")
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
def test_the_join_finds_what_brute_force_finds(
    queries: list[int], base: list[int], distance: int
) -> None:
    expected = brute_force(queries, base, distance)
    assert collect(join_pairs(as_hashes(queries), as_hashes(base), distance)) == expected
    assert collect(scan_pairs(as_hashes(queries), as_hashes(base), distance)) == expected


@pytest.mark.parametrize("distance", [0, 1, 3, 7, 10, 13])
def test_no_planted_pair_is_missed_among_many_hashes(distance: int) -> None:
    random = np.random.default_rng(distance)
    base = random.integers(0, 2**64, 4000, dtype=np.uint64)
    queries = random.integers(0, 2**64, 2000, dtype=np.uint64)
    for row in range(300):
        flips = sum(1 << int(bit) for bit in random.choice(64, distance, replace=False))
        queries[row] = base[2000 + row] ^ np.uint64(flips)
    found = collect(join_pairs(queries, base, distance))
    assert {(row, row + 2000) for row in range(300)} <= set(found)
    assert found == collect(scan_pairs(queries, base, distance))


@pytest.mark.parametrize("distance", range(65))
def test_the_radii_leave_no_distance_uncovered(distance: int) -> None:
    """A pair escapes every band only by more flips in each than its radius: more than allowed."""
    assert sum(radius + 1 for radius in band_radii(distance)) > distance


def test_flip_patterns_are_all_masks_of_so_few_bits() -> None:
    for radius in range(4):
        expected = [mask for mask in range(1 << 16) if mask.bit_count() <= radius]
        assert sorted(flip_patterns(radius)) == expected
    assert flip_patterns(-1) == []


def test_a_bucket_that_everybody_shares_is_worked_off_in_bounded_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bands, "CHUNK_PAIRS", 1000)
    random = np.random.default_rng(1)
    hub = (random.integers(0, 2**48, 300, dtype=np.uint64) << np.uint64(16)) | np.uint64(0xABCD)
    sizes: list[int] = []
    expand = bands._expand

    def measured(*arguments: object) -> object:
        rows = expand(*arguments)  # type: ignore[arg-type]
        sizes.append(len(rows[0]))
        return rows

    monkeypatch.setattr(bands, "_expand", measured)
    assert collect(join_pairs(hub, hub, 10)) == collect(scan_pairs(hub, hub, 10))
    assert max(sizes) <= 1000
    assert sum(sizes) >= 300 * 300


def test_few_hashes_are_scanned_and_many_joined_with_one_result() -> None:
    random = np.random.default_rng(2)
    base = random.integers(0, 2**64, 5000, dtype=np.uint64)
    for distance in (0, 10, 20):
        assert collect(pairs_within(base, base, distance)) == collect(
            scan_pairs(base, base, distance)
        )


def test_nothing_matches_nothing() -> None:
    empty = as_hashes([])
    some = as_hashes([1, 2])
    assert collect(pairs_within(empty, some, 10)) == []
    assert collect(join_pairs(empty, some, 10)) == []
    assert collect(join_pairs(some, empty, 10)) == []
