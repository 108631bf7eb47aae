"""The measures of our own, and that every example in a docstring is right."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
from pathlib import Path

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
    measure_random,
    share_path,
)

from .test_evaluate import IDS, devkit, run, write_result
from .test_input import HEAD, write_layout

__all__ = ["devkit"]


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
    mean, spread = measure_random(labels)
    assert 0.1 < mean < 0.13
    assert 0 < spread < 0.02
    assert measure_random(labels) == (mean, spread)
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


def test_the_document_has_our_measures_next_to_the_kits_scores(devkit: Path) -> None:
    for name, other in (("cat", 0.2), ("person", 0.7)):
        rows = [f"{it} {value}" for it, value in zip(IDS, (0.9, other, 0.5), strict=True)]
        write_result(devkit, f"Main/comp1_cls_val_{name}.txt", "\n".join(rows))
    rows = [f"{IDS[0]} 0.9 1 1 9 9", f"{IDS[0]} 0.9 10 10 60 50", f"{IDS[2]} 0.5 10 10 60 60"]
    write_result(devkit, "Main/comp3_det_val_cat.txt", "\n".join(rows))
    write_layout(
        devkit,
        f"<results><layout><image>{IDS[1]}</image><object>1</object><confidence>1</confidence>"
        f"{HEAD}</layout></results>",
    )
    tasks = json.loads(run(str(devkit), "--json"))["tasks"]
    ours = tasks["detection"]["comp3"]["ours"]["classes"]["cat"]
    by_overlap = ours["overlaps"]
    assert list(by_overlap) == [f"0.{number}" for number in range(1, 10)]
    assert by_overlap["0.5"] == tasks["detection"]["comp3"]["classes"]["cat"]["ap"] == 2 / 3
    assert by_overlap["0.9"] == pytest.approx(1 / 6)
    assert ours["ties"] == {"worst": pytest.approx(2 / 3), "best": pytest.approx(5 / 6)}
    assert ours["cpl"] == 1  # both cats have one box
    items = tasks["classification"]["comp1"]["ours"]
    assert items["classes"]["cat"]["chance"]["mean"] == pytest.approx(0.78, abs=0.05)
    assert items["forced_choice"]["accuracy"] == 1
    assert items["forced_choice"]["confusion"] == [[1, 0], [0, 1]]
    assert tasks["layout"]["comp7"]["ours"]["whole_layout"] == {"ap": 0.5, "npos": 2}
