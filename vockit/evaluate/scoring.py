"""Scoring an entry: each competition that is there, class by class."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from .coco_results import NO_IDS, CocoIds
from .curves import Rules, draw_curve
from .detectors import note_detectors
from .entry import ALL, Selection
from .entry_reading import is_coco_file, read_entry
from .errors import EvaluateError, Problem
from .held_back import refuse_without_truth, require_truth
from .layout import judge_parts, judge_persons
from .masks import score_painted, score_segmentation
from .members import Caps
from .metrics import Detections, judge, pair, roc
from .odd_truth import note_contradictions, note_odd_truth
from .packed import open_results
from .results import COMPETITIONS
from .scores import Boxes, ClassScore, Items, Scores, Submission
from .truth import Truth
from .unasked import note_unasked


def score(
    truth: Truth,
    results: Path,
    selection: Selection = ALL,
    coco_ids: CocoIds = NO_IDS,
    caps: Caps | None = None,
) -> Scores:
    """The scores of a folder or an archive of results, or of a file of COCO's results.

    Raises SubmissionError with all problems of the files, and EvaluateError.
    """
    with open_results(results, caps) as folder:
        scores = _score(truth, folder, selection, coco_ids)
        notes = [*note_detectors(truth, results.name, folder), *scores.notes]
    return replace(scores, notes=notes)


def _score(truth: Truth, results: Path, selection: Selection, coco_ids: CocoIds) -> Scores:
    if results.is_dir() or is_coco_file(results):
        refuse_without_truth(truth)
    entry = read_entry(truth, results, selection, coco_ids, require=require_truth)
    submission = Submission(entry)
    _score_classification(submission)
    _score_detection(submission)
    _score_action(submission)
    _score_layout(submission)
    score_segmentation(submission)
    entry.refuse_faults()
    entry.notes += note_unasked(submission)
    entry.notes += note_odd_truth(truth)
    entry.notes += note_contradictions(submission)
    for competition in COMPETITIONS["detection"]:
        score_painted(submission, competition)
    return Scores(
        tasks=submission.tasks,
        segmentations=submission.segmentations,
        layouts=entry.layout,
        notes=entry.notes,
        missing=entry.missing,
    )


def _score_classification(submission: Submission) -> None:
    truth = submission.truth
    for competition, classes in submission.entry.classification.items():
        for name, rated in classes.items():
            labels = truth.class_labels(name)[1] if rated.labels is None else rated.labels
            images = np.array([truth.images[image] for image in rated.items], np.int64)
            items = Items(labels, rated.confidences, images, rated.left_out)
            rates = roc(labels, rated.confidences)
            submission.add_items("classification", competition, name, items, rates)


def _score_action(submission: Submission) -> None:
    truth = submission.truth
    for competition, actions in submission.entry.action.items():
        for name, rated in actions.items():
            labels = truth.action_labels(name)[1] if rated.labels is None else rated.labels
            images = np.array([truth.action_images[image] for image, _ in rated.items], np.int64)
            items = Items(labels, rated.confidences, images, rated.left_out)
            submission.add_items("action", competition, name, items)


def _score_detection(submission: Submission) -> None:
    for competition, classes in submission.entry.detection.items():
        for name, detections in classes.items():
            scored = _score_boxes(submission.truth, name, detections)
            submission.add("detection", competition, name, scored)


def _score_boxes(truth: Truth, name: str, detections: Detections) -> ClassScore:
    """The score of a class over the images that were asked about it; NaN without any."""
    was_asked = truth.was_asked(name, detections.images)
    left_out = int(np.count_nonzero(~was_asked))
    if left_out:
        detections = Detections(
            images=detections.images[was_asked],
            confidences=detections.confidences[was_asked],
            boxes=detections.boxes[was_asked],
        )
    objects = truth.objects(name)
    boxes = Boxes(objects, detections, pair(objects, detections), left_out)
    judged = judge(objects, boxes.pairing)
    curve = draw_curve(judged, truth.rules)
    if name in truth.unasked and truth.unasked[name].all():
        curve = replace(curve, ap=math.nan)
    return ClassScore(curve, judged, boxes)


def _score_layout(submission: Submission) -> None:
    truth = submission.truth
    for competition, layouts in submission.entry.layout.items():
        try:
            if truth.rules is Rules.VOC2007:
                by_name = {"person": judge_persons(truth.persons_2007, layouts)}
            else:
                by_name = judge_parts(truth.persons, layouts)
        except EvaluateError as error:
            path = submission.entry.layout_path(competition)
            submission.problems.append(Problem(path, 0, str(error)))
            continue
        for name, judged in by_name.items():
            if submission.selection.wants(competition, name):
                curve = draw_curve(judged, truth.rules)
                submission.add("layout", competition, name, ClassScore(curve, judged))
