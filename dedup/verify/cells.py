"""Whether one image is a picture of several in the other, or the only one within its border."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dedup.signature.maps import Map
from dedup.signature.places import Codes, kind_table
from dedup.signature.views import Kind

from .pixels import Floats

MOST_COVERED_BY_CELL = 0.6
"""More than what a border of 10 % or meme bars leave of a picture is no cell of a collage."""

MOST_COVERED_BY_MIDDLE_CELL = 0.45
"""In the middle of a plain border stands one picture; of three side by side the middle one has a
third. A border of a tenth of the longer side leaves 0.52 of a picture of 3 : 1."""

OFF_THE_MIDDLE = 0.04


def are_cells(
    probe_codes: Codes, view_codes: Codes, covered_of_larger: Floats, to_second: Map
) -> NDArray[np.bool_]:
    """Whether the one image is a cell of the other, or one of two pictures side by side.

    A row for each guess: the codes of its views, how much of the larger image lies within the
    other, and the map between the two.
    """
    are_cut = _IS_CELL[probe_codes]
    are_trimmed = _IS_TRIMMED[probe_codes] | _IS_TRIMMED[view_codes]
    middles = to_second @ np.array([0.5, 0.5, 1])
    are_in_the_middle = np.abs(middles - 0.5).max(axis=1) <= OFF_THE_MIDDLE
    most = np.where(are_in_the_middle & ~are_cut, MOST_COVERED_BY_MIDDLE_CELL, MOST_COVERED_BY_CELL)
    found: NDArray[np.bool_] = (are_cut | are_trimmed) & (covered_of_larger < most)
    return found


_IS_CELL = kind_table(Kind.CELL)
_IS_TRIMMED = kind_table(Kind.TRIMMED, Kind.TURNED_TRIMMED)
