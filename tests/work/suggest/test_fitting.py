"""Boxes of detectors become VOC's, or a reason."""

import numpy as np
import pytest

from work.suggest.fitting import fit

SIZE = (500.0, 375.0)


def fit_one(*edges: float, confidence: float = 0.9, least: float = 0.0) -> tuple[list[int], str]:
    fitted = fit(
        np.array([edges]),
        np.array([confidence]),
        np.array([SIZE]),
        min_confidence=least,
        min_px=4,
    )
    return fitted.boxes[0].tolist(), fitted.faults[0]


@pytest.mark.parametrize(
    ("edges", "box"),
    [
        ((0, 0, 500, 375), [1, 1, 500, 375]),
        ((47, 239, 195, 371), [48, 240, 195, 371]),
        ((10.4, 10.6, 20.4, 20.6), [11, 12, 20, 21]),
        ((-3, -2, 50, 60), [1, 1, 50, 60]),
        ((480, 300, 510, 380), [481, 301, 500, 375]),
    ],
)
def test_edges_become_whole_pixels_inside(edges: tuple[float, ...], box: list[int]) -> None:
    assert fit_one(*edges) == (box, "")


@pytest.mark.parametrize(
    ("edges", "fault"),
    [
        ((float("nan"), 0, 10, 10), "a value that is no number"),
        ((0, 0, float("inf"), 10), "a value that is no number"),
        ((50, 10, 40, 60), "a box that is inverted or empty"),
        ((50, 10, 50, 60), "a box that is inverted or empty"),
        ((600, 10, 700, 60), "a box mostly outside its photograph"),
        ((-100, 10, 50, 60), "a box mostly outside its photograph"),
        ((-1e308, -1e308, 1e308, 1e308), "a box mostly outside its photograph"),
        ((0, 0, 1e308, 1e308), "a box mostly outside its photograph"),
        ((10, 10, 12, 60), "a box smaller than 4 px"),
    ],
)
def test_a_box_that_is_none_has_a_reason(edges: tuple[float, ...], fault: str) -> None:
    assert fit_one(*edges) == ([1, 1, 1, 1], fault)


@pytest.mark.parametrize(
    ("confidence", "fault"),
    [
        (0.3, ""),
        (1.0, ""),
        (0.29, "a confidence below 0.3"),
        (93.0, "a confidence outside 0 to 1"),
        (-0.1, "a confidence outside 0 to 1"),
        (float("nan"), "a value that is no number"),
    ],
)
def test_confidences_are_between_the_least_and_one(confidence: float, fault: str) -> None:
    assert fit_one(0, 0, 50, 50, confidence=confidence, least=0.3)[1] == fault


def test_what_reaches_far_over_the_border_is_told() -> None:
    edges = np.array([(-0.6, 0, 50, 50), (-3, 0, 50, 50), (-400, 0, 50, 50)])
    fitted = fit(edges, np.ones(3), np.array([SIZE] * 3), min_confidence=0, min_px=4)
    assert fitted.is_cut.tolist() == [False, True, False]
