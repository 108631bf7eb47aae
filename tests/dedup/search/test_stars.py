from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup.search import stars
from dedup.search.stars import expand_pairs, make_stars

# Centres are multiples of 10, and the rows 1 to 9 after one are those that it may stand for.
rows_of_stars = st.lists(
    st.integers(0, 59).filter(lambda row: row % 10), max_size=12, unique=True
).map(sorted)
pairs_of_centres = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6)


@given(rows_of_stars, rows_of_stars, pairs_of_centres, st.integers(1, 9))
def test_a_pair_stands_for_every_row_of_one_with_every_row_of_the_other(
    one: list[int], other: list[int], pairs: list[tuple[int, int]], chunk: int
) -> None:
    first = np.array([10 * pair[0] for pair in pairs], dtype=np.int64)
    second = np.array([10 * pair[1] for pair in pairs], dtype=np.int64)
    one_stars, other_stars = (
        make_stars(np.array(rows, dtype=np.int64), np.array(rows, dtype=np.int64) // 10 * 10)
        for rows in (one, other)
    )
    expected = [
        (row, match)
        for centre, other_centre in zip(first.tolist(), second.tolist(), strict=True)
        for row in [centre, *(row for row in one if row // 10 * 10 == centre)]
        for match in [other_centre, *(row for row in other if row // 10 * 10 == other_centre)]
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stars, "CHUNK_PAIRS", chunk)
        chunks = list(expand_pairs(first, second, one_stars, other_stars))
    assert all(len(rows) <= chunk for rows, _ in chunks)
    found = [pair for rows in chunks for pair in zip(*(r.tolist() for r in rows), strict=True)]
    assert found == expected
