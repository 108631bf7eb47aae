"""Rings are filled and traced as the page does it."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vockit.format.rings import Mask, Ring, RingError, fill, pack_rings, trace, unpack_rings

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


def test_a_ring_with_an_odd_number_of_values_is_refused() -> None:
    with pytest.raises(RingError, match="x and y in turns, this one has 5 numbers"):
        unpack_rings([[0, 0, 1, 1, 2]])
