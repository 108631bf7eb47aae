import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.box import Box, clamp, intersection_px, overlap

side = st.integers(1, 600)
edge = st.integers(1, 400)
length = st.integers(1, 200)
boxes = st.builds(lambda x, y, w, h: Box(x, y, x + w - 1, y + h - 1), edge, edge, length, length)


@pytest.mark.parametrize("xyxy", [(0, 1, 5, 5), (1, 0, 5, 5), (6, 1, 5, 5), (1, 6, 5, 5)])
def test_a_box_outside_the_rules_cannot_be_made(xyxy: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="expected 1 <="):
        Box(*xyxy)


def test_both_corners_of_a_box_belong_to_it() -> None:
    assert Box(1, 1, 1, 1).area_px == 1
    assert Box(3, 4, 12, 23).xyxy == (3, 4, 12, 23)
    assert (Box(3, 4, 12, 23).width_px, Box(3, 4, 12, 23).height_px) == (10, 20)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (Box(1, 1, 10, 10), Box(1, 1, 10, 10), 1.0),
        (Box(1, 1, 10, 10), Box(11, 1, 20, 10), 0.0),
        (Box(1, 1, 10, 10), Box(10, 10, 20, 20), 1 / (100 + 121 - 1)),
        (Box(1, 1, 10, 10), Box(1, 1, 10, 5), 0.5),
    ],
)
def test_overlap_counts_whole_pixels(first: Box, second: Box, expected: float) -> None:
    assert overlap(first, second) == pytest.approx(expected)


@given(boxes, boxes)
def test_overlap_is_symmetric_and_between_0_and_1(first: Box, second: Box) -> None:
    assert overlap(first, second) == overlap(second, first)
    assert 0 <= overlap(first, second) <= 1
    assert intersection_px(first, second) <= min(first.area_px, second.area_px)


@given(st.tuples(*[st.integers(-50, 700)] * 4), side, side)
def test_a_clamped_box_fits(xyxy: tuple[int, int, int, int], width_px: int, height_px: int) -> None:
    assert clamp(xyxy, width_px, height_px).is_inside(width_px, height_px)


@given(boxes)
def test_clamping_leaves_a_box_inside_the_image_unchanged(box: Box) -> None:
    assert clamp(box.xyxy, 600, 600) == box
