"""Scoring a folder of results: each competition that is there, class by class."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from .curves import Curve, Floats, Judged, Rules, draw_curve
from .detection import Detections, match
from .errors import EvaluateError, Problem, SubmissionError
from .layout import judge_parts, judge_persons
from .ranking import area_under_roc, equal_error_rate, judge_items, roc
from .results import (
    ACTION,
    CLASSIFICATION,
    DETECTION,
    LAYOUT,
    LAYOUT_2007,
    SEGMENTATION,
    Rows,
    read_layouts,
    read_result_mask,
    read_rows,
)
from .segmentation import Counts, Segmentation, count_confusion, segmentation
from .truth import Truth

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class ClassScore:
    """The score of one class, part or action; `auc` and `eer` are of classification alone.

    `judged` are the rows behind the curve, for the bootstrap.
    """

    curve: Curve
    judged: Judged
    auc: float | None = None
    eer: float | None = None


@dataclass(frozen=True)
class Scores:
    """All scores of a submission by task and competition; `notes` say what was left out."""

    tasks: Mapping[str, Mapping[str, Mapping[str, ClassScore]]]
    segmentations: Mapping[str, Segmentation]
    pixels: Mapping[str, Counts]
    """By segmentation entry: found, true and given pixels (images x 3 x classes)."""


@dataclass(frozen=True)
class Selection:
    """The competitions and classes to score; empty for all that are there."""

    competitions: Collection[str] = ()
    classes: Collection[str] = ()

    def wants(self, competition: str, name: str | None = None) -> bool:
        """Whether a competition, and a class in it, is to be scored."""
        is_wanted = not self.competitions or competition in self.competitions
        return is_wanted and (name is None or not self.classes or name in self.classes)


ALL = Selection()


@dataclass
class _Found:
    tasks: dict[str, dict[str, dict[str, ClassScore]]] = field(default_factory=dict)
    segmentations: dict[str, Segmentation] = field(default_factory=dict)
    pixels: dict[str, Counts] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add(self, task: str, competition: str, name: str, score: ClassScore) -> None:
        self.tasks.setdefault(task, {}).setdefault(competition, {})[name] = score


def score(truth: Truth, results: Path, selection: Selection = ALL) -> Scores:
    """The scores of the results in a folder such as results/VOC2012.

    Raises SubmissionError with all problems of the files, EvaluateError where there is nothing to
    score or the truth cannot be read.
    """
    found = _Found()
    for competition in CLASSIFICATION:
        _score_classification(truth, results, competition, selection, found)
    for competition in DETECTION:
        _score_detection(truth, results, competition, selection, found)
    for competition in ACTION:
        _score_action(truth, results, competition, selection, found)
    for competition in LAYOUT_2007 if truth.rules is Rules.VOC2007 else LAYOUT:
        _score_layout(truth, results, competition, selection, found)
    for competition in SEGMENTATION:
        _score_segmentation(truth, results, competition, selection, found)
    if found.problems:
        raise SubmissionError(found.problems)
    if not found.tasks and not found.segmentations:
        raise EvaluateError(
            f"{results} holds no results for the set {truth.image_set}; expected files such as "
            f"Main/comp3_det_{truth.image_set}_person.txt."
        )
    return Scores(found.tasks, found.segmentations, found.pixels)


def _score_classification(
    truth: Truth, results: Path, competition: str, selection: Selection, found: _Found
) -> None:
    for name in truth.classes:
        path = results / "Main" / f"{competition}_cls_{truth.image_set}_{name}.txt"
        if not path.is_file() or not selection.wants(competition, name):
            continue
        images, labels = truth.class_labels(name)
        rows = read_rows(path, 1)
        confidences = _take_confidences(rows, rows.ids, images, _unknown_image(truth), found)
        rates = roc(labels, confidences)
        judged = judge_items(labels, confidences, np.arange(len(labels)))
        curve = draw_curve(judged, truth.rules)
        scored = ClassScore(curve, judged, area_under_roc(*rates), equal_error_rate(*rates))
        found.add("classification", competition, name, scored)


def _score_action(
    truth: Truth, results: Path, competition: str, selection: Selection, found: _Found
) -> None:
    for name in truth.actions:
        path = results / "Action" / f"{competition}_action_{truth.image_set}_{name}.txt"
        if not path.is_file() or not selection.wants(competition, name):
            continue
        persons, labels = truth.action_labels(name)
        rows = read_rows(path, 2)
        keys = [
            (image_id, int(number) if number.is_integer() else -1)
            for image_id, number in zip(rows.ids, map(float, rows.numbers[:, 0]), strict=True)
        ]

        def tell(key: tuple[str, int]) -> str:
            return f"expected a person that Action lists, got {key[0]} {key[1]}"

        confidences = _take_confidences(rows, keys, persons, tell, found)
        _, images = np.unique([image for image, _ in persons], return_inverse=True)
        judged = judge_items(labels, confidences, images)
        found.add("action", competition, name, ClassScore(draw_curve(judged, truth.rules), judged))


def _take_confidences(
    rows: Rows,
    keys: list[Key],
    numbers: Mapping[Key, int],
    tell: Callable[[Key], str],
    found: _Found,
) -> Floats:
    """The confidence of each listed item: that of its last row, -inf without any."""
    confidences = np.full(len(numbers), -np.inf)
    found.problems += rows.problems
    for line, key, values in zip(rows.lines, keys, rows.numbers, strict=True):
        if (number := numbers.get(key)) is None:
            found.problems.append(Problem(rows.path, int(line), tell(key)))
        else:
            confidences[number] = values[-1]
    return confidences


def _score_detection(
    truth: Truth, results: Path, competition: str, selection: Selection, found: _Found
) -> None:
    for name in truth.classes:
        path = results / "Main" / f"{competition}_det_{truth.image_set}_{name}.txt"
        if not path.is_file() or not selection.wants(competition, name):
            continue
        rows = read_rows(path, 5)
        found.problems += rows.problems
        numbers = np.array([truth.images.get(it, -1) for it in rows.ids], np.int64)
        for place in np.flatnonzero(numbers < 0):
            message = _unknown_image(truth)(rows.ids[place])
            found.problems.append(Problem(path, int(rows.lines[place]), message))
        detections = Detections(numbers, rows.numbers[:, 0], rows.numbers[:, 1:])
        judged = match(truth.objects(name), detections)
        curve = draw_curve(judged, truth.rules)
        found.add("detection", competition, name, ClassScore(curve, judged))


def _unknown_image(truth: Truth) -> Callable[[str], str]:
    return lambda image_id: f"expected an image of the set {truth.image_set}, got {image_id[:60]!r}"


def _score_layout(
    truth: Truth, results: Path, competition: str, selection: Selection, found: _Found
) -> None:
    is_2007 = truth.rules is Rules.VOC2007
    ending = "_person" if is_2007 else ""
    path = results / "Layout" / f"{competition}_layout_{truth.image_set}{ending}.xml"
    if not path.is_file() or not selection.wants(competition):
        return
    try:
        layouts = read_layouts(path, has_boxes=is_2007)
    except EvaluateError as error:
        found.problems.append(Problem(path, 0, str(error).removeprefix(f"{path}:").strip()))
        return
    if is_2007:
        by_name = {"person": judge_persons(truth.persons_2007, layouts)}
    else:
        by_name = judge_parts(truth.persons, layouts)
    for name, judged in by_name.items():
        if selection.wants(competition, name):
            curve = draw_curve(judged, truth.rules)
            found.add("layout", competition, name, ClassScore(curve, judged))


def _score_segmentation(
    truth: Truth, results: Path, competition: str, selection: Selection, found: _Found
) -> None:
    folder = results / "Segmentation" / f"{competition}_{truth.image_set}_cls"
    if not folder.is_dir() or not selection.wants(competition):
        return
    width = len(truth.classes) + 1
    confusion = np.zeros((width, width), np.int64)
    pixels = []
    for image_id in truth.segmented:
        path = folder / f"{image_id}.png"
        true = truth.class_mask(image_id)
        try:
            labels = read_result_mask(path, true.shape, len(truth.classes))
        except EvaluateError as error:
            found.problems.append(Problem(path, 0, str(error).removeprefix(f"{path}:").strip()))
            continue
        counts = count_confusion(true, labels, len(truth.classes))
        confusion += counts
        pixels.append((np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)))
    found.segmentations[competition] = segmentation(confusion, truth.rules)
    found.pixels[competition] = np.array(pixels).reshape(-1, 3, width)
