from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.settings import DedupSettings
from dedup.matching import HashTable, Pair, find_pairs

SETTINGS = DedupSettings(max_distance_64_bits=10, max_distance_256_bits=80, min_quality=20)


def make_table(
    hashes: list[tuple[int, int]], *, new: set[int] | None = None, quality: float = 100.0
) -> HashTable:
    """Images with ids from 1; all are new unless `new` names those that are."""
    ids = range(1, len(hashes) + 1)
    words = [(long >> (64 * word)) & (2**64 - 1) for _short, long in hashes for word in range(4)]
    return HashTable(
        image_ids=np.array(ids, dtype=np.int64),
        is_new=np.array([new is None or image_id in new for image_id in ids], dtype=np.bool_),
        hashes_64=np.array([short for short, _long in hashes], dtype=np.uint64),
        hashes_256=np.array(words, dtype=np.uint64).reshape(-1, 4),
        quality=np.full(len(hashes), quality),
    )


def test_both_thresholds_must_hold_and_the_distances_are_told() -> None:
    at_both = (2**10 - 1, 2**80 - 1)
    table = make_table([(0, 0), at_both, (2**11 - 1, 0), (2**64 - 1, 0), (0, 2**256 - 1)])
    pairs = find_pairs(table, SETTINGS)
    assert Pair(1, 2, 10, 80) in pairs
    assert {(pair.first_id, pair.second_id) for pair in pairs} == {(1, 2), (2, 3)}


def test_images_of_too_little_quality_match_nothing() -> None:
    table = make_table([(0, 0), (0, 0)], quality=19.9)
    assert find_pairs(table, SETTINGS) == []
    assert find_pairs(table, replace(SETTINGS, min_quality=19.9)) == [Pair(1, 2, 0, 0)]


def test_two_earlier_images_are_not_matched_again() -> None:
    table = make_table([(0, 0), (0, 0), (0, 0)], new={3})
    assert find_pairs(table, SETTINGS) == [Pair(1, 3, 0, 0), Pair(2, 3, 0, 0)]
    assert find_pairs(make_table([(0, 0), (0, 0)], new=set()), SETTINGS) == []


def test_an_empty_catalogue_has_no_pairs() -> None:
    assert find_pairs(make_table([]), SETTINGS) == []


hashes = st.tuples(
    st.sets(st.integers(0, 63), max_size=12), st.sets(st.integers(0, 255), max_size=90)
).map(lambda bits: tuple(sum(1 << bit for bit in some) for some in bits))


@settings(deadline=None)
@given(
    st.lists(hashes, max_size=10),
    st.sets(st.integers(1, 10)),
    st.integers(0, 64),
    st.integers(0, 256),
)
def test_matching_is_exact_for_its_thresholds(
    found: list[tuple[int, int]], new: set[int], max_64: int, max_256: int
) -> None:
    limits = DedupSettings(max_distance_64_bits=max_64, max_distance_256_bits=max_256)
    expected = []
    for second in range(1, len(found) + 1):
        for first in range(1, second):
            (short, long), (other_short, other_long) = found[first - 1], found[second - 1]
            bits = (short ^ other_short).bit_count(), (long ^ other_long).bit_count()
            if bits[0] <= max_64 and bits[1] <= max_256 and new & {first, second}:
                expected.append(Pair(first, second, *bits))
    assert find_pairs(make_table(found, new=new), limits) == sorted(
        expected, key=lambda pair: (pair.first_id, pair.second_id)
    )
