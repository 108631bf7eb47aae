"""A picture among others is a cell; one alone in the middle of its border is the picture itself."""

from __future__ import annotations

import numpy as np
import pytest

from dedup.signature.maps import Map, box_map
from dedup.signature.views import WHOLE_CODE, Kind, codes_of
from dedup.verify.frames import are_cells

TRIMMED, CELL = codes_of(Kind.TRIMMED)[0], codes_of(Kind.CELL)[0]


def is_cell(code: int, place: Map) -> bool:
    """Of a sheet's view that shows what an image shows; `place` is where it lies in the sheet."""
    covered = np.array([place[0, 0] * place[1, 1]])
    codes = np.array([code], np.uint8), np.array([WHOLE_CODE], np.uint8)
    return bool(are_cells(*codes, covered, place[None])[0])


@pytest.mark.parametrize(
    ("code", "place", "expected"),
    [
        (TRIMMED, box_map(0.08, 0.18, 0.92, 0.82), False),
        (TRIMMED, box_map(0.02, 0.02, 0.48, 0.98), True),
        (TRIMMED, box_map(0.34, 0.02, 0.66, 0.98), True),
        (CELL, box_map(0.15, 0.15, 0.85, 0.85), True),
        (CELL, box_map(0.05, 0.05, 0.95, 0.95), False),
        (WHOLE_CODE, box_map(0.2, 0.2, 0.8, 0.8), False),
    ],
    ids=["framed", "left of two", "middle of three", "cut out", "within a border", "a crop"],
)
def test_what_is_a_cell_of_a_sheet(code: int, place: Map, expected: bool) -> None:
    assert is_cell(code, place) is expected
