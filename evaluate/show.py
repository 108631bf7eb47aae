"""Scores as text for a terminal, and as one JSON document."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from .curves import Rules
from .scoring import ClassScore, Scores
from .truth import Truth

SCHEMA = 1
RULES_TEXT = {
    Rules.VOC2007: "11-point AP; segmentation by recall of each class; layout by whole person",
    Rules.VOC2012: "area AP; segmentation by intersection over union; layout by part",
}


def format_scores(truth: Truth, scores: Scores) -> Iterator[str]:
    """Lines with a table for each competition, and the rules in one sentence."""
    rules = f"rules of {truth.rules}: {RULES_TEXT[truth.rules]}"
    yield f"{truth.root.name}, set {truth.image_set}, {rules}."
    for task, competitions in scores.tasks.items():
        for competition, classes in competitions.items():
            yield ""
            yield f"{competition} ({task})"
            yield from _format_classes(classes)
    for competition, result in scores.segmentations.items():
        yield ""
        yield f"{competition} (segmentation), percent"
        names = ("background", *truth.classes)
        width = max(map(len, names))
        for name, accuracy in zip(names, result.accuracies, strict=True):
            yield f"  {name:<{width}}  {_format(float(accuracy), 2):>8}"
        yield f"  {'mean':<{width}}  {_format(result.mean, 2):>8}"


def _format_classes(classes: Mapping[str, ClassScore]) -> Iterator[str]:
    width = max(len(name) for name in (*classes, "mean of 20"))
    has_roc = any(score.auc is not None for score in classes.values())
    yield f"  {'':<{width}}  {'AP':>7}  {'positives':>9}" + (
        "      AUC      EER" if has_roc else ""
    )
    for name, score in classes.items():
        line = f"  {name:<{width}}  {_format(score.curve.ap):>7}  {score.curve.npos:>9,}"
        if has_roc and score.auc is not None and score.eer is not None:
            line += f"  {_format(score.auc):>7}  {_format(score.eer):>7}"
        yield line
    known = [score.curve.ap for score in classes.values() if not math.isnan(score.curve.ap)]
    if known:
        yield f"  {f'mean of {len(known)}':<{width}}  {_format(sum(known) / len(known)):>7}"


def make_document(truth: Truth, scores: Scores) -> dict[str, Any]:
    """The JSON document; NaN is the text "NaN"."""
    tasks: dict[str, Any] = {
        task: {
            competition: {"classes": {name: _shape(score) for name, score in classes.items()}}
            for competition, classes in competitions.items()
        }
        for task, competitions in scores.tasks.items()
    }
    if scores.segmentations:
        names = ("background", *truth.classes)
        tasks["segmentation"] = {
            competition: {
                "classes": {
                    name: {"iou_percent": _plain(float(value))}
                    for name, value in zip(names, result.accuracies, strict=True)
                },
                "mean": _plain(result.mean),
                "confusion": result.confusion.tolist(),
            }
            for competition, result in scores.segmentations.items()
        }
    return {
        "schema": SCHEMA,
        "tree": truth.root.name,
        "set": truth.image_set,
        "rules": truth.rules.value,
        "tasks": tasks,
    }


def _shape(score: ClassScore) -> dict[str, Any]:
    curve = score.curve
    shape: dict[str, Any] = {
        "ap": _plain(curve.ap),
        "npos": curve.npos,
        "recall": [_plain(value) for value in curve.recall.tolist()],
        "precision": [_plain(value) for value in curve.precision.tolist()],
    }
    if score.auc is not None and score.eer is not None:
        shape |= {"auc": _plain(score.auc), "eer": _plain(score.eer)}
    return shape


def _plain(value: float) -> float | str:
    return "NaN" if math.isnan(value) else value


def _format(value: float, digits: int = 4) -> str:
    return "NaN" if math.isnan(value) else f"{value:.{digits}f}"
