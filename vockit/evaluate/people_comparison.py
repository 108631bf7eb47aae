"""People next to the methods: how each agrees with the truth on the images that people had.

Second annotators had some images of a test set; they are scored on these alone, and so are the
methods beside them. The truth was made by people, too, so what is measured is agreement, not
accuracy.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vockit.report.intervals import UNKNOWN, Interval, estimate_share_by_image, spread_figure

from . import significance
from .common import find_common
from .curves import Flags, Floats, Ints, Judged, Rules, draw_curve, rank
from .detection_errors import MISSED, count_at_best_f1, find_errors, list_background
from .metrics import (
    Counts,
    DetectionTruth,
)
from .people import PEOPLE, People
from .scores import Boxes, ClassScore, Items, Scores
from .truth import Truth

TASKS = ("classification", "detection", "action")
EVERY = "all"
"""The classes that all methods entered: shares over all their objects, and the mean of their AP."""


@dataclass(frozen=True)
class Figures:
    """How one method agrees with the truth on one class, over the images that people had.

    `overlap` is the mean IoU of the right boxes. `ap` of people is the best that a method without
    confidences can have. Figures that the task does not have are UNKNOWN.
    """

    objects: int = 0
    precision: Interval = UNKNOWN
    recall: Interval = UNKNOWN
    overlap: Interval = UNKNOWN
    ap: Interval = UNKNOWN
    iou: Interval = UNKNOWN


ByClass = Mapping[str, Figures]


@dataclass(frozen=True)
class Lacking:
    """A box of a second annotator that overlaps nothing of the truth."""

    image_id: str
    class_name: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class PeopleComparison:
    """People and methods on the same images: figures by task, method and class.

    `kinds` are the errors of people's boxes, in the words of detection_errors.
    """

    images: int
    people: int
    masks: int
    mask_people: int
    discarded: int
    tasks: Mapping[str, Mapping[str, ByClass]]
    kinds: Mapping[str, int]
    lacking: Sequence[Lacking]


def compare_people(truth: Truth, people: People, methods: Mapping[str, Scores]) -> PeopleComparison:
    """People and the methods, all on the images that people had."""
    compared = {
        task: _compare_task(truth, people, methods, task)
        for task in TASKS
        if people.scores.tasks.get(task)
    }
    tasks = {task: by_method for task, by_method in compared.items() if by_method}
    if people.masks:
        tasks["segmentation"] = _compare_masks(truth, people, methods)
    objects = {name: truth.objects(name) for name in truth.classes}
    drawn = next(iter(people.scores.tasks.get("detection", {}).values()), {})
    counts = find_errors(objects, drawn, truth.rules).counts if drawn else {}
    return PeopleComparison(
        images=len(people.images),
        people=len(set(people.images.values())),
        masks=len(people.masks),
        mask_people=len(set(people.masks.values())),
        discarded=people.discarded,
        tasks=tasks,
        kinds={kind: count for kind, count in counts.items() if kind != MISSED},
        lacking=list(_list_lacking(truth, objects, drawn)),
    )


def _compare_task(
    truth: Truth, people: People, methods: Mapping[str, Scores], task: str
) -> dict[str, ByClass]:
    """The figures of people and of each entry, by class; of no entry where people had no image."""
    answers = next(iter(people.scores.tasks[task].values()))
    entries = {PEOPLE: answers} | {
        f"{method}, {competition}": classes
        for method, scores in methods.items()
        for competition, classes in scores.tasks.get(task, {}).items()
    }
    common = find_common({name: dict.fromkeys(classes, 0.0) for name, classes in entries.items()})
    covered = _cover(truth, people, task, answers)
    if not covered.count:
        return {}
    return {
        name: covered.measure(
            classes, common.classes if name in common.methods else (), is_sure=name == PEOPLE
        )
        for name, classes in entries.items()
    }


def _list_lacking(
    truth: Truth, objects: Mapping[str, DetectionTruth], drawn: Mapping[str, ClassScore]
) -> Iterator[Lacking]:
    ids = list(truth.images)
    for name, image, box in list_background(objects, drawn):
        left, top, right, bottom = box.tolist()
        yield Lacking(ids[image], name, (left, top, right, bottom))


@dataclass(frozen=True)
class _Rows:
    """The rows of a class by rank on the covered images, which are numbered from 0."""

    judged: Judged
    confidences: Floats
    overlaps: Floats | None


@dataclass(frozen=True)
class _Covered:
    """The images of a task that people had: by number in the set the number among these, or -1.

    `persons` has for each action which of its persons people spoke of.
    """

    place_of: Ints
    rules: Rules
    persons: Mapping[str, Flags]

    @property
    def count(self) -> int:
        """How many images there are."""
        return int((self.place_of >= 0).sum())

    def measure(
        self, classes: Mapping[str, ClassScore], common: Sequence[str], *, is_sure: bool
    ) -> ByClass:
        """The figures of each class, and of those in common together.

        `is_sure` of people, who say yes or no.
        """
        weights = significance.draw_weights(self.count)
        has_overlaps = any(isinstance(scored.evidence, Boxes) for scored in classes.values())
        figures = {}
        sums = {}
        drawn = {}
        for name, scored in classes.items():
            rows = self._take(name, scored, is_sure)
            sums[name] = _count_images(rows, self.count, is_sure=is_sure)
            drawn[name] = significance.bootstrap_ap(rows.judged, weights, self.rules)
            ap = draw_curve(rows.judged, self.rules).ap if len(rows.judged.positives) else np.nan
            figures[name] = _make_figures(sums[name], ap, drawn[name], has_overlaps)
        known = [name for name in common if not np.isnan(figures[name].ap.value)]
        if known:
            pooled = _Sums(*np.sum([sums[name].table for name in common], axis=0))
            ap = float(np.mean([figures[name].ap.value for name in known]))
            replicates = _average(np.array([drawn[name] for name in known]))
            figures[EVERY] = _make_figures(pooled, ap, replicates, has_overlaps)
        return figures

    def _take(self, name: str, scored: ClassScore, is_sure: bool) -> _Rows:
        """The rows on the covered images; of people the right ones first of what they say alike."""
        judged, confidences, overlaps = _list_rows(scored, self.persons.get(name))
        kept = judged.images >= 0
        kept[kept] = self.place_of[judged.images[kept]] >= 0
        positives = judged.positives[self.place_of[judged.positives] >= 0]
        order = np.flatnonzero(kept)
        if is_sure:
            order = order[np.lexsort((~judged.is_right[order], -confidences[order]))]
        taken = Judged(
            images=self.place_of[judged.images[order]],
            is_right=judged.is_right[order],
            is_wrong=judged.is_wrong[order],
            positives=self.place_of[positives],
        )
        return _Rows(taken, confidences[order], None if overlaps is None else overlaps[order])


def _list_rows(scored: ClassScore, persons: Flags | None) -> tuple[Judged, Floats, Floats | None]:
    """All rows of a class by rank with their confidences and, of boxes, overlaps.

    Of an action only the rows of these persons.
    """
    evidence = scored.evidence
    if isinstance(evidence, Boxes):
        confidences = evidence.detections.confidences[evidence.pairing.order]
        return scored.judged, confidences, evidence.pairing.overlaps
    if not isinstance(evidence, Items):
        raise TypeError(f"no rows are kept of {scored}")
    order = rank(evidence.confidences)
    if persons is None:
        return scored.judged, evidence.confidences[order], None
    ranked = evidence.labels[order]
    images = np.where(persons, evidence.images, -1)[order]
    positives = evidence.images[persons & (evidence.labels > 0)]
    judged = Judged(images, ranked > 0, ranked < 0, positives)
    return judged, evidence.confidences[order], None


def _cover(truth: Truth, people: People, task: str, classes: Mapping[str, ClassScore]) -> _Covered:
    """The images of a task that people had, and of an action the persons that they drew."""
    numbers = truth.action_images if task == "action" else truth.images
    persons = {
        name: np.isfinite(scored.evidence.confidences)
        for name, scored in classes.items()
        if task == "action" and isinstance(scored.evidence, Items)
    }
    listed = [image_id in people.images for image_id in numbers]
    place_of = np.where(listed, np.cumsum(listed) - 1, -1)
    return _Covered(place_of, truth.rules, persons)


@dataclass(frozen=True)
class _Sums:
    """For each image: rows that are right, rows that are right or wrong, objects, and overlaps."""

    right: Floats
    counted: Floats
    positives: Floats
    overlap: Floats

    @property
    def table(self) -> Floats:
        """All four, in this order (4 x images)."""
        return np.array([self.right, self.counted, self.positives, self.overlap])


def _count_images(rows: _Rows, images: int, *, is_sure: bool) -> _Sums:
    """The counts of what the method says: of people what is sure, of others up to the best F1.

    That favours a method, since the truth of these images chose its confidence.
    """
    judged = rows.judged
    best = np.arange(len(judged.images)) < count_at_best_f1(judged)
    said = rows.confidences > 0 if is_sure else best
    right = said & judged.is_right
    overlap = np.zeros(len(right)) if rows.overlaps is None else rows.overlaps

    def count(chosen: Flags, weights: Floats | None = None) -> Floats:
        given = None if weights is None else weights[chosen]
        return np.bincount(judged.images[chosen], given, images).astype(np.float64)

    return _Sums(
        right=count(right),
        counted=count(said & judged.is_counted),
        positives=np.bincount(judged.positives, minlength=images).astype(np.float64),
        overlap=count(right, overlap),
    )


def _make_figures(sums: _Sums, ap: float, replicates: Floats, has_overlaps: bool) -> Figures:
    right, counted, positives, overlap = (row.tolist() for row in sums.table)
    return Figures(
        objects=round(sum(positives)),
        precision=estimate_share_by_image(right, counted),
        recall=estimate_share_by_image(right, positives),
        overlap=estimate_share_by_image(overlap, right) if has_overlaps else UNKNOWN,
        ap=_spread(ap, replicates, len(positives)),
    )


def _spread(value: float, replicates: Floats, images: int) -> Interval:
    """The value, with an interval whose error is that of its replicates."""
    if np.isnan(value):
        return UNKNOWN
    return Interval(value, *spread_figure(value, float(np.nanstd(replicates)), images), images)


def _compare_masks(
    truth: Truth, people: People, methods: Mapping[str, Scores]
) -> dict[str, ByClass]:
    """IoU of each class by method, over the images whose masks a second person drew."""
    place_of = {image_id: place for place, image_id in enumerate(truth.segmented)}
    places = [place_of[image_id] for image_id in people.masks]
    pixels_of = {PEOPLE: people.pixels}
    for method, scores in methods.items():
        for competition, entry in scores.segmentations.items():
            kind = f"{competition}, painted" if entry.is_painted else competition
            pixels_of[f"{method}, {kind}"] = entry.pixels[places]
    return {name: _measure_masks(truth, pixels) for name, pixels in pixels_of.items()}


def _measure_masks(truth: Truth, pixels: Counts) -> ByClass:
    names = ("background", *truth.classes)
    drawn = significance.bootstrap_iou(pixels, significance.draw_weights(len(pixels))) / 100
    hits, true, given = pixels.sum(axis=0)
    with np.errstate(invalid="ignore"):
        values = hits / (true + given - hits)
    figures = {
        name: Figures(int((pixels[:, 1, label] > 0).sum()), iou=_spread(value, row, len(pixels)))
        for label, (name, value, row) in enumerate(zip(names, values.tolist(), drawn, strict=True))
        if true[label]
    }
    known = [label for label in range(len(names)) if true[label]]
    mean = float(values[known].mean())
    figures[EVERY] = Figures(len(pixels), iou=_spread(mean, _average(drawn[known]), len(pixels)))
    return figures


def _average(replicates: Floats) -> Floats:
    """The mean over the classes in each replicate, without those that have no number there."""
    known = np.count_nonzero(~np.isnan(replicates), axis=0)
    return np.asarray(np.nansum(replicates, axis=0) / np.maximum(known, 1))
