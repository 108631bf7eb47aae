"""Chance performance, as the tables of the VOC papers have it."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.box import Box, overlap
from qa import tables as kit
from qa.tables import CountedImage

from .making import thing


def test_chance_performance_scales_all_images_to_one_size() -> None:
    small = CountedImage(50, 40, (thing("cat", (1, 1, 10, 10)),))
    large = CountedImage(500, 400, (thing("cat", (1, 1, 100, 100)),))
    ((name, objects, chance),) = kit.measure_chances([small, large], ["cat"])
    assert (name, objects) == ("cat", 2)
    assert chance == pytest.approx(1.0)
    assert kit.measure_chances([small], ["cat"]) == [("cat", 1, None)]


corners = st.tuples(*[st.integers(1, 40)] * 4)


@given(st.lists(corners, min_size=2, max_size=9))
def test_chance_performance_equals_a_sum_over_all_pairs(drawn: list[tuple[int, ...]]) -> None:
    boxes = [Box(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in drawn]
    images = [CountedImage(40, 40, (thing("cat", box.xyxy),)) for box in boxes]
    pairs = list(permutations(boxes, 2))
    alike = sum(overlap(first, second) >= 0.5 for first, second in pairs)
    assert kit.measure_chances(images, ["cat"])[0][2] == pytest.approx(alike / len(pairs))
