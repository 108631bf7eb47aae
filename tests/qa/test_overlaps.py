from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.box import Box, overlap
from qa.overlaps import overlap_matrix

sides = st.integers(1, 40)
boxes = st.builds(
    lambda x, y, width, height: Box(x, y, x + width - 1, y + height - 1), sides, sides, sides, sides
)


@given(st.lists(boxes, max_size=5), st.lists(boxes, max_size=5))
def test_a_matrix_holds_what_overlap_says_of_each_pair(first: list[Box], second: list[Box]) -> None:
    found = overlap_matrix(first, second)
    assert found.shape == (len(first), len(second))
    for row, one in enumerate(first):
        for column, other in enumerate(second):
            assert found[row, column] == pytest.approx(overlap(one, other))
