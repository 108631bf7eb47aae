"""Why detections are wrong."""

import pytest

from vockit.evaluate.detection_errors import find_errors

from .small_tree import FAR, HERE, NEAR, make_truth, score_class


def test_each_wrong_row_has_one_kind_of_error_and_a_gain() -> None:
    objects = {"cat": make_truth((0, HERE), (1, HERE)), "dog": make_truth((2, HERE))}
    cats = score_class(
        objects["cat"], (2, HERE), (3, FAR), (0, NEAR), (1, HERE), (1, HERE), (2, NEAR)
    )
    errors = find_errors(objects, {"cat": cats, "dog": score_class(objects["dog"])})
    assert errors.counts == {
        "class": 1,
        "localization": 1,
        "both": 1,
        "duplicate": 1,
        "background": 1,
        "missed": 0,
    }
    gains = errors.gains
    assert cats.curve.ap == pytest.approx(0.5 * 0.25)
    assert gains["duplicate"] == gains["both"] == gains["missed"] == 0  # they come after
    assert gains["background"] == pytest.approx((0.5 / 3 - 0.5 / 4) / 2)
    assert gains["localization"] == pytest.approx((0.5 - 0.125) / 2)
    assert gains["class"] == pytest.approx((0.5 / 3 - 0.5 / 4 + 1) / 2)
    assert errors.confusion[1, 0] == 1  # the dog was called a cat
    assert errors.confusion.tolist()[1][2] == 1
