"""COCO's AP next to pycocotools on the same boxes."""

import contextlib
import io
import math
from typing import Any

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from vockit.evaluate import Detections, DetectionTruth
from vockit.evaluate.coco_ap import CocoAp, average_coco, measure_coco

IMAGES = 30
Made = tuple[DetectionTruth, Detections]


def make(seed: int, *, objects: int = 60, rows: int = 400, levels: int = 20) -> Made:
    """Objects, a quarter of them difficult, and detections near them and elsewhere, with ties."""
    rng = np.random.default_rng(seed)
    corners = rng.integers(1, 200, (objects, 2))
    boxes = np.hstack([corners, corners + rng.integers(3, 90, (objects, 2))]).astype(float)
    truth = DetectionTruth(
        np.sort(rng.integers(0, IMAGES, objects)), boxes, rng.random(objects) < 0.25
    )
    of_object = rng.integers(0, objects, rows)
    shifted = boxes[of_object] + rng.normal(0, 6, (rows, 4))
    shifted[:, 2:] = np.maximum(shifted[:, 2:], shifted[:, :2] + 1)
    is_near = rng.random(rows) < 0.7
    images = np.where(is_near, truth.images[of_object], rng.integers(0, IMAGES, rows))
    confidences = rng.integers(0, levels, rows) / levels
    return truth, Detections(images, confidences, shifted)


def ask_pycocotools(made: list[Made]) -> list[float]:
    """AP, AP50 and AP75 of these classes."""
    images = [{"id": number + 1, "width": 400, "height": 400} for number in range(IMAGES)]
    annotations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for category, (truth, detections) in enumerate(made, 1):
        for image, box, difficult in zip(
            truth.images, xywh(truth.boxes), truth.difficult, strict=True
        ):
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": int(image) + 1,
                    "category_id": category,
                    "bbox": box,
                    "area": box[2] * box[3],
                    "iscrowd": int(difficult),
                    "segmentation": [],
                }
            )
        for image, score, box in zip(
            detections.images, detections.confidences, xywh(detections.boxes), strict=True
        ):
            results.append(
                {
                    "image_id": int(image) + 1,
                    "category_id": category,
                    "bbox": box,
                    "score": float(score),
                }
            )
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {
            "images": images,
            "annotations": annotations,
            "categories": [
                {"id": number, "name": str(number)} for number in range(1, len(made) + 1)
            ],
            "info": {},
        }
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(results), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    stats: list[float] = evaluation.stats[:3].tolist()
    return stats


def xywh(boxes: np.ndarray) -> list[list[float]]:
    sides = boxes[:, 2:] - boxes[:, :2] + 1
    rows: list[list[float]] = np.hstack([boxes[:, :2] - 1, sides]).tolist()
    return rows


@pytest.mark.parametrize("seed", range(12))
def test_one_class_is_scored_as_pycocotools_does(seed: int) -> None:
    truth, detections = made = make(seed)
    scored = measure_coco(truth, detections)
    assert [scored.ap, scored.ap50, scored.ap75] == pytest.approx(ask_pycocotools([made]), abs=1e-9)
    assert 0 < scored.ap < scored.ap50 < 1


@pytest.mark.parametrize("objects", [1, 3])
def test_more_than_100_detections_of_an_image_are_cut_as_pycocotools_does(objects: int) -> None:
    truth, detections = made = make(3, objects=objects, rows=900, levels=400)
    scored = measure_coco(truth, detections)
    assert [scored.ap, scored.ap50, scored.ap75] == pytest.approx(ask_pycocotools([made]), abs=1e-9)


def test_the_mean_is_over_the_classes_that_have_objects_that_count() -> None:
    made = [make(seed) for seed in range(3)]
    truth, detections = made[1]
    made[1] = (DetectionTruth(truth.images, truth.boxes, np.ones(60, np.bool_)), detections)
    scored = {str(number): measure_coco(*each) for number, each in enumerate(made)}
    mean = average_coco(scored)
    assert math.isnan(scored["1"].ap)
    assert [mean.ap, mean.ap50, mean.ap75] == pytest.approx(ask_pycocotools(made), abs=1e-9)


def test_a_class_without_detections_is_0_and_one_without_objects_has_no_number() -> None:
    truth, detections = make(1)
    nothing = Detections(np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 4)))
    assert measure_coco(truth, nothing) == CocoAp(0.0, 0.0, 0.0)
    empty = DetectionTruth(np.zeros(0, np.int64), np.zeros((0, 4)), np.zeros(0, np.bool_))
    assert math.isnan(measure_coco(empty, detections).ap)
