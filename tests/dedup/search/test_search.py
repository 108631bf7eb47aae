from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.executors import open_processes
from dedup.search import (
    Hashes,
    Matches,
    Resources,
    find_matches_within,
    find_pairs_within,
    stream_pairs_within,
)

from .hashes import flip_bits, make_hashes, measure_distances, scan_matches, scan_pairs, spell_out

TINY = Resources(memory_bytes=2 * 48 * 20, workers=2)  # twenty hashes of 64 bits at once


@st.composite
def near_hashes(draw: st.DrawFn, words: int, max_rows: int = 30) -> Hashes:
    """Hashes that are few flips away from few centres, so that all distances are common."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    centres = make_hashes(random, draw(st.integers(1, 4)), words)
    rows = draw(st.integers(0, max_rows))
    most = draw(st.sampled_from([0, 2, 12, 32 * words]))
    chosen = centres[random.integers(0, len(centres), rows)]
    return flip_bits(chosen, random.integers(0, most + 1, rows), random)


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from([1, 2, 4]))
def test_all_pairs_are_what_a_scan_finds(data: st.DataObject, words: int) -> None:
    hashes = data.draw(near_hashes(words))
    max_bits = data.draw(st.integers(0, 64 * words))
    new_from = data.draw(st.integers(0, len(hashes)))
    memory = data.draw(st.sampled_from([700, 2000, 1 << 30]))
    resources = Resources(memory_bytes=memory, workers=2)
    found = find_pairs_within(hashes, max_bits, new_from=new_from, resources=resources)
    assert spell_out(found) == scan_pairs(hashes, max_bits, new_from)
    assert_told_right(found, hashes)


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from([1, 4]))
def test_matches_of_queries_are_what_a_scan_finds(data: st.DataObject, words: int) -> None:
    hashes = data.draw(near_hashes(words, max_rows=40))
    cut = data.draw(st.integers(0, len(hashes)))
    queries, base = hashes[:cut], hashes[cut:]
    max_bits = data.draw(st.integers(0, 64 * words))
    memory = data.draw(st.sampled_from([700, 1 << 30]))
    resources = Resources(memory_bytes=memory, workers=1)
    found = find_matches_within(queries, base, max_bits, resources=resources)
    assert spell_out(found) == scan_matches(queries, base, max_bits)


def assert_told_right(found: Matches, hashes: Hashes) -> None:
    """Distances are those of the hashes, and pairs and repeats come in order and once."""
    pairs, repeats = found.pairs, found.repeats
    distances = measure_distances(hashes, hashes)
    assert pairs.distance_bits.tolist() == distances[pairs.first, pairs.second].tolist()
    assert (pairs.first < pairs.second).all()
    listed = list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    assert listed == sorted(set(listed))
    assert repeats.row.tolist() == sorted(set(repeats.row.tolist()))
    assert (repeats.first_row < repeats.row).all()
    assert not np.isin(repeats.first_row, repeats.row).any()
    assert not distances[repeats.first_row, repeats.row].any()


# 30,000 rows are more than a scan is good for: these searches go by bands.
@pytest.mark.parametrize(
    ("words", "max_bits"), [(1, 0), (1, 3), (1, 10), (1, 13), (4, 31), (4, 7), (2, 20)]
)
def test_no_planted_pair_is_missed_among_many(words: int, max_bits: int) -> None:
    random = np.random.default_rng(words * 100 + max_bits)
    hashes = make_hashes(random, 30_000, words)
    flips = random.integers(0, max_bits + 1, 500)
    hashes[-500:] = flip_bits(hashes[:500], flips, random)
    found = find_pairs_within(hashes, max_bits)
    pairs = set(spell_out(found))
    assert {(row, 29_500 + row) for row in range(500)} <= pairs
    few = hashes[np.r_[0:600, 29_400:30_000]]
    rows = np.r_[0:600, 29_400:30_000].tolist()
    expected = {(rows[one], rows[other]) for one, other in scan_pairs(few, max_bits)}
    assert {pair for pair in pairs if set(pair) <= set(rows)} == expected


def test_skewed_bits_lose_nothing() -> None:
    """Constant, rare and copied bits make some buckets much fuller than others."""
    random = np.random.default_rng(7)
    chances = np.repeat([0.0, 0.1, 0.5, 0.5], 16)
    bits = random.random((20_000, 64)) < chances
    bits[:, 40:44] = bits[:, 32:36]
    hashes = np.packbits(bits, axis=1).view(np.uint64)
    matches = find_matches_within(hashes[:200], hashes, 6)
    assert spell_out(matches) == scan_matches(hashes[:200], hashes, 6)
    assert len(matches.pairs) > 400
    found = [pair for pair in spell_out(find_pairs_within(hashes, 4)) if pair[1] < 2000]
    assert found == scan_pairs(hashes[:2000], 4)
    assert found


def test_many_equal_hashes_are_a_star_and_not_all_of_their_pairs() -> None:
    random = np.random.default_rng(8)
    hashes = make_hashes(random, 60_000, 1)
    hashes[5_000:55_000] = hashes[17]
    hashes[100] = hashes[17] ^ np.uint64(3)
    found = find_pairs_within(hashes, 4)
    assert found.repeats.row.tolist() == list(range(5_000, 55_000))
    assert set(found.repeats.first_row.tolist()) == {17}
    assert list(zip(found.pairs.first, found.pairs.second, strict=True)) == [(17, 100)]
    assert found.pairs.distance_bits.tolist() == [2]


def test_of_many_equal_hashes_the_first_can_stand_for_all() -> None:
    hashes = np.array([[9], [9], [9], [8], [8], [9], [2**40]], np.uint64)
    found = find_pairs_within(hashes, 1)
    assert spell_out(found, max_alike=4) == scan_pairs(hashes, 1)
    assert spell_out(found, max_alike=3) == [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (3, 4)]
    assert spell_out(found, max_alike=1) == [(0, 1), (0, 2), (0, 3), (0, 5), (3, 4)]
    newest = find_pairs_within(hashes, 1, new_from=4)
    assert spell_out(newest, max_alike=3) == [(0, 4), (0, 5), (3, 4)]
    matches = find_matches_within(hashes[[3, 4]], hashes, 0)
    assert spell_out(matches, max_alike=1) == [(0, 3)]
    assert spell_out(matches, max_alike=2) == [(0, 3), (0, 4), (1, 3), (1, 4)]


def test_a_crowd_of_near_hashes_comes_in_bounded_chunks() -> None:
    """1,500 hashes that are all near each other: over a million pairs, more than a chunk holds."""
    random = np.random.default_rng(9)
    crowd = np.unique(flip_bits(np.zeros((1500, 1), np.uint64), np.full(1500, 3), random))
    _, chunks = stream_pairs_within(crowd, 6)
    sizes = [len(chunk) for chunk in chunks]
    assert sum(sizes) == len(crowd) * (len(crowd) - 1) // 2
    assert max(sizes) <= 1 << 16
    assert len(sizes) > 1


def test_neither_memory_nor_workers_nor_executor_change_what_is_found() -> None:
    random = np.random.default_rng(10)
    centres = make_hashes(random, 60, 1)
    hashes = flip_bits(np.tile(centres, (10, 1)), random.integers(0, 8, 600), random)
    expected = find_pairs_within(hashes, 10, new_from=200)
    with ThreadPoolExecutor(2) as executor:
        for resources in (
            Resources(workers=1),
            Resources(memory_bytes=48 * 2 * 50, workers=3),
            Resources(memory_bytes=48 * 2 * 150, workers=1, executor=executor),
        ):
            found = find_pairs_within(hashes, 10, new_from=200, resources=resources)
            for name in ("first", "second", "distance_bits"):
                assert np.array_equal(getattr(found.pairs, name), getattr(expected.pairs, name))
            assert np.array_equal(found.repeats.row, expected.repeats.row)
            assert np.array_equal(found.repeats.first_row, expected.repeats.first_row)


@pytest.mark.slow
def test_processes_find_the_same() -> None:
    """As a Dask cluster does: everything that they are given and give back is copied."""
    random = np.random.default_rng(13)
    hashes = make_hashes(random, 40_000, 1)
    hashes[-300:] = flip_bits(hashes[:300], random.integers(0, 11, 300), random)
    expected = find_pairs_within(hashes, 10).pairs
    with open_processes(2) as executor:
        resources = Resources(memory_bytes=48 * 2 * 25_000, executor=executor)
        found = find_pairs_within(hashes, 10, resources=resources).pairs
    assert np.array_equal(found.first, expected.first)
    assert np.array_equal(found.second, expected.second)
    assert len(found) > 250  # the others are repeats


@pytest.mark.parametrize("words", [1, 4])
def test_hashes_may_stay_in_a_file(tmp_path: Path, words: int) -> None:
    random = np.random.default_rng(11)
    hashes = flip_bits(np.zeros((50, words), np.uint64), random.integers(0, 40, 50), random)
    np.save(tmp_path / "hashes.npy", hashes)
    mapped = np.load(tmp_path / "hashes.npy", mmap_mode="r")
    assert spell_out(find_pairs_within(mapped, 31, resources=TINY)) == scan_pairs(hashes, 31)


def test_an_abandoned_stream_ends_its_threads() -> None:
    random = np.random.default_rng(12)
    _, chunks = stream_pairs_within(make_hashes(random, 3000, 1), 20)
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]
    assert next(chunks, None) is None


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("words", [1, 4])
def test_none_and_one_hash_have_no_pair(rows: int, words: int) -> None:
    hashes = np.zeros((rows, words), np.uint64)
    assert spell_out(find_pairs_within(hashes, 64 * words)) == []
    assert spell_out(find_matches_within(hashes, hashes[:0], 3)) == []
    assert spell_out(find_matches_within(hashes[:0], hashes, 3)) == []


@pytest.mark.parametrize(
    ("hashes", "message"),
    [
        (np.zeros(3, np.int64), "got int64 of shape (3,)"),
        (np.zeros((3, 0), np.uint64), "got uint64 of shape (3, 0)"),
        (np.zeros((3, 1, 1), np.uint64), "got uint64 of shape (3, 1, 1)"),
    ],
)
def test_what_is_no_list_of_hashes_is_refused(hashes: Hashes, message: str) -> None:
    with pytest.raises(ValueError, match="uint64 of shape") as refused:
        find_pairs_within(hashes, 3)
    assert str(refused.value).endswith(message)


def test_numbers_that_make_no_sense_are_refused() -> None:
    hashes = np.zeros(3, np.uint64)
    with pytest.raises(ValueError, match="max_distance_bits must not be negative, got -1"):
        find_pairs_within(hashes, -1)
    with pytest.raises(ValueError, match="max_distance_bits must not be negative, got -1"):
        find_matches_within(hashes, hashes, -1)
    with pytest.raises(ValueError, match="new_from must not be negative, got -2"):
        find_pairs_within(hashes, 1, new_from=-2)
    with pytest.raises(ValueError, match="must be at least 1"):
        Resources(workers=0)
    with pytest.raises(ValueError, match="must be at least 1"):
        Resources(memory_bytes=0)


def test_queries_and_base_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="got 1 and 4"):
        find_matches_within(np.zeros(3, np.uint64), np.zeros((3, 4), np.uint64), 3)
