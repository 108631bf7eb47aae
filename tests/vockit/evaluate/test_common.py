"""The classes that several methods have in common."""

import math

import pytest

from vockit.evaluate.common import find_common


@pytest.mark.parametrize(
    ("scores", "classes", "left_out"),
    [
        ({"a": {"x": 0.1, "y": 0.2}, "b": {"y": 0.3}}, ("y",), ()),
        ({"a": {"x": 0.1}, "b": {"x": 0.2, "y": math.nan}}, ("x",), ()),
        ({"a": {"x": 0.1}, "b": {"x": 0.1, "y": 0.2}, "c": {"y": 0.3}}, ("x",), ("c",)),
        ({"a": {"x": math.nan}, "b": {"x": math.nan}}, (), ("a", "b")),
        ({"a": {"x": 0.1, "y": 0.2}}, ("x", "y"), ()),
        ({}, (), ()),
    ],
)
def test_common_classes_are_those_of_which_each_method_has_a_number(
    scores: dict[str, dict[str, float]], classes: tuple[str, ...], left_out: tuple[str, ...]
) -> None:
    common = find_common(scores)
    assert (common.classes, common.left_out) == (classes, left_out)
