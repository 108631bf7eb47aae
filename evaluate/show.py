"""Scores as text for a terminal, and as one JSON document."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any

from .curves import Rules
from .scoring import ClassScore, Scores, SegmentationScore
from .truth import Truth

SCHEMA = 2
"""Rises when a name in the document changes its meaning; scores.schema.json describes it."""
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


def make_document(truth: Truth, scores: Scores, ours: Mapping[str, Any] | None = None) -> Any:
    """The JSON document; NaN is the text "NaN". scores.schema.json says what it holds."""
    tasks: dict[str, Any] = {
        task: {
            competition: {"classes": {name: _shape(score) for name, score in classes.items()}}
            for competition, classes in competitions.items()
        }
        for task, competitions in scores.tasks.items()
    }
    if scores.segmentations:
        tasks["segmentation"] = {
            competition: _shape_segmentation(truth, entry)
            for competition, entry in scores.segmentations.items()
        }
    document = {
        "schema": SCHEMA,
        "versions": {"vocparty": find_version("vocparty"), "numpy": find_version("numpy")},
        "tree": truth.root.resolve().name,
        "set": truth.image_set,
        "rules": truth.rules.value,
        "tasks": tasks,
        "notes": list(scores.notes),
    }
    return plain(document | ({"ours": ours} if ours else {}))


def find_version(name: str) -> str:
    """The version of an installed distribution, or "unknown"."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "unknown"


def _shape_segmentation(truth: Truth, entry: SegmentationScore) -> dict[str, Any]:
    names = ("background", *truth.classes)
    rows = zip(names, entry.result.accuracies.tolist(), entry.entered.tolist(), strict=True)
    shown = (row for row, is_wanted in zip(rows, entry.wanted, strict=True) if is_wanted)
    return {
        "classes": {name: {"iou_percent": value, "entered": is_in} for name, value, is_in in shown},
        "mean": entry.result.mean,
        "mean_entered": entry.mean_entered,
        "painted": entry.is_painted,
        "confusion": entry.result.confusion.tolist(),
    }


def _shape(score: ClassScore) -> dict[str, Any]:
    curve = score.curve
    shape: dict[str, Any] = {
        "ap": curve.ap,
        "npos": curve.npos,
        "recall": curve.recall.tolist(),
        "precision": curve.precision.tolist(),
    }
    if score.auc is not None and score.eer is not None and score.rates is not None:
        false, true = (rates.tolist() for rates in score.rates)
        shape |= {"auc": score.auc, "eer": score.eer, "roc": {"false": false, "true": true}}
    return shape


def plain(value: Any) -> Any:
    """JSON values with the text "NaN" for NaN, "Infinity" and "-Infinity" for the infinities."""
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(one) for one in value]
    return value


def format_ours(ours: Mapping[str, Any]) -> Iterator[str]:
    """Our own measures as lines, by competition."""
    yield ""
    yield "Measures of our own, which no kit has:"
    for competition, found in ours.items():
        yield f"  {competition}"
        if "whole_layout" in found:
            yield f"    whole layouts: AP {_format(found['whole_layout']['ap'])}"
        for name, one in found.get("classes", {}).items():
            yield f"    {name}: {'; '.join(_describe(one))}"
        choice = found.get("forced_choice")
        if choice:
            credit = _format(choice["hierarchy_credit"])
            yield (
                f"    forced choice: accuracy {_format(choice['accuracy'])}, with credit for near "
                f"classes {credit}"
            )


def _describe(one: Mapping[str, Any]) -> Iterator[str]:
    worst, best = one["ap_of_ties"]
    yield f"AP {_format(worst)} to {_format(best)} over orders of equal confidences"
    if "chance" in one:
        mean, spread = one["chance"]["mean"], one["chance"]["spread"]
        yield f"chance {_format(mean)} ± {_format(spread)}"
    if "ap_by_overlap" in one:
        listed = ", ".join(f"{it} {_format(ap)}" for it, ap in one["ap_by_overlap"].items())
        yield f"AP by overlap {listed}"
        yield f"chance of localization {_format(one['chance_of_localization'])}"


def _format(value: float, digits: int = 4) -> str:
    return "NaN" if math.isnan(value) else f"{value:.{digits}f}"
