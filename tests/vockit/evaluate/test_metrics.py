"""The metrics against plain loops that follow the kit, and against sentences of its rules."""

import doctest
import importlib
import json
import math
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vockit.evaluate
from vockit.evaluate import (
    Detections,
    DetectionTruth,
    Rules,
    count_confusion,
    detection,
    segmentation,
)
from vockit.evaluate.metrics import area_under_roc, equal_error_rate, roc

from .small_tree import CAT_BOX, IDS, Box, images, run, write_mask, write_masks, write_result


def score_cats(devkit: Path, *rows: str, rules: str = "2012") -> Any:
    """The AP and the precisions of detections of cats; images 0 and 2 have one each."""
    write_result(devkit, "Main/comp3_det_val_cat.txt", "".join(f"{row}\n" for row in rows))
    printed = run(str(devkit), "--json", "--rules", rules, "--competition", "comp3")
    cat = json.loads(printed)["tasks"]["detection"]["comp3"]["classes"]["cat"]
    return cat["ap"], cat["precision"]


def plain_detection(
    truth: list[tuple[int, Box, bool]], rows: list[tuple[int, float, Box]]
) -> list[str]:
    """What VOCevaldet.m decides for each row in rank order: tp, fp or neither."""
    taken = [False] * len(truth)
    verdicts = []
    for image, _, box in sorted(rows, key=lambda row: -row[1]):
        best = -math.inf
        best_place = -1
        for place, (other, known, _) in enumerate(truth):
            width = min(box[2], known[2]) - max(box[0], known[0]) + 1
            height = min(box[3], known[3]) - max(box[1], known[1]) + 1
            if other == image and width > 0 and height > 0:
                area = (box[2] - box[0] + 1) * (box[3] - box[1] + 1)
                area += (known[2] - known[0] + 1) * (known[3] - known[1] + 1)
                overlap = width * height / (area - width * height)
                if overlap > best:
                    best = overlap
                    best_place = place
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
    recall = [0.0]
    precision = [0.0]
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
    lambda sides: (
        min(sides[0], sides[2]),
        min(sides[1], sides[3]),
        max(sides[0], sides[2]),
        max(sides[1], sides[3]),
    )
)


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
            (np.cumsum([verdict == "tp" for verdict in verdicts]) / npos).tolist()
        )
    else:
        assert curve.ap == 0 if not rows else math.isnan(curve.ap)


def test_an_overlap_of_exactly_a_half_is_enough() -> None:
    truth = DetectionTruth(np.array([0]), np.array([[1.0, 1, 10, 10]]), np.array([False]))
    half = Detections(np.array([0]), np.array([1.0]), np.array([[1.0, 1, 10, 5]]))
    less = Detections(np.array([0]), np.array([1.0]), np.array([[1.0, 1, 10, 4.9]]))
    assert (detection(truth, half).ap, detection(truth, less).ap) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("rows", "precision"),
    [
        # equal confidences keep the order of the file
        ((f"{IDS[0]} 0.5 1 1 2 2", f"{IDS[0]} 0.5 {CAT_BOX}"), [0, 0.5]),
        ((f"{IDS[0]} 0.5 {CAT_BOX}", f"{IDS[0]} 0.5 1 1 2 2"), [1, 0.5]),
        # NaN ranks last, below -inf
        ((f"{IDS[0]} nan {CAT_BOX}", f"{IDS[1]} -inf 1 1 2 2"), [0, 0.5]),
        # a second row on a taken object is wrong
        ((f"{IDS[0]} 0.9 {CAT_BOX}", f"{IDS[0]} 0.8 {CAT_BOX}"), [1, 0.5]),
        # boxes are not swapped
        ((f"{IDS[0]} 0.9 60 60 10 10",), [0]),
        # nor clipped: the part outside of the image counts
        ((f"{IDS[0]} 0.9 -90 10 60 60",), [0]),
        # nor rounded: the overlap is 26 / 51 and 25.4 / 51
        ((f"{IDS[0]} 0.9 10 10 35 60", f"{IDS[2]} 0.8 10 10 34.4 60"), [1, 0.5]),
    ],
)
def test_detections_are_judged_as_by_the_development_kit(
    devkit: Path, rows: tuple[str, ...], precision: list[float]
) -> None:
    assert score_cats(devkit, *rows)[1] == precision


def test_detections_of_a_difficult_object_count_neither_way(devkit: Path) -> None:
    path = devkit / "VOC2012" / "Annotations" / f"{IDS[0]}.xml"
    text = path.read_text()
    rows = (f"{IDS[0]} 0.9 {CAT_BOX}", f"{IDS[0]} 0.8 {CAT_BOX}", f"{IDS[2]} 0.7 {CAT_BOX}")
    path.write_text(text.replace("<difficult>0<", "<difficult>1<"))
    assert score_cats(devkit, *rows) == (1, ["NaN", "NaN", 1])
    path.write_text(text.replace("<difficult>0<", "<difficult>true<"))
    assert score_cats(devkit, *rows) == (pytest.approx(0.5 + 0.5 * 2 / 3), [1, 0.5, 2 / 3])


def test_the_ap_of_a_class_without_objects_depends_on_the_rules(devkit: Path) -> None:
    for image_id in (IDS[0], IDS[2]):
        path = devkit / "VOC2012" / "Annotations" / f"{image_id}.xml"
        path.write_text(path.read_text().replace("<name>cat<", "<name>person<"))
    row = f"{IDS[0]} 0.9 {CAT_BOX}"
    assert score_cats(devkit, row)[0] == "NaN"
    assert score_cats(devkit, row, rules="2007")[0] == 0
    assert score_cats(devkit)[0] == score_cats(devkit, rules="2007")[0] == 0


def test_a_roc_curve_gives_area_and_equal_error_rate() -> None:
    labels = np.array([1, 1, -1, 1, -1, -1])
    confidences = np.array([6.0, 5, 4, 3, 2, 1])
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


def test_a_class_without_pixels_makes_the_mean_iou_nan(devkit: Path) -> None:
    write_masks(devkit, 1, 1)
    write_mask(devkit / "VOC2012" / "SegmentationClass" / f"{IDS[1]}.png", 0)
    entry = json.loads(run(str(devkit), "--json"))["tasks"]["segmentation"]["comp5"]
    size = 100 * 80 * 2
    cats = 40 * 40
    void = 40 * 2 * 2
    ious = [entry["classes"][name]["iou_percent"] for name in ("background", "cat", "person")]
    rest = size - void - cats
    assert ious == [pytest.approx(100 * (rest - cats) / rest), 50, "NaN"]
    assert entry["mean"] == "NaN"
    assert entry["mean_entered"] == pytest.approx((ious[0] + 50) / 2)
    assert entry["confusion"] == [[rest - cats, cats, 0], [0, cats, 0], [0, 0, 0]]
    old = json.loads(run(str(devkit), "--json", "--rules", "2007"))["tasks"]["segmentation"]
    recalls = [score["iou_percent"] for score in old["comp5"]["classes"].values()]
    assert recalls == [pytest.approx(100 * (rest - cats) / rest), 100, 0]
    assert old["comp5"]["mean"] == pytest.approx(sum(recalls) / 3)


@pytest.mark.parametrize(
    "name", sorted(module.name for module in pkgutil.iter_modules(vockit.evaluate.__path__))
)
def test_the_examples_in_docstrings_are_right(name: str) -> None:
    module = importlib.import_module(f"vockit.evaluate.{name}")
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0
