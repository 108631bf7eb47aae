"""Why detections are wrong, what fixing each kind of error would give, and which classes mix.

In the manner of TIDE (Bolya et al., ECCV 2020), but with VOC's matching: a row is held against the
object that it overlaps most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .curves import Flags, Floats, Ints, Judged, Rules, average, draw_curve
from .metrics import LEAST_OVERLAP, DetectionTruth, find_best
from .scores import Boxes, ClassScore

BACKGROUND_OVERLAP = 0.1
KINDS = ("class", "localization", "both", "duplicate", "background", "missed")
_CLASS, _LOCALIZATION, _BOTH, _DUPLICATE, _BACKGROUND, _ = range(len(KINDS))
KIND_TEXT = {
    "class": "overlaps an object of another class by half or more",
    "localization": "overlaps an object of its class by 0.1 to 0.5",
    "both": "overlaps an object of another class by 0.1 to 0.5",
    "duplicate": "overlaps an object that a better row has found",
    "background": "overlaps nothing by 0.1",
    "missed": "an object that no row found, nor would find if it were fixed",
}


@dataclass(frozen=True)
class Errors:
    """Errors of one method: counts of all classes, and mean gain of AP if a kind were fixed.

    `confusion` has a row for each true class, then background, a column for each detected
    class, then missed, at the confidence of each class's best F1.
    """

    counts: Mapping[str, int]
    gains: Mapping[str, float]
    names: tuple[str, ...]
    confusion: Ints


@dataclass(frozen=True)
class _Rows:
    """Rows of one class by rank; `kinds` are places in KINDS or -1, `other` among all objects."""

    boxes: Boxes
    judged: Judged
    confidences: Floats
    kinds: Ints
    other: Ints


def find_errors(
    objects: Mapping[str, DetectionTruth],
    classes: Mapping[str, ClassScore],
    rules: Rules = Rules.VOC2012,
) -> Errors:
    """The errors of a detection entry; `objects` are those of all classes of the tree."""
    names = tuple(objects)
    columns = zip(*((it.images, it.boxes, it.difficult) for it in objects.values()), strict=True)
    everything = DetectionTruth(*map(np.concatenate, columns))
    sizes = [len(it.images) for it in objects.values()]
    starts = dict(zip(names, np.cumsum([0, *sizes]), strict=False))
    owners = np.repeat(np.arange(len(names)), sizes)
    rows = {
        name: _classify(score, score.evidence, everything, owners != names.index(name))
        for name, score in classes.items()
        if isinstance(score.evidence, Boxes) and name in objects
    }
    gains: dict[str, list[float]] = {kind: [] for kind in KINDS}
    counts = dict.fromkeys(KINDS, 0)
    for name, one in rows.items():
        found = np.zeros(len(objects[name].images), np.bool_)
        found[one.boxes.pairing.best[one.judged.is_right]] = True
        wanted = range(starts[name], starts[name] + len(objects[name].images))
        aimed = _find_aimed(rows, name, wanted)
        missed = ~found & ~objects[name].difficult
        missed[one.boxes.pairing.best[one.kinds == _LOCALIZATION]] = False
        missed[aimed[:, 0].astype(int)] = False
        for place, kind in enumerate(KINDS):
            counts[kind] += int((one.kinds == place).sum())
            fixed = _fix(one, kind, found, aimed, missed)
            gains[kind].append(draw_curve(fixed, rules).ap - classes[name].curve.ap)
        counts["missed"] += int(missed.sum())
    confusion = _confuse(rows, names, objects, owners)
    means = {kind: average(values) for kind, values in gains.items()}
    return Errors(counts, means, names, confusion)


def _classify(
    score: ClassScore, boxes: Boxes, everything: DetectionTruth, is_other: Flags
) -> _Rows:
    pairing, judged = boxes.pairing, score.judged
    others = np.flatnonzero(is_other)
    truth = DetectionTruth(
        everything.images[others], everything.boxes[others], everything.difficult[others]
    )
    kinds = np.full(len(pairing.order), -1)
    wrong = np.flatnonzero(judged.is_wrong)
    order = pairing.order[wrong]
    best, overlaps = find_best(truth, pairing.images[wrong], boxes.detections.boxes[order])
    same = pairing.overlaps[wrong]
    inside = np.where(overlaps >= BACKGROUND_OVERLAP, _BOTH, _BACKGROUND)
    inside = np.where(overlaps >= LEAST_OVERLAP, _CLASS, inside)
    inside = np.where(same >= BACKGROUND_OVERLAP, _LOCALIZATION, inside)
    kinds[wrong] = np.where(same >= LEAST_OVERLAP, _DUPLICATE, inside)
    other = np.full(len(kinds), -1)
    other[wrong] = others[best] if len(others) else -1
    return _Rows(boxes, judged, boxes.detections.confidences[pairing.order], kinds, other)


def _find_aimed(rows: Mapping[str, _Rows], name: str, wanted: range) -> Floats:
    """Objects of a class that rows of other classes lie on, with the best confidence of each."""
    best: dict[int, float] = {}
    for other, one in rows.items():
        if other == name:
            continue
        is_aimed = (one.kinds == _CLASS) & (one.other >= wanted.start)
        for place in np.flatnonzero(is_aimed & (one.other < wanted.stop)):
            target = int(one.other[place]) - wanted.start
            best[target] = max(best.get(target, -np.inf), float(one.confidences[place]))
    return np.array(sorted(best.items()), np.float64).reshape(-1, 2)


def _fix(rows: _Rows, kind: str, found: Flags, aimed: Floats, missed: Flags) -> Judged:
    """The class with a kind of errors fixed: right where the object is free, else removed."""
    is_kind = rows.kinds == KINDS.index(kind)
    right, wrong = rows.judged.is_right.copy(), rows.judged.is_wrong & ~is_kind
    images, truth = rows.judged.images, rows.boxes.truth
    if kind == "missed":
        return Judged(images, right, wrong, truth.images[~truth.difficult & ~missed])
    is_free = ~found & ~truth.difficult
    if kind == "localization":
        places = np.flatnonzero(is_kind)
        places = places[is_free[rows.boxes.pairing.best[places]]]
        _, first = np.unique(rows.boxes.pairing.best[places], return_index=True)
        right[places[first]] = True
    if kind == "class" and len(aimed):
        targets = aimed[:, 0].astype(int)
        added = aimed[is_free[targets]]
        confidences = np.concatenate([rows.confidences, added[:, 1]])
        order = np.argsort(-confidences, kind="stable")
        images = np.concatenate([images, truth.images[added[:, 0].astype(int)]])[order]
        right = np.concatenate([right, np.ones(len(added), np.bool_)])[order]
        wrong = np.concatenate([wrong, np.zeros(len(added), np.bool_)])[order]
    return Judged(images, right, wrong, rows.judged.positives)


def _confuse(
    rows: Mapping[str, _Rows],
    names: tuple[str, ...],
    objects: Mapping[str, DetectionTruth],
    owners: Ints,
) -> Ints:
    last = len(names)
    confusion = np.zeros((last + 1, last + 1), np.int64)
    for column, name in enumerate(names):
        is_hard = objects[name].difficult
        if name not in rows:
            confusion[column, last] = np.count_nonzero(~is_hard)
            continue
        one = rows[name]
        kept = np.arange(len(one.kinds)) < _count_at_best_f1(one.judged)
        right = one.judged.is_right & kept
        confusion[column, column] = np.count_nonzero(right)
        confusion[column, last] = np.count_nonzero(~is_hard) - np.count_nonzero(right)
        is_class = (one.kinds == _CLASS) & kept
        np.add.at(confusion[:, column], owners[one.other[is_class]], 1)
        confusion[last, column] = np.count_nonzero(one.judged.is_wrong & kept & ~is_class)
    return confusion


def _count_at_best_f1(judged: Judged) -> int:
    """How many rows, from the first, give the best F1."""
    right, wrong = np.cumsum(judged.is_right), np.cumsum(judged.is_wrong)
    total = right + wrong + len(judged.positives)
    return int(np.argmax(2 * right / np.maximum(total, 1))) + 1 if len(right) else 0
