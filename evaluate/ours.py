"""Measures of ours of one entry, beside the kit's scores; --json and the report show the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import offered
from .curves import Floats, draw_curve, rank
from .layout import LayoutResult, judge_layouts
from .scores import Boxes, ClassScore, Items
from .truth import Truth

Classes = Mapping[str, ClassScore]


def measure_ours(
    truth: Truth, task: str, classes: Classes, layouts: Sequence[LayoutResult] | None
) -> dict[str, Any]:
    """All measures of ours of an entry; docs/scores.schema.json names them.

    `layouts` are those of an entry for layout since 2008.
    """
    found: dict[str, Any] = {
        "classes": {
            name: measure_class(truth, one) | measure_chance(truth, name, one)
            for name, one in classes.items()
            if one.evidence is not None
        }
    }
    if task == "classification" and (choice := choose(classes)) is not None:
        found["forced_choice"] = choice
    if layouts is not None:
        found["whole_layout"] = measure_whole(truth, layouts)
    return found


def measure_class(truth: Truth, score: ClassScore) -> dict[str, Any]:
    """AP in the worst and the best order of equal confidences; of boxes, by least overlap."""
    evidence, rules = score.evidence, truth.rules
    if evidence is None:
        return {}
    worst, best = offered.bracket_ties(score.judged, rank_confidences(evidence), rules)
    ties = {"ties": {"worst": worst, "best": best}}
    if isinstance(evidence, Items):
        return ties
    by_overlap = offered.measure_by_overlap(evidence.truth, evidence.pairing, rules)
    return ties | {"overlaps": {f"{least:g}": ap for least, ap in by_overlap.items()}}


def measure_chance(truth: Truth, name: str, score: ClassScore) -> dict[str, Any]:
    """What chance gives: AP of random rankings of items, or CPL of boxes; needs the truth alone."""
    if isinstance(score.evidence, Items):
        mean, spread = offered.measure_chance(score.evidence.labels, truth.rules)
        return {"chance": {"mean": mean, "spread": spread}}
    objects = truth.objects(name)
    sizes = truth.sizes_wh[objects.images].reshape(-1, 2)
    return {"cpl": offered.chance_of_localization(objects.boxes, sizes)}


def choose(classes: Classes) -> dict[str, Any] | None:
    """One answer for each image, with its refusal curve; None if the classes list other images."""
    items = {name: it.evidence for name, it in classes.items() if isinstance(it.evidence, Items)}
    if len(items) < 2 or len({one.labels.shape for one in items.values()}) != 1:
        return None
    refused, accuracy, confusion = offered.force_choices(
        {name: one.labels for name, one in items.items()},
        {name: one.confidences for name, one in items.items()},
    )
    if not len(accuracy):
        return None
    return {
        "accuracy": float(accuracy[0]),
        "with_credit": offered.credit_by_hierarchy(confusion, list(items)),
        "refused": refused.tolist(),
        "accuracy_of_rest": accuracy.tolist(),
        "confusion": confusion.tolist(),
    }


def measure_whole(truth: Truth, layouts: Sequence[LayoutResult]) -> dict[str, Any]:
    """AP of complete layouts, and the number of persons with parts."""
    curve = draw_curve(judge_layouts(truth.persons, layouts), truth.rules)
    return {"ap": curve.ap, "npos": curve.npos}


def rank_confidences(evidence: Boxes | Items) -> Floats:
    """The confidences of the rows in rank order."""
    if isinstance(evidence, Boxes):
        return evidence.detections.confidences[evidence.pairing.order]
    return np.asarray(evidence.confidences[rank(evidence.confidences)])
