"""The metrics against plain loops that follow the kit, and against known values."""

import doctest
import importlib
import json
import math
import pkgutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vockit.evaluate
from vockit.evaluate import (
    Detections,
    DetectionTruth,
    LayoutResult,
    PersonTruth,
    Rules,
    count_confusion,
    detection,
    layout_2007,
    offered,
    segmentation,
)
from vockit.evaluate.curves import Judged, area_ap, draw_curve, eleven_point_ap
from vockit.evaluate.metrics import area_under_roc, equal_error_rate, roc

from .test_evaluate import HEAD as HEAD_XML
from .test_evaluate import IDS, devkit, run, write_layout, write_result

__all__ = ["devkit"]

Box = tuple[float, float, float, float]


def plain_detection(
    truth: list[tuple[int, Box, bool]], rows: list[tuple[int, float, Box]]
) -> list[str]:
    """What VOCevaldet.m decides for each row in rank order: tp, fp or neither."""
    taken = [False] * len(truth)
    verdicts = []
    for image, _, box in sorted(rows, key=lambda row: -row[1]):
        best, best_place = -math.inf, -1
        for place, (other, known, _) in enumerate(truth):
            width = min(box[2], known[2]) - max(box[0], known[0]) + 1
            height = min(box[3], known[3]) - max(box[1], known[1]) + 1
            if other == image and width > 0 and height > 0:
                area = (box[2] - box[0] + 1) * (box[3] - box[1] + 1)
                area += (known[2] - known[0] + 1) * (known[3] - known[1] + 1)
                overlap = width * height / (area - width * height)
                if overlap > best:
                    best, best_place = overlap, place
        if best < 0.5:
            verdicts.append("fp")
        elif truth[best_place][2]:
            verdicts.append("neither")
        else:
            verdicts.append("fp" if taken[best_place] else "tp")
            taken[best_place] = True
    return verdicts


def plain_area(verdicts: list[str], npos: int) -> float:
    """VOCap.m of 2010, in plain Python."""
    tp = fp = 0
    recall, precision = [0.0], [0.0]
    for verdict in verdicts:
        tp, fp = tp + (verdict == "tp"), fp + (verdict == "fp")
        recall.append(tp / npos)
        precision.append(tp / (tp + fp) if tp + fp else math.nan)
    recall, precision = [*recall, 1.0], [*precision, 0.0]
    for place in range(len(precision) - 2, -1, -1):
        known = [value for value in precision[place : place + 2] if not math.isnan(value)]
        precision[place] = max(known)
    return sum(
        (recall[place] - recall[place - 1]) * precision[place]
        for place in range(1, len(recall))
        if recall[place] != recall[place - 1]
    )


boxes = st.tuples(*[st.integers(1, 12)] * 4).map(
    lambda it: (min(it[0], it[2]), min(it[1], it[3]), max(it[0], it[2]), max(it[1], it[3]))
)
images = st.integers(0, 2)


@given(
    truth=st.lists(st.tuples(images, boxes, st.booleans()), max_size=8),
    rows=st.lists(st.tuples(images, st.sampled_from([0.1, 0.5, 0.9]), boxes), max_size=12),
)
def test_the_fast_detection_curve_equals_a_plain_loop(
    truth: list[tuple[int, Box, bool]], rows: list[tuple[int, float, Box]]
) -> None:
    curve = detection(
        DetectionTruth(
            np.array([image for image, _, _ in truth], np.int64),
            np.array([box for _, box, _ in truth], np.float64).reshape(-1, 4),
            np.array([is_difficult for _, _, is_difficult in truth], np.bool_),
        ),
        Detections(
            np.array([image for image, _, _ in rows], np.int64),
            np.array([confidence for _, confidence, _ in rows], np.float64),
            np.array([box for _, _, box in rows], np.float64).reshape(-1, 4),
        ),
    )
    verdicts = plain_detection(truth, rows)
    npos = sum(not is_difficult for _, _, is_difficult in truth)
    assert curve.npos == npos
    if npos:
        assert curve.ap == pytest.approx(plain_area(verdicts, npos), abs=1e-12)
        assert curve.recall.tolist() == pytest.approx(
            (np.cumsum([it == "tp" for it in verdicts]) / npos).tolist()
        )
    else:
        assert curve.ap == 0 if not rows else math.isnan(curve.ap)


