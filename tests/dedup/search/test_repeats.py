from __future__ import annotations

import numpy as np
import pytest

from dedup.search.repeats import NEW, OLD, REPEATED, take_census

from .hashes import make_hashes


@pytest.mark.parametrize("rows_at_once", [3, 40, 1000])
@pytest.mark.parametrize("words", [1, 4])
def test_a_row_stands_for_all_later_ones_with_its_hash(words: int, rows_at_once: int) -> None:
    random = np.random.default_rng(words)
    hashes = make_hashes(random, 30, words)[random.integers(0, 30, 100)]
    census = take_census(hashes, 60, rows_at_once)
    values = [tuple(row) for row in hashes.tolist()]
    first = [values.index(value) for value in values]
    repeated = [row for row in range(100) if first[row] != row]
    assert census.repeats.row.tolist() == repeated
    assert census.repeats.first_row.tolist() == [first[row] for row in repeated]
    for row, kind in enumerate(census.kinds.tolist()):
        has_new = any(other >= 60 for other in range(100) if first[other] == first[row])
        assert kind == (REPEATED if first[row] != row else NEW if has_new else OLD)


def test_hashes_that_differ_in_one_word_only_are_not_equal() -> None:
    hashes = np.zeros((4, 4), np.uint64)
    hashes[1, 3] = 1
    hashes[2, 0] = 1
    assert len(take_census(hashes, 0, 100).repeats) == 1


def test_no_hashes_are_no_repeats() -> None:
    census = take_census(np.zeros(0, np.uint64), 0, 10)
    assert len(census.kinds) == 0
    assert len(census.repeats) == 0
