"""Plain borders, bars and seams are proposed as rectangles; a picture without has none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dedup.signature.layout import find_cells, find_trimmed
from dedup.signature.maps import Rectangle

SIDE_PX = 128
Levels = NDArray[np.uint8]


def make_texture(seed: int = 1, side_px: int = SIDE_PX) -> Levels:
    """A rough picture without any plain row or seam."""
    return np.random.default_rng(seed).integers(20, 236, (side_px, side_px)).astype(np.uint8)


def put_on(sheet_level: int, rectangle: Rectangle) -> Levels:
    """The texture on a sheet of one shade, in this rectangle only."""
    left, top, right, bottom = rectangle
    sheet = np.full((SIDE_PX, SIDE_PX), sheet_level, np.uint8)
    sheet[top:bottom, left:right] = make_texture()[: bottom - top, : right - left]
    return sheet


RECTANGLES: dict[str, Rectangle] = {
    "a border": (8, 8, 120, 120),
    "a letterbox": (0, 12, 128, 116),
    "bars left and right": (20, 0, 108, 128),
    "a bar at the foot": (0, 0, 128, 100),
}


@pytest.mark.parametrize("name", RECTANGLES)
@pytest.mark.parametrize("level", [0, 128, 255])
def test_what_lies_within_a_plain_frame_is_proposed(name: str, level: int) -> None:
    assert RECTANGLES[name] in find_trimmed(put_on(level, RECTANGLES[name]), 2)


def test_the_plain_sky_behind_an_even_border_stays() -> None:
    sheet = put_on(0, (8, 8, 120, 120))
    sheet[8:60, 8:120] = 10 + np.arange(52, dtype=np.uint8)[:, None] // 8
    assert find_trimmed(sheet, 4)[0] == (8, 8, 120, 120)


def test_a_picture_without_a_frame_or_seam_has_no_rectangles() -> None:
    assert find_trimmed(make_texture(), 2) == []
    assert find_cells(make_texture(), 12) == []


def test_a_flat_picture_has_no_rectangles() -> None:
    flat = np.full((SIDE_PX, SIDE_PX), 90, np.uint8)
    assert find_trimmed(flat, 2) == []
    assert find_cells(flat, 12) == []


def test_two_pictures_side_by_side_are_two_cells_to_a_pixel() -> None:
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX]
    soft = (100 + 20 * np.sin(x / 9) + 20 * np.cos(y / 7)).astype(np.uint8)
    soft[:, 64:] += 90
    cells = find_cells(soft, 12)
    left, right = sorted((cell[0], cell[2]) for cell in cells)
    assert np.abs(np.subtract([left, right], [(0, 64), (64, 128)])).max() <= 1


def test_two_small_pictures_on_a_wide_sheet_are_cells_although_their_seam_is_short() -> None:
    y, x = np.mgrid[0:44, 0:SIDE_PX]
    soft = (100 + 20 * np.sin(x / 9) + 20 * np.cos(y / 7)).astype(np.uint8)
    soft[:, 64:] -= 50
    sheet = np.full((SIDE_PX, SIDE_PX), 255, np.uint8)
    sheet[44:88] = soft
    sides = sorted((left, right) for left, top, right, bottom in find_cells(sheet, 12))
    assert np.abs(np.subtract(sides, [(0, 64), (64, 128)])).max() <= 1


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([2, 8, 40]), st.sampled_from([2, 12]))
def test_rectangles_lie_within_the_picture(seed: int, grain_px: int, most: int) -> None:
    coarse = np.random.default_rng(seed).integers(0, 256, (SIDE_PX // grain_px + 1,) * 2)
    levels = coarse.repeat(grain_px, 0).repeat(grain_px, 1)[:SIDE_PX, :SIDE_PX].astype(np.uint8)
    found = find_trimmed(levels, 2) + find_cells(levels, most)
    assert all(0 <= box[0] < box[2] <= SIDE_PX for box in found)
    assert all(0 <= box[1] < box[3] <= SIDE_PX for box in found)
    assert len(find_cells(levels, most)) <= most
