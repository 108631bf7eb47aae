"""Drawings take the rings of a traced mask, and refuse those that no drawing can have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays

from vockit.format.rings import Mask, RingError, fill, trace
from work.segment.drawings import check_rings

SIDE = 9


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=SIDE)))
def test_tracing_and_filling_a_mask_returns_it(mask: Mask) -> None:
    height, width = mask.shape
    rings = trace(mask)
    check_rings(rings, width, height)
    assert (fill(rings, width, height) == mask).all()
    for ring in rings:
        steps = zip(ring, ring[1:] + ring[:1], strict=True)
        turns = [x1 == x2 for (x1, _), (x2, _) in steps]
        assert all(turn != after for turn, after in zip(turns, turns[1:] + turns[:1], strict=True))


@pytest.mark.parametrize(
    ("ring", "message"),
    [
        ([(0, 0), (4, 4)], "A ring needs three corners or more, this one has 2."),
        ([(0, 0), (9, 0), (4, 4)], "The corner (9, 0) lies outside the image of 8 x 8 pixels."),
        ([(0, 0), (-1, 0), (4, 4)], "The corner (-1, 0) lies outside the image of 8 x 8 pixels."),
        ([(0, 0), (float("nan"), 0), (4, 4)], "whole numbers, this one is at (nan, 0)."),
        ([(0, 0), (0.5, 0), (4, 4)], "whole numbers, this one is at (0.5, 0)."),
        ([(0, 0), (True, 0), (4, 4)], "whole numbers, this one is at (True, 0)."),
        ([(0, 0)] * 1_000_000, "An image can have 20000 corners, these are more; use fewer."),
    ],
    ids=lambda value: str(value[:40])[:40],
)
def test_an_impossible_ring_is_refused(ring: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(RingError) as refused:
        check_rings([ring], 8, 8)
    assert message in str(refused.value)
