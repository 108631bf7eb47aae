"""Plain borders and bars are proposed to be cut off; pictures without them stay whole."""

import numpy as np
import pytest

from dedup.signature.layout import Rectangle, find_trimmed
from tests.dedup.finder import sign_original

SIDE_PX = 128


def frame(
    left: int, top: int, right: int, bottom: int, shade: int = 255
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Noise within a plain frame."""
    levels = np.full((SIDE_PX, SIDE_PX), shade, np.uint8)
    noise = np.random.default_rng(3).integers(0, 256, (bottom - top, right - left), np.uint8)
    levels[top:bottom, left:right] = noise
    return levels


@pytest.mark.parametrize(
    "box", [(10, 10, 118, 118), (0, 20, 128, 108), (30, 0, 98, 128), (0, 0, 128, 100)]
)
@pytest.mark.parametrize("shade", [0, 90, 255])
def test_a_plain_frame_is_cut_off(box: Rectangle, shade: int) -> None:
    assert find_trimmed(frame(*box, shade=shade)) == [box]


def test_words_in_a_bar_are_cut_off_with_it() -> None:
    levels = frame(0, 0, 128, 100)
    levels[108:114, 20:100:3] = 0
    assert find_trimmed(levels) == [(0, 0, 128, 100)]


def test_a_picture_without_a_border_stays_whole() -> None:
    assert find_trimmed(frame(0, 0, 128, 128)) == []
    assert find_trimmed(sign_original("astronaut").levels) == []


def test_a_border_that_leaves_little_is_none() -> None:
    assert find_trimmed(frame(40, 40, 90, 90)) == []


def test_an_even_picture_has_no_border() -> None:
    assert find_trimmed(np.full((SIDE_PX, SIDE_PX), 77, np.uint8)) == []
