"""Measures that no kit has; everything here is labelled as ours wherever it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from vockit.format.tree import TAXONOMY

from .coco_ap import CocoAp, average_coco, measure_coco
from .curves import Flags, Floats, Ints, Judged, Rules, area_ap, draw_curve, eleven_point_ap, rank
from .layout import LayoutResult, judge_layouts
from .metrics import LEAST_OVERLAP, judge, measure_overlaps
from .scores import Boxes, ClassScore, Items
from .truth import Truth

Classes = Mapping[str, ClassScore]
OVERLAPS = tuple(number / 10 for number in range(1, 10))
_PATHS = {name: (*path.split("/"), name) for path, names in TAXONOMY.items() for name in names}


def measure_ours(
    truth: Truth, task: str, classes: Classes, layouts: Sequence[LayoutResult] | None
) -> dict[str, Any]:
    """All measures of ours of an entry, as docs/scores.schema.json names them."""
    document: dict[str, Any] = {
        "classes": {
            name: measure_class(truth, score) | measure_chance(truth, name, score)
            for name, score in classes.items()
            if score.evidence is not None
        }
    }
    if task == "detection":
        by_class = measure_coco_classes(classes)
        for name, scores in by_class.items():
            document["classes"][name]["coco"] = asdict(scores)
        document["coco"] = asdict(average_coco(by_class))
    if task == "classification" and (choice := choose(classes)) is not None:
        document["forced_choice"] = choice
    if layouts is not None:
        document["whole_layout"] = measure_whole(truth, layouts)
    return document


def measure_class(truth: Truth, score: ClassScore) -> dict[str, Any]:
    """AP in the worst and the best order of equal confidences; of boxes, by least overlap."""
    evidence = score.evidence
    rules = truth.rules
    if evidence is None:
        return {}
    worst, best = bracket_ties(score.judged, rank_confidences(evidence), rules)
    ties = {"ties": {"worst": worst, "best": best}}
    if isinstance(evidence, Items):
        return ties
    judged = {
        overlap: judge(evidence.truth, evidence.pairing, least_overlap=overlap)
        for overlap in OVERLAPS
    }
    aps = {f"{least:g}": draw_curve(rows, rules).ap for least, rows in judged.items()}
    return ties | {"overlaps": aps}


def measure_coco_classes(classes: Classes) -> dict[str, CocoAp]:
    """COCO's AP of each class that was scored from boxes."""
    return {
        name: measure_coco(score.evidence.truth, score.evidence.detections)
        for name, score in classes.items()
        if isinstance(score.evidence, Boxes)
    }


def measure_chance(truth: Truth, name: str, score: ClassScore) -> dict[str, Any]:
    """What chance gives: AP of random rankings of items, or CPL of boxes; needs the truth alone."""
    if isinstance(score.evidence, Items):
        mean, spread = measure_random(score.evidence.labels, truth.rules)
        return {"chance": {"mean": mean, "spread": spread}}
    objects = truth.objects(name)
    sizes = truth.sizes_wh[objects.images].reshape(-1, 2)
    return {"cpl": chance_of_localization(objects.boxes, sizes)}


