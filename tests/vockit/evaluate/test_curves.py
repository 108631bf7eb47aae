"""Average precision by both rules."""

import math

import numpy as np
import pytest

from vockit.evaluate.curves import area_ap, eleven_point_ap


@pytest.mark.parametrize(
    ("recall", "precision", "eleven", "area"),
    [
        ([], [], 0.0, 0.0),
        ([0.5, 1.0], [1.0, 1.0], 1.0, 1.0),
        ([0.1, 0.6, 0.7], [1.0, 0.5, 0.25], (2 * 1 + 5 * 0.5 + 0.25) / 11, 0.1 + 0.25 + 0.025),
        ([math.nan, math.nan], [0.0, 0.0], 0.0, math.nan),
    ],
)
def test_average_precision_by_both_rules(
    recall: list[float], precision: list[float], eleven: float, area: float
) -> None:
    arrays = np.array(recall, np.float64), np.array(precision, np.float64)
    assert eleven_point_ap(*arrays) == pytest.approx(eleven)
    assert area_ap(*arrays) == pytest.approx(area, nan_ok=True)


def test_recalls_of_0_6_and_0_7_count_at_their_points() -> None:
    recall = np.arange(1, 11) / 10
    assert eleven_point_ap(recall, np.where(recall <= 0.7, 1.0, 0.0)) == pytest.approx(8 / 11)
