from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.box import Box
from simulate.photographs.known import Frame

WHOLE = Frame((0, 0, 100, 80), (100, 80))


@st.composite
def boxes(draw: st.DrawFn, width_px: int = 100, height_px: int = 80) -> Box:
    xmin, xmax = sorted(draw(st.tuples(*[st.integers(1, width_px)] * 2)))
    ymin, ymax = sorted(draw(st.tuples(*[st.integers(1, height_px)] * 2)))
    return Box(xmin, ymin, xmax, ymax)


@pytest.mark.parametrize(
    ("frame", "box", "expected"),
    [
        (Frame((10, 20, 60, 70), (50, 50)), Box(11, 21, 60, 70), Box(1, 1, 50, 50)),
        (Frame((10, 20, 60, 70), (50, 50)), Box(1, 1, 100, 80), Box(1, 1, 50, 50)),
        (Frame((10, 20, 60, 70), (50, 50)), Box(1, 1, 10, 80), None),
        (Frame((10, 20, 60, 70), (50, 50)), Box(61, 1, 100, 80), None),
        (Frame((10, 20, 60, 70), (50, 50)), Box(60, 70, 90, 90), Box(50, 50, 50, 50)),
        (Frame((0, 0, 100, 80), (50, 40)), Box(1, 1, 100, 80), Box(1, 1, 50, 40)),
        (Frame((0, 0, 100, 80), (50, 40)), Box(3, 5, 10, 12), Box(2, 3, 5, 6)),
        (Frame((0, 0, 100, 80), (200, 160)), Box(1, 1, 1, 1), Box(1, 1, 2, 2)),
        (Frame((0, 0, 100, 80), (10, 8)), Box(100, 80, 100, 80), Box(10, 8, 10, 8)),
    ],
)
def test_a_box_goes_where_its_pixels_go(frame: Frame, box: Box, expected: Box | None) -> None:
    assert frame.show(box) == expected


@given(
    box=boxes(),
    left=st.integers(0, 49),
    top=st.integers(0, 39),
    size_wh=st.tuples(st.integers(1, 300), st.integers(1, 300)),
)
def test_a_shown_box_lies_inside_the_picture(
    box: Box, left: int, top: int, size_wh: tuple[int, int]
) -> None:
    frame = Frame((left, top, left + 50, top + 40), size_wh)
    shown = frame.show(box)
    assert (shown is None) == (frame.share_shown(box) == 0)
    assert shown is None or shown.is_inside(*size_wh)