def test_an_overlap_of_exactly_a_half_is_enough() -> None:
    truth = DetectionTruth(np.array([0]), np.array([[1.0, 1, 10, 10]]), np.array([False]))
    half = Detections(np.array([0]), np.array([1.0]), np.array([[1.0, 1, 10, 5]]))
    less = Detections(np.array([0]), np.array([1.0]), np.array([[1.0, 1, 10, 4.9]]))
    assert (detection(truth, half).ap, detection(truth, less).ap) == (1.0, 0.0)


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


def test_a_roc_curve_gives_area_and_equal_error_rate() -> None:
    labels, confidences = np.array([1, 1, -1, 1, -1, -1]), np.array([6.0, 5, 4, 3, 2, 1])
    rates = roc(labels, confidences)
    assert area_under_roc(*rates) == pytest.approx(8 / 9)
    assert equal_error_rate(*rates) == pytest.approx(2 / 3)
    tied = roc(np.array([1, -1]), np.zeros(2))
    assert (area_under_roc(*tied), equal_error_rate(*tied)) == (0.5, 0.5)


def test_pixels_are_counted_without_void_and_scored_by_both_rules() -> None:
    truth = np.array([[0, 0, 1, 255], [0, 1, 1, 255]], np.uint8)
    result = np.array([[0, 1, 1, 2], [0, 0, 1, 0]], np.uint8)
    confusion = count_confusion(truth, result, 2)
    assert confusion.tolist() == [[2, 1, 0], [1, 2, 0], [0, 0, 0]]
    now = segmentation(confusion)
    assert now.accuracies.tolist() == [50.0, 50.0, pytest.approx(math.nan, nan_ok=True)]
    assert math.isnan(now.mean)
    old = segmentation(confusion, Rules.VOC2007)
    assert old.accuracies.tolist() == pytest.approx([200 / 3, 200 / 3, 0])


HEAD: Box = (1, 1, 10, 10)
HAND: Box = (20, 20, 29, 29)


def test_layout_of_2007_needs_all_parts_and_more_than_one() -> None:
    whole: Box = (1, 1, 40, 40)
    two = PersonTruth((("head", HEAD), ("hand", HAND)), whole)
    one = PersonTruth((("head", HEAD),), whole)
    found = LayoutResult(("a", 0), 0.9, (("hand", HAND), ("head", HEAD)), whole)
    assert layout_2007({"a": [two]}, [found]).ap == pytest.approx(1.0)
    missing = LayoutResult(("a", 0), 0.9, (("head", HEAD),), whole)
    assert layout_2007({"a": [two]}, [missing]).ap == 0
    assert layout_2007({"a": [one]}, [missing]).ap == 0


@pytest.mark.parametrize(
    "name", sorted(it.name for it in pkgutil.iter_modules(vockit.evaluate.__path__))
)
def test_the_examples_in_docstrings_are_right(name: str) -> None:
    module = importlib.import_module(f"vockit.evaluate.{name}")
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0


@given(
    marks=st.lists(st.tuples(st.sampled_from([0.2, 0.5]), st.booleans()), min_size=1, max_size=6),
    seed=st.integers(0, 99),
)
def test_any_order_of_ties_lies_in_the_bracket(marks: list[tuple[float, bool]], seed: int) -> None:
    marks.sort(key=lambda it: -it[0])
    confidences = np.array([it for it, _ in marks])
    is_right = np.array([it for _, it in marks])
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
        rows = [f"{it} {value}" for it, value in zip(IDS, (0.9, other, 0.5), strict=True)]
        write_result(devkit, f"Main/comp1_cls_val_{name}.txt", "\n".join(rows))
    rows = [f"{IDS[0]} 0.9 1 1 9 9", f"{IDS[0]} 0.9 10 10 60 50", f"{IDS[2]} 0.5 10 10 60 60"]
    write_result(devkit, "Main/comp3_det_val_cat.txt", "\n".join(rows))
    write_layout(
        devkit,
        f"<results><layout><image>{IDS[1]}</image><object>1</object><confidence>1</confidence>"
        f"{HEAD_XML}</layout></results>",
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
