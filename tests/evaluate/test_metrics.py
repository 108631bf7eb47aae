"""The metrics against plain loops that follow the kit line by line, and against known values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate import (
    Detections,
    DetectionTruth,
    LayoutResult,
    PersonTruth,
    Rules,
    count_confusion,
    detection,
    layout_2007,
    segmentation,
)
from evaluate.curves import area_ap, eleven_point_ap
from evaluate.metrics import area_under_roc, equal_error_rate, roc

Box = tuple[float, float, float, float]


def plain_detection(
    truth: list[tuple[int, Box, bool]], rows: list[tuple[int, float, Box]]
) -> list[str]:
    """What VOCevaldet.m makes of each row in rank order: tp, fp or neither."""
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
def test_detection_is_what_a_plain_loop_gives(
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


def test_recalls_of_six_and_seven_tenths_reach_their_points() -> None:
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


def test_layout_of_2007_wants_the_whole_person_and_never_one_of_one_part() -> None:
    whole: Box = (1, 1, 40, 40)
    two = PersonTruth((("head", HEAD), ("hand", HAND)), whole)
    one = PersonTruth((("head", HEAD),), whole)
    found = LayoutResult(("a", 0), 0.9, (("hand", HAND), ("head", HEAD)), whole)
    assert layout_2007({"a": [two]}, [found]).ap == pytest.approx(1.0)
    missing = LayoutResult(("a", 0), 0.9, (("head", HEAD),), whole)
    assert layout_2007({"a": [two]}, [missing]).ap == 0
    assert layout_2007({"a": [one]}, [missing]).ap == 0
