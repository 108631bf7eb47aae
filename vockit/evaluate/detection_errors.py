"""Why detections are wrong, what fixing each kind of error would give, and which classes mix.

In the manner of TIDE (Bolya et al., ECCV 2020), but with VOC's matching: a row is held against the
object that it overlaps most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from .curves import Flags, Floats, Ints, Judged, Rules, average, draw_curve
from .metrics import LEAST_OVERLAP, DetectionTruth, find_best
from .scores import Boxes, ClassScore

BACKGROUND_OVERLAP = 0.1
BACKGROUND = "background"
MISSED = "missed"
KINDS = ("class", "localization", "both", "duplicate", BACKGROUND, MISSED)
_CLASS = KINDS.index("class")
_LOCALIZATION = KINDS.index("localization")
_BOTH = KINDS.index("both")
_DUPLICATE = KINDS.index("duplicate")
_BACKGROUND = KINDS.index(BACKGROUND)
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
    sizes = [len(truth.images) for truth in objects.values()]
    starts = dict(zip(names, np.cumsum([0, *sizes]), strict=False))
    rows_of = _classify_all(objects, classes)
    gains: dict[str, list[float]] = {kind: [] for kind in KINDS}
    counts = dict.fromkeys(KINDS, 0)
    for name, rows in rows_of.items():
        places = range(starts[name], starts[name] + len(objects[name].images))
        hits = _find_hits(rows, objects[name], _find_aimed(rows_of, name, places))
        counts[MISSED] += int(hits.missed.sum())
        for place, kind in enumerate(KINDS):
            counts[kind] += int((rows.kinds == place).sum())
            gain = draw_curve(_fix(rows, kind, hits), rules).ap - classes[name].curve.ap
            gains[kind].append(gain)
    means = {kind: average(values) for kind, values in gains.items()}
    return Errors(counts, means, names, _confuse(rows_of, names, objects, _list_owners(objects)))


def list_background(
    objects: Mapping[str, DetectionTruth], classes: Mapping[str, ClassScore]
) -> Iterator[tuple[str, int, Floats]]:
    """Class, image and box of each row that overlaps nothing of the truth, by rank."""
    for name, rows in _classify_all(objects, classes).items():
        places = rows.boxes.pairing.order[rows.kinds == _BACKGROUND]
        detections = rows.boxes.detections
        for place in places.tolist():
            yield name, int(detections.images[place]), detections.boxes[place]


def _classify_all(
    objects: Mapping[str, DetectionTruth], classes: Mapping[str, ClassScore]
) -> dict[str, _Rows]:
    """The rows of each class that there are objects of."""
    names = tuple(objects)
    everything = _join(objects)
    owners = _list_owners(objects)
    return {
        name: _classify(score, score.evidence, everything, owners != names.index(name))
        for name, score in classes.items()
        if isinstance(score.evidence, Boxes) and name in objects
    }


def _list_owners(objects: Mapping[str, DetectionTruth]) -> Ints:
    """The place of the class of each object, one class after the other."""
    return np.repeat(np.arange(len(objects)), [len(truth.images) for truth in objects.values()])


def _join(objects: Mapping[str, DetectionTruth]) -> DetectionTruth:
    """The objects of all classes, one class after the other."""
    truths = list(objects.values())
    return DetectionTruth(
        images=np.concatenate([truth.images for truth in truths]),
        boxes=np.concatenate([truth.boxes for truth in truths]),
        difficult=np.concatenate([truth.difficult for truth in truths]),
    )


@dataclass(frozen=True)
class _Hits:
    """Of the objects of a class: which a row found, and which no row would find if it were fixed.

    `aimed` has the places of objects that rows of other classes lie on, and the best confidence.
    """

    is_hit: Flags
    missed: Flags
    aimed: Floats


def _find_hits(rows: _Rows, objects: DetectionTruth, aimed: Floats) -> _Hits:
    best = rows.boxes.pairing.best
    is_hit = np.zeros(len(objects.images), np.bool_)
    is_hit[best[rows.judged.is_right]] = True
    missed = ~is_hit & ~objects.difficult
    missed[best[rows.kinds == _LOCALIZATION]] = False
    missed[aimed[:, 0].astype(int)] = False
    return _Hits(is_hit, missed, aimed)


def _classify(
    score: ClassScore, boxes: Boxes, everything: DetectionTruth, is_other: Flags
) -> _Rows:
    pairing = boxes.pairing
    judged = score.judged
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


def _find_aimed(rows_of: Mapping[str, _Rows], name: str, places: range) -> Floats:
    """Objects of a class that rows of other classes lie on, with the best confidence of each.

    `places` are those of the class among the objects of all classes.
    """
    best: dict[int, float] = {}
    for other, rows in rows_of.items():
        if other == name:
            continue
        is_aimed = (rows.kinds == _CLASS) & (rows.other >= places.start)
        for row in np.flatnonzero(is_aimed & (rows.other < places.stop)):
            target = int(rows.other[row]) - places.start
            best[target] = max(best.get(target, -np.inf), float(rows.confidences[row]))
    return np.array(sorted(best.items()), np.float64).reshape(-1, 2)


def _fix(rows: _Rows, kind: str, hits: _Hits) -> Judged:
    """The class with a kind of errors fixed: right where the object is free, else removed."""
    judged = rows.judged
    truth = rows.boxes.truth
    if kind == MISSED:
        positives = truth.images[~truth.difficult & ~hits.missed]
        return Judged(judged.images, judged.is_right, judged.is_wrong, positives)
    is_kind = rows.kinds == KINDS.index(kind)
    wrong = judged.is_wrong & ~is_kind
    is_free = ~hits.is_hit & ~truth.difficult
    if kind == "localization":
        right = judged.is_right.copy()
        right[_first_on_each(rows, np.flatnonzero(is_kind), is_free)] = True
        return Judged(judged.images, right, wrong, judged.positives)
    rest = Judged(judged.images, judged.is_right, wrong, judged.positives)
    if kind == "class" and len(hits.aimed):
        return _add_right(rest, rows, hits.aimed[is_free[hits.aimed[:, 0].astype(int)]])
    return rest


def _first_on_each(rows: _Rows, places: Ints, is_free: Flags) -> Ints:
    """Of the rows at these places the first on each free object."""
    best = rows.boxes.pairing.best
    places = places[is_free[best[places]]]
    _, first = np.unique(best[places], return_index=True)
    return np.asarray(places[first])


def _add_right(judged: Judged, rows: _Rows, added: Floats) -> Judged:
    """With a right row for each of these objects (place, confidence), by confidence."""
    confidences = np.concatenate([rows.confidences, added[:, 1]])
    order = np.argsort(-confidences, kind="stable")
    images = rows.boxes.truth.images[added[:, 0].astype(int)]
    return Judged(
        np.concatenate([judged.images, images])[order],
        np.concatenate([judged.is_right, np.ones(len(added), np.bool_)])[order],
        np.concatenate([judged.is_wrong, np.zeros(len(added), np.bool_)])[order],
        judged.positives,
    )


def _confuse(
    rows_of: Mapping[str, _Rows],
    names: tuple[str, ...],
    objects: Mapping[str, DetectionTruth],
    owners: Ints,
) -> Ints:
    last = len(names)
    confusion = np.zeros((last + 1, last + 1), np.int64)
    for column, name in enumerate(names):
        positives = np.count_nonzero(~objects[name].difficult)
        if name not in rows_of:
            confusion[column, last] = positives
            continue
        rows = rows_of[name]
        is_counted = np.arange(len(rows.kinds)) < count_at_best_f1(rows.judged)
        right = np.count_nonzero(rows.judged.is_right & is_counted)
        confusion[column, column] = right
        confusion[column, last] = positives - right
        is_class = (rows.kinds == _CLASS) & is_counted
        np.add.at(confusion[:, column], owners[rows.other[is_class]], 1)
        confusion[last, column] = np.count_nonzero(rows.judged.is_wrong & is_counted & ~is_class)
    return confusion


def count_at_best_f1(judged: Judged) -> int:
    """How many rows, from the first, give the best F1."""
    right = np.cumsum(judged.is_right)
    wrong = np.cumsum(judged.is_wrong)
    total = right + wrong + len(judged.positives)
    return int(np.argmax(2 * right / np.maximum(total, 1))) + 1 if len(right) else 0
