"""The figures of a report."""

import numpy as np

from vockit.evaluate.curves import Curve


def test_a_curve_of_many_rows_is_drawn_with_few_points() -> None:
    from vockit.evaluate.figures import draw_curves

    recall = np.linspace(0, 1, 100_000)
    drawing = draw_curves("x", "cat", {"m": Curve(recall, 1 - recall / 2, 0.7, 10)}, 0.1)
    assert len(drawing.svg) < 60_000
    assert "(chance) (10.0)" in drawing.svg