def choose(classes: Classes) -> dict[str, Any] | None:
    """One answer for each image, with its refusal curve; None if the classes list other images."""
    items = {
        name: score.evidence for name, score in classes.items() if isinstance(score.evidence, Items)
    }
    if len(items) < 2 or len({item.images.tobytes() for item in items.values()}) != 1:
        return None
    refused, accuracy, confusion = force_choices(
        {name: item.labels for name, item in items.items()},
        {name: item.confidences for name, item in items.items()},
    )
    if not len(accuracy):
        return None
    return {
        "accuracy": float(accuracy[0]),
        "with_credit": credit_by_hierarchy(confusion, list(items)),
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


def bracket_ties(
    judged: Judged, confidences: Floats, rules: Rules = Rules.VOC2012
) -> tuple[float, float]:
    """The worst and the best AP that any order of equal confidences, in rank order, gives."""
    is_last = np.isnan(confidences)
    step = judged.is_wrong.astype(np.int8) - judged.is_right
    aps = []
    for sign in (-1, 1):  # wrong rows first among equals, then right ones
        order = np.lexsort((sign * step, np.where(is_last, 0, -confidences), is_last))
        ordered = judged.images[order], judged.is_right[order], judged.is_wrong[order]
        aps.append(draw_curve(Judged(*ordered, judged.positives), rules).ap)
    return aps[0], aps[1]


def measure_random(labels: Ints, rules: Rules = Rules.VOC2012) -> tuple[float, float]:
    """Mean and standard deviation of the AP of random rankings of labelled items, or NaN."""
    rng = np.random.default_rng(0)
    npos = np.count_nonzero(labels > 0)
    count = np.count_nonzero(labels)
    if not npos:
        return np.nan, np.nan
    recalled = np.arange(1, npos + 1)
    measure = area_ap if rules is Rules.VOC2012 else eleven_point_ap
    # the positives alone are placed, since the best precision is reached at one of them
    places = (np.sort(rng.choice(count, npos, replace=False)) for _ in range(400))
    draws = [measure(recalled / npos, recalled / (place + 1)) for place in places]
    return float(np.mean(draws)), float(np.std(draws))


def chance_of_localization(boxes: Floats, sizes_wh: Floats, most: int = 4000) -> float:
    """CPL: how often the box of one object, rescaled, is right for another one of the class.

    `sizes_wh` are the sizes of the objects' images. Source: ILSVRC (IJCV 2015), appendix; of more
    than `most` objects an even sample counts. NaN for fewer than two objects.
    """
    if len(boxes) > most:
        chosen = np.linspace(0, len(boxes) - 1, most).astype(int)
        boxes, sizes_wh = boxes[chosen], sizes_wh[chosen]
    count = len(boxes)
    if count < 2:
        return np.nan
    scaled = (boxes + np.array([-1, -1, 0, 0])) / np.tile(sizes_wh, 2) * 1e6
    scaled[:, :2] += 1  # pixel edges become inclusive pixels again
    right = 0
    for box in scaled:
        right += int(np.sum(measure_overlaps(box, scaled) >= LEAST_OVERLAP)) - 1
    return right / (count * (count - 1))


def force_choices(
    labels: Mapping[str, Ints], confidences: Mapping[str, Floats]
) -> tuple[Floats, Floats, Ints]:
    """Each image with the class of highest confidence as the answer (VOC2005, section 8).

    Gives the share of images that are refused, the accuracy over the others, from all answered
    to one, and a confusion matrix: rows are the classes of images that show a single class, columns
    the answers. Right is any class that the image shows; images that show none are left out.
    """
    names = list(labels)
    shown = np.array([labels[name] for name in names]) > 0
    table = np.array([np.nan_to_num(confidences[name], nan=-np.inf) for name in names])
    kept = shown.any(axis=0)
    shown, table = shown[:, kept], table[:, kept]
    answers = table.argmax(axis=0)
    sureness = table.max(axis=0, initial=-np.inf)
    is_right = shown[answers, np.arange(shown.shape[1])]
    order = np.argsort(-sureness, kind="stable")
    counts = np.arange(1, len(order) + 1)
    accuracy = np.cumsum(is_right[order]) / counts
    confusion = np.zeros((len(names), len(names)), np.int64)
    single = shown.sum(axis=0) == 1
    np.add.at(confusion, (shown.argmax(axis=0)[single], answers[single]), 1)
    return (1 - counts / max(len(order), 1))[::-1], accuracy[::-1], confusion


def credit_by_hierarchy(confusion: Ints, names: Sequence[str]) -> float:
    """The mean credit of answers: the share of the true class's path in VOC's taxonomy (or 0)."""
    credits = np.array([[share_path(true, given) for given in names] for true in names])
    total = confusion.sum()
    return float((confusion * credits).sum() / total) if total else np.nan


def share_path(true: str, given: str) -> float:
    """The share of the true class's path in VOC's taxonomy that another class has too."""
    if true == given:
        return 1.0
    first = _PATHS.get(true, (true,))
    second = _PATHS.get(given, (given,))
    is_same = [word == other for word, other in zip(first, second, strict=False)]
    return [*is_same, False].index(False) / len(first)


def calibrate(
    confidences: Floats, is_right: Flags, bins: int = 10
) -> tuple[Floats, Floats, Ints, float]:
    """Mean confidence, share of right rows and rows in each tenth, and the expected error.

    The expected calibration error weights the tenths by their rows; NaN without rows.

    >>> calibrate(np.array([0.05, 0.95]), np.array([False, True]))[3]
    0.05
    """
    known = np.isfinite(confidences)
    confidences, is_right = confidences[known], is_right[known]
    places = np.clip((confidences * bins).astype(int), 0, bins - 1)
    counts = np.bincount(places, minlength=bins)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(places, confidences, bins) / counts
        share = np.bincount(places, is_right.astype(float), bins) / counts
    gaps = np.abs(mean - share)[counts > 0] * counts[counts > 0]
    error = float(gaps.sum() / counts.sum()) if counts.sum() else np.nan
    return mean, share, counts, round(error, 12)
