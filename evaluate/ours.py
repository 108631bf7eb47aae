"""The measures of offered.py taken from the scores of a submission, as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .curves import Rules, draw_curve, rank
from .layout import judge_layouts
from .offered import (
    bracket_ties,
    chance_of_localization,
    credit_by_hierarchy,
    force_choices,
    measure_by_overlap,
    measure_chance,
)
from .scoring import Boxes, ClassScore, Items, Scores
from .truth import Truth


def measure_ours(truth: Truth, scores: Scores) -> dict[str, Any]:
    """Our own measures by competition: of each class, of forced choice, of whole layouts."""
    found: dict[str, Any] = {}
    for task, competitions in scores.tasks.items():
        for competition, classes in competitions.items():
            by_class = {name: _measure_class(truth, name, it) for name, it in classes.items()}
            found[competition] = {"classes": by_class}
            if task == "classification" and len(classes) > 1:
                found[competition]["forced_choice"] = _force_choices(classes)
            if competition in scores.layouts and truth.rules is Rules.VOC2012:
                judged = judge_layouts(truth.persons, scores.layouts[competition])
                curve = draw_curve(judged, truth.rules)
                found[competition] = {"whole_layout": {"ap": curve.ap, "npos": curve.npos}}
    return found


def _measure_class(truth: Truth, name: str, score: ClassScore) -> dict[str, Any]:
    evidence = score.evidence
    if isinstance(evidence, Items):
        ranked = evidence.confidences[rank(evidence.confidences)]
        mean, spread = measure_chance(evidence.labels, truth.rules)
        ties = bracket_ties(score.judged, ranked, truth.rules)
        return {"ap_of_ties": list(ties), "chance": {"mean": mean, "spread": spread}}
    if isinstance(evidence, Boxes):
        ranked = evidence.detections.confidences[evidence.pairing.order]
        by_overlap = measure_by_overlap(evidence.truth, evidence.pairing, truth.rules)
        sizes = truth.sizes_wh[evidence.truth.images]
        return {
            "ap_of_ties": list(bracket_ties(score.judged, ranked, truth.rules)),
            "ap_by_overlap": {str(least): ap for least, ap in by_overlap.items()},
            "chance_of_localization": chance_of_localization(evidence.truth.boxes, sizes),
        }
    return {}


def _force_choices(classes: Mapping[str, ClassScore]) -> dict[str, Any]:
    """Forced choice over the classes of one list of images; {} where their lists differ."""
    items = {name: it.evidence for name, it in classes.items() if isinstance(it.evidence, Items)}
    first = next(iter(items.values()))
    if any(not np.array_equal(it.images, first.images) for it in items.values()):
        return {}
    refused, accuracy, confusion = force_choices(
        {name: it.labels for name, it in items.items()},
        {name: it.confidences for name, it in items.items()},
    )
    step = max(1, len(refused) // 100)
    return {
        "accuracy": float(accuracy[0]) if len(accuracy) else np.nan,
        "refused": refused[::step].tolist(),
        "accuracy_of_answered": accuracy[::step].tolist(),
        "classes": list(items),
        "confusion": confusion.tolist(),
        "hierarchy_credit": credit_by_hierarchy(confusion, list(items)),
    }
