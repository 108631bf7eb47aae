"""Measures that no kit has."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vockit.evaluate
from vockit.evaluate import offered
from vockit.evaluate.curves import Judged, area_ap, draw_curve

from .small_tree import HEAD, IDS, run, write_layout, write_result


@given(
    marks=st.lists(st.tuples(st.sampled_from([0.2, 0.5]), st.booleans()), min_size=1, max_size=6),
    seed=st.integers(0, 99),
)
def test_any_order_of_ties_lies_in_the_bracket(marks: list[tuple[float, bool]], seed: int) -> None:
    marks.sort(key=lambda mark: -mark[0])
    confidences = np.array([confidence for confidence, _ in marks])
    is_right = np.array([right for _, right in marks])
    positives = np.arange(7)
    low, high = offered.bracket_ties(Judged(positives, is_right, ~is_right, positives), confidences)
    order = np.lexsort((np.random.default_rng(seed).random(len(marks)), -confidences))
    shuffled = Judged(positives, is_right[order], ~is_right[order], positives)
    assert low - 1e-12 <= draw_curve(shuffled, vockit.evaluate.Rules.VOC2012).ap <= high + 1e-12


def test_chance_ap_is_slightly_above_the_share_of_positives() -> None:
    labels = np.where(np.arange(1000) % 10 == 0, 1, -1)
    mean, spread = offered.measure_random(labels)
    assert 0.1 < mean < 0.13
    assert 0 < spread < 0.02
    assert offered.measure_random(labels) == (mean, spread)
    assert area_ap(np.array([1.0]), np.array([0.1])) == 0.1


def test_chance_of_localization_compares_boxes_in_rescaled_images() -> None:
    boxes = np.array([[1.0, 1, 50, 50], [1, 1, 100, 100], [51, 51, 100, 100]])
    sizes = np.array([[100.0, 100], [200, 200], [100, 100]])
    assert offered.chance_of_localization(boxes, sizes) == pytest.approx(2 / 6)
    assert np.isnan(offered.chance_of_localization(boxes[:1], sizes[:1]))


def test_forced_choices_allow_refusal_and_credit_near_classes() -> None:
    labels = {"cat": np.array([1, -1, -1, -1]), "dog": np.array([-1, 1, -1, 1])}
    labels["car"] = np.array([-1, -1, 1, 1])
    scores = {"cat": np.array([0.9, 0.8, 0.1, 0.0]), "dog": np.array([0.1, 0.2, 0.2, 0.1])}
    scores["car"] = np.array([0.0, 0.0, 0.3, 0.95])
    refused, accuracy, confusion = offered.force_choices(labels, scores)
    assert accuracy.tolist() == pytest.approx([3 / 4, 2 / 3, 1.0, 1.0])
    assert refused.tolist() == [0, 0.25, 0.5, 0.75]
    assert confusion.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    assert offered.credit_by_hierarchy(confusion, ["cat", "dog", "car"]) == pytest.approx(
        (2 + 2 / 3) / 3
    )
    assert offered.share_path("zebra", "okapi") == 0


def test_the_json_has_our_measures_next_to_the_kits_scores(devkit: Path) -> None:
    for name, other in (("cat", 0.2), ("person", 0.7)):
        rows = [
            f"{image_id} {value}" for image_id, value in zip(IDS, (0.9, other, 0.5), strict=True)
        ]
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
