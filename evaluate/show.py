"""Scores as text for a terminal, and as one JSON document."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from .curves import Floats, Rules, average
from .offered import measure_ours
from .scores import ClassScore, Scores, SegmentationScore
from .truth import Truth

SCHEMA = 2
"""Rises when a name in the document changes its meaning; docs/scores.schema.json describes it."""
RULES_TEXT = {
    Rules.VOC2007: "11-point AP; segmentation by recall of each class; layout by whole person",
    Rules.VOC2008: "11-point AP; segmentation by intersection over union; layout by part",
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
    for competition, entry in scores.segmentations.items():
        yield ""
        painted = ", painted from the detections" if entry.is_painted else ""
        yield f"{competition} (segmentation{painted}), percent"
        yield from _format_segmentation(truth, entry)
    for note in scores.notes:
        yield f"Note: {note}"


def _format_classes(classes: Mapping[str, ClassScore]) -> Iterator[str]:
    width = max(len(name) for name in (*classes, "mean of 20"))
    has_roc = any(score.auc is not None for score in classes.values())
    heads = f"{'AP':>7}  {'positives':>9}{'      AUC      EER' if has_roc else ''}"
    yield f"  {'':<{width}}  {heads}"
    for name, score in classes.items():
        line = f"  {name:<{width}}  {_format(score.curve.ap):>7}  {score.curve.npos:>9,}"
        if score.auc is not None and score.eer is not None:
            line += f"  {_format(score.auc):>7}  {_format(score.eer):>7}"
        yield line
    aps = [score.curve.ap for score in classes.values()]
    if known := sum(not math.isnan(ap) for ap in aps):
        yield f"  {f'mean of {known}':<{width}}  {_format(average(aps)):>7}"


def _format_segmentation(truth: Truth, entry: SegmentationScore) -> Iterator[str]:
    names = ("background", *truth.classes)
    width = max(map(len, (*names, "mean of 21")))
    rows = zip(names, entry.result.accuracies.tolist(), entry.entered, entry.wanted, strict=True)
    for name, accuracy, is_entered, is_wanted in rows:
        if not is_wanted:
            continue
        mark = "" if is_entered else "  not entered"
        yield f"  {name:<{width}}  {_format(accuracy, 2):>8}{mark}"
    known = sum(not math.isnan(it) for it in entry.result.accuracies[entry.entered])
    yield f"  {f'mean of {known}':<{width}}  {_format(entry.mean_entered, 2):>8}"
    if entry.wanted.all():
        yield f"  {'kit mean':<{width}}  {_format(entry.result.mean, 2):>8}"


def make_document(
    truth: Truth, scores: Scores, *, most_points: int | None = None, with_ours: bool = False
) -> Any:
    """The JSON document; NaN is the text "NaN". docs/scores.schema.json says what it holds.

    Of longer curves `most_points` evenly spaced rows are kept. `with_ours` adds the measures that
    no kit has.
    """
    tasks: dict[str, Any] = {}
    for task, competitions in scores.tasks.items():
        tasks[task] = {}
        for name, classes in competitions.items():
            shaped = {it: _shape(one, most_points) for it, one in classes.items()}
            tasks[task][name] = {"classes": shaped}
            if with_ours:
                layouts = None if truth.rules is Rules.VOC2007 else scores.layouts.get(name)
                tasks[task][name]["ours"] = measure_ours(truth, task, classes, layouts)
    names = np.array(("background", *truth.classes))
    for competition, entry in scores.segmentations.items():
        columns = names, entry.result.accuracies, entry.entered
        shown = zip(*(column[entry.wanted].tolist() for column in columns), strict=True)
        tasks.setdefault("segmentation", {})[competition] = {
            "classes": {it: {"iou_percent": value, "entered": is_in} for it, value, is_in in shown},
            "mean": entry.result.mean,
            "mean_entered": entry.mean_entered,
            "painted": entry.is_painted,
            "confusion": entry.result.confusion.tolist(),
        }
    document = {
        "schema": SCHEMA,
        "versions": {name: version(name) for name in ("vocparty", "numpy")},
        "tree": truth.root.resolve().name,
        "set": truth.image_set,
        "rules": truth.rules.value,
        "tasks": tasks,
        "notes": list(scores.notes),
    }
    return plain(document)


def _shape(score: ClassScore, most_points: int | None) -> dict[str, Any]:
    curve = score.curve
    shape: dict[str, Any] = {
        "ap": curve.ap,
        "npos": curve.npos,
        "recall": _thin(curve.recall, most_points),
        "precision": _thin(curve.precision, most_points),
    }
    if score.auc is not None and score.eer is not None and score.rates is not None:
        false, true = (_thin(rates, most_points) for rates in score.rates)
        shape |= {"auc": score.auc, "eer": score.eer, "roc": {"false": false, "true": true}}
    return shape


def _thin(values: Floats, most: int | None) -> list[float]:
    if most is not None and len(values) > most:
        values = values[np.linspace(0, len(values) - 1, most).astype(int)]
    return list(map(float, values))


def plain(value: Any) -> Any:
    """JSON values with the text "NaN" for NaN, "Infinity" and "-Infinity" for the infinities."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(one) for one in value]
    return value


def _format(value: float, digits: int = 4) -> str:
    return "NaN" if math.isnan(value) else f"{value:.{digits}f}"
