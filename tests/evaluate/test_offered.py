"""The measures of our own, and that every example in a docstring is right."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluate
from evaluate.curves import Judged, area_ap, draw_curve
from evaluate.offered import (
    bracket_ties,
    chance_of_localization,
    credit_by_hierarchy,
    force_choices,
    measure_chance,
    share_path,
)


@pytest.mark.parametrize("name", sorted(it.name for it in pkgutil.iter_modules(evaluate.__path__)))
def test_the_examples_in_docstrings_are_right(name: str) -> None:
    module = importlib.import_module(f"evaluate.{name}")
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0


@given(
    marks=st.lists(st.tuples(st.sampled_from([0.2, 0.5]), st.booleans()), min_size=1, max_size=6),
    seed=st.integers(0, 99),
)
def test_every_order_of_equal_confidences_lies_in_the_bracket(
    marks: list[tuple[float, bool]], seed: int
) -> None:
    marks.sort(key=lambda it: -it[0])
    confidences = np.array([it for it, _ in marks])
    is_right = np.array([it for _, it in marks])
    positives = np.arange(7)
    low, high = bracket_ties(Judged(positives, is_right, ~is_right, positives), confidences)
    order = np.lexsort((np.random.default_rng(seed).random(len(marks)), -confidences))
    shuffled = Judged(positives, is_right[order], ~is_right[order], positives)
    assert low - 1e-12 <= draw_curve(shuffled, evaluate.Rules.VOC2012).ap <= high + 1e-12


def test_chance_is_a_little_above_the_share_of_positives_and_repeats_itself() -> None:
    labels = np.where(np.arange(1000) % 10 == 0, 1, -1)
    mean, spread = measure_chance(labels)
    assert 0.1 < mean < 0.13
    assert 0 < spread < 0.02
    assert measure_chance(labels) == (mean, spread)
    assert area_ap(np.array([1.0]), np.array([0.1])) == 0.1


def test_chance_of_localization_counts_pairs_after_rescaling_their_images() -> None:
    boxes = np.array([[1.0, 1, 50, 50], [1, 1, 100, 100], [51, 51, 100, 100]])
    sizes = np.array([[100.0, 100], [200, 200], [100, 100]])
    assert chance_of_localization(boxes, sizes) == pytest.approx(2 / 6)
    assert np.isnan(chance_of_localization(boxes[:1], sizes[:1]))


def test_a_forced_choice_may_be_refused_and_near_classes_get_credit() -> None:
    labels = {"cat": np.array([1, -1, -1, -1]), "dog": np.array([-1, 1, -1, 1])}
    labels["car"] = np.array([-1, -1, 1, 1])
    scores = {"cat": np.array([0.9, 0.8, 0.1, 0.0]), "dog": np.array([0.1, 0.2, 0.2, 0.1])}
    scores["car"] = np.array([0.0, 0.0, 0.3, 0.95])
    refused, accuracy, confusion = force_choices(labels, scores)
    assert accuracy.tolist() == pytest.approx([3 / 4, 2 / 3, 1.0, 1.0])
    assert refused.tolist() == [0, 0.25, 0.5, 0.75]
    assert confusion.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    assert credit_by_hierarchy(confusion, ["cat", "dog", "car"]) == pytest.approx((2 + 2 / 3) / 3)
    assert share_path("zebra", "okapi") == 0
