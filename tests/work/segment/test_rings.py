import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from vockit.format.rings import Mask, Ring, RingError, fill, pack_rings, trace, unpack_rings
from work.segment.drawings import check_rings

CASES = json.loads((Path(__file__).parent / "rings.json").read_text())
SIDE = 9


def fill_slowly(rings: list[Ring], width: int, height: int) -> list[str]:
    """Literally: a pixel is inside if a ray from its centre crosses an odd number of edges."""

    def is_inside(column: int, row: int) -> bool:
        x = Fraction(2 * column + 1, 2)
        y = Fraction(2 * row + 1, 2)
        crossings = 0
        for ring in rings:
            for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True):
                if (y1 <= y) != (y2 <= y):
                    crossings += x > x1 + (y - y1) * Fraction(x2 - x1, y2 - y1)
        return crossings % 2 == 1

    return [
        "".join(".#"[is_inside(column, row)] for column in range(width)) for row in range(height)
    ]


def show(mask: Mask) -> list[str]:
    return ["".join(".#"[value] for value in row) for row in mask.tolist()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_cases_shared_with_the_page_are_filled_and_traced_alike(case: dict[str, Any]) -> None:
    rings = unpack_rings(case["rings"])
    size = (case["width"], case["height"])
    assert show(fill(rings, *size)) == case["rows"] == fill_slowly(rings, *size)
    assert pack_rings(trace(fill(rings, *size))) == case["traced"]


CORNERS = st.tuples(st.integers(0, SIDE), st.integers(0, SIDE))


@given(st.lists(st.lists(CORNERS, min_size=3, max_size=7), max_size=4))
def test_filling_a_ring_equals_a_test_of_every_pixel(rings: list[Ring]) -> None:
    assert show(fill(rings, SIDE, SIDE)) == fill_slowly(rings, SIDE, SIDE)


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


def test_a_ring_with_an_odd_number_of_values_is_refused() -> None:
    with pytest.raises(RingError, match="x and y in turns, this one has 5 numbers"):
        unpack_rings([[0, 0, 1, 1, 2]])
