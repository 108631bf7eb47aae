"""Pictures become inputs of a model, and its boxes come back to the picture."""

from __future__ import annotations

import numpy as np
import pytest

from work.detectors.preparation import Fill, Preparation

SIZE_WH = (96, 64)


@pytest.mark.parametrize("fill", Fill)
@pytest.mark.parametrize("size_wh", [(200, 100), (90, 300), (7, 5)])
def test_a_box_of_the_input_is_put_back_where_it_was(fill: Fill, size_wh: tuple[int, int]) -> None:
    """A white patch is found again in the picture by the pixels of the input that are white."""
    width, height = size_wh
    left = width // 4
    top = height // 4
    right = width // 2
    bottom = height // 2 + 1
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[top:bottom, left:right] = 255
    prepared, placing = Preparation(fill).prepare(pixels, SIZE_WH)
    assert prepared.shape == (3, SIZE_WH[1], SIZE_WH[0])
    rows, columns = np.nonzero(prepared[0] > 0.6)
    edges = np.array([[columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]], np.float64)
    slack_px = 1.5 * max(1, width / SIZE_WH[0], height / SIZE_WH[1])
    np.testing.assert_allclose(placing.restore(edges), [[left, top, right, bottom]], atol=slack_px)


def test_boxes_end_at_the_picture() -> None:
    _, placing = Preparation(Fill.CENTRED).prepare(np.zeros((50, 100, 3), np.uint8), SIZE_WH)
    far = np.array([[-1e300, -5, 1e300, 500]])
    assert placing.restore(far).tolist() == [[0, 0, 100, 50]]
