"""Scoring a folder of results: each competition that is there, class by class."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Container, Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from vockit.format import tree
from vockit.format.plural import format_count

from .coco_results import NO_IDS, CocoIds, read_coco_results
from .curves import Floats, Rules, draw_curve
from .errors import EvaluateError, Problem, SubmissionError
from .held_back import (
    refuse_without_truth,
    require_actions,
    require_annotations,
    require_labels,
)
from .layout import judge_parts, judge_persons
from .masks import score_painted, score_segmentation
from .metrics import Detections, judge, pair, roc
from .results import COMPETITIONS, Rows, read_layouts, read_rows
from .scores import ALL, Boxes, ClassScore, Items, Scores, Selection, Submission, list_some
from .truth import Truth

Key = TypeVar("Key", bound=Hashable)


def score(
    truth: Truth, results: Path, selection: Selection = ALL, coco_ids: CocoIds = NO_IDS
) -> Scores:
    """The scores of a folder of results, or of a file of COCO's results.

    Raises SubmissionError with all problems of the files, and EvaluateError.
    """
    is_coco = results.is_file() and results.suffix.lower() == ".json"
    if not results.is_dir() and not is_coco:
        raise EvaluateError(f"No results in {results}. Name their folder with --results.")
    known = [f"comp{number}" for number in range(1, 13)]
    words = (*truth.classes, *truth.actions, "background", "head", "hand", "foot")
    for kind, given, names in (
        ("competition", selection.competitions, known),
        ("class", selection.classes, words),
    ):
        if unknown := sorted(set(given) - set(names)):
            there = ", ".join(names)
            raise EvaluateError(f"Unknown {kind} {unknown[0]!r}; there are {there}.")
    refuse_without_truth(truth)
    submission = Submission(truth, results, selection)
    if is_coco:
        _score_coco(submission, coco_ids)
        return _finish(submission)
    for task, score_entry in (
        ("classification", _score_classification),
        ("detection", _score_detection),
        ("action", _score_action),
        ("layout_2007" if truth.rules is Rules.VOC2007 else "layout", _score_layout),
        ("segmentation", score_segmentation),
    ):
        for competition in COMPETITIONS[task]:
            score_entry(submission, competition)
    return _finish(submission)


def _finish(submission: Submission) -> Scores:
    """What was scored, with masks that are painted from it; raises where something is wrong."""
    if submission.problems:
        raise SubmissionError(submission.problems)
    submission.note_left_out()
    _note_unasked(submission)
    if not submission.tasks and not submission.segmentations:
        reason = _nothing_found(submission.truth, submission.results)
        raise EvaluateError(" ".join([reason, *submission.notes]))
    for competition in COMPETITIONS["detection"]:
        score_painted(submission, competition)
    return Scores(
        tasks=submission.tasks,
        segmentations=submission.segmentations,
        layouts=submission.layouts,
        notes=submission.notes,
        missing=submission.missing,
    )


def _note_unasked(submission: Submission) -> None:
    """Note of how many images of Main a class was not asked."""
    truth = submission.truth
    counts = {name: int(flags.sum()) for name, flags in truth.unasked.items()}
    if counts and submission.tasks.keys() & {"classification", "detection"}:
        images = format_count(len(truth.images), "image")
        submission.notes.append(
            f"Of {images} of {truth.image_set}, not all were asked about every class; not asked: "
            f"{list_some(counts)}."
        )


def _nothing_found(truth: Truth, results: Path) -> str:
    if results.is_file():
        return f"{results} holds no detection of the classes that were asked for."
    pattern = re.compile(r"comp\d+_(?:cls|det|action|layout)_([^_.]+)")
    names = [path.stem for path in sorted(results.glob("*/*"))]
    others = sorted(
        {match[1] for name in names if (match := pattern.match(name))} - {truth.image_set}
    )
    there = f" There are files of {', '.join(others)}; choose with --set." if others else ""
    return (
        f"{results} holds no results for the set {truth.image_set}; expected files such as "
        f"Main/comp3_det_{truth.image_set}_person.txt.{there}"
    )


def _score_classification(submission: Submission, competition: str) -> None:
    truth = submission.truth
    files = submission.find(competition, "cls", truth.classes)
    if files:
        require_labels(truth)
    for name, path in files:
        images, labels = truth.class_labels(name)
        rows = read_rows(path, 1)
        confidences, left_out = _take_confidences(
            rows, rows.ids, images, _list_unasked(truth), _unknown_image(truth), submission
        )
        numbers = np.array([truth.images[image] for image in images], np.int64)
        items = Items(labels, confidences, numbers, left_out)
        rates = roc(labels, confidences)
        submission.add_items("classification", competition, name, items, rates)


def _score_action(submission: Submission, competition: str) -> None:
    truth = submission.truth
    files = submission.find(competition, "action", truth.actions)
    if files:
        require_actions(truth)
    for name, path in files:
        persons, labels = truth.action_labels(name)
        rows = read_rows(path, 2)
        numbers = (
            int(number) if number.is_integer() else -1 for number in rows.numbers[:, 0].tolist()
        )
        keys = list(zip(rows.ids, numbers, strict=True))

        def tell(key: tuple[str, int]) -> str:
            return f"expected a person that Action lists, got {key[0][:60]} {key[1]}"

        unasked = frozenset[tuple[str, int]]() if truth.is_like_kit else truth.action_persons
        confidences, left_out = _take_confidences(rows, keys, persons, unasked, tell, submission)
        images = np.array([truth.action_images[image] for image, _ in persons], np.int64)
        items = Items(labels, confidences, images, left_out)
        submission.add_items("action", competition, name, items)


def _list_unasked(truth: Truth) -> frozenset[str]:
    """The images about which a class may not have been asked: those of the set and of tasters."""
    return frozenset[str]() if truth.is_like_kit else truth.tasters.union(truth.images)


def _take_confidences(
    rows: Rows,
    keys: list[Key],
    numbers: Mapping[Key, int],
    unasked: Container[Key],
    tell: Callable[[Key], str],
    submission: Submission,
) -> tuple[Floats, int]:
    """The confidence of each listed item: that of its last row, -inf without any.

    Also how many rows are of `unasked` items that are not listed. Others are problems.
    """
    confidences = np.full(len(numbers), -np.inf)
    left_out = 0
    submission.problems += rows.problems
    for line, key, values in zip(rows.lines, keys, rows.numbers, strict=True):
        if (number := numbers.get(key)) is not None:
            confidences[number] = values[-1]
        elif key in unasked:
            left_out += 1
        else:
            submission.problems.append(Problem(rows.path, int(line), tell(key)))
    if repeated := len(keys) - len(set(keys)):
        note = f"{rows.path.name}: {repeated:,} rows repeat an item; of each, the last row counts."
        submission.notes.append(note)
    return confidences, left_out


def _score_detection(submission: Submission, competition: str) -> None:
    truth = submission.truth
    files = submission.find(competition, "det", truth.classes)
    if files:
        require_annotations(truth, tree.MAIN, "detection")
    for name, path in files:
        rows = read_rows(path, 5)
        submission.problems += rows.problems
        numbers = np.array([truth.images.get(image_id, -1) for image_id in rows.ids], np.int64)
        for place in np.flatnonzero(numbers < 0):
            if rows.ids[place] in truth.tasters:
                continue
            message = _unknown_image(truth)(rows.ids[place])
            submission.problems.append(Problem(path, int(rows.lines[place]), message))
        detections = Detections(numbers, rows.numbers[:, 0], rows.numbers[:, 1:])
        submission.add("detection", competition, name, _score_boxes(truth, name, detections))


def _score_boxes(truth: Truth, name: str, detections: Detections) -> ClassScore:
    """The score of a class over the images that were asked about it; NaN without any."""
    was_asked = truth.was_asked(name, detections.images)
    left_out = int(np.count_nonzero(~was_asked))
    if left_out:
        detections = Detections(
            detections.images[was_asked],
            detections.confidences[was_asked],
            detections.boxes[was_asked],
        )
    objects = truth.objects(name)
    boxes = Boxes(objects, detections, pair(objects, detections), left_out)
    judged = judge(objects, boxes.pairing)
    curve = draw_curve(judged, truth.rules)
    if name in truth.unasked and truth.unasked[name].all():
        curve = replace(curve, ap=math.nan)
    return ClassScore(curve, judged, boxes)


def _score_coco(submission: Submission, ids: CocoIds) -> None:
    """COCO's results, as the competition for detection that was asked for, else the first."""
    truth = submission.truth
    require_annotations(truth, tree.MAIN, "detection")
    selection = submission.selection
    competition = next(filter(selection.wants, COMPETITIONS["detection"]), None)
    if competition is None:
        raise EvaluateError(
            "COCO's results hold detections; leave out --competition, or choose one of "
            f"{', '.join(COMPETITIONS['detection'])}."
        )
    by_class, problems = read_coco_results(submission.results, truth, ids)
    submission.problems += problems
    wanted = [name for name in truth.classes if selection.wants(competition, name)]
    for name in wanted:
        if name in by_class:
            scored = _score_boxes(truth, name, by_class[name])
            submission.add("detection", competition, name, scored)
    submission.missing[competition] = [name for name in wanted if name not in by_class]


def _unknown_image(truth: Truth) -> Callable[[str], str]:
    return lambda image_id: f"expected an image of the set {truth.image_set}, got {image_id[:60]!r}"


def _find_layouts(submission: Submission, competition: str, ending: str) -> Path | None:
    """The file of a competition's layouts; None where there is none to read, which is noted."""
    name = f"{competition}_layout_{submission.truth.image_set}{ending}.xml"
    path = submission.results / "Layout" / name
    if not submission.selection.wants(competition):
        return None
    if not path.is_file() and os.path.lexists(path):
        submission.note_unreadable(path, "there are no layouts")
    return path if path.is_file() else None


def _score_layout(submission: Submission, competition: str) -> None:
    truth = submission.truth
    is_2007 = truth.rules is Rules.VOC2007
    path = _find_layouts(submission, competition, "_person" if is_2007 else "")
    if path is None:
        return
    require_annotations(truth, tree.LAYOUT, "layout")
    layouts, problems = read_layouts(path, has_boxes=is_2007, is_like_kit=truth.is_like_kit)
    submission.problems += problems
    if problems:
        return
    try:
        if is_2007:
            for layout in layouts:
                if layout.key[0] not in truth.persons_2007:
                    message = _unknown_image(truth)(layout.key[0])
                    submission.problems.append(Problem(path, layout.line, message))
            by_name = {"person": judge_persons(truth.persons_2007, layouts)}
        else:
            by_name = judge_parts(truth.persons, layouts)
            unknown = sum(layout.key not in truth.persons for layout in layouts)
            repeated = len(layouts) - len({layout.key for layout in layouts})
            if unknown or repeated:
                skipped = f"{unknown:,} layouts of unknown persons and {repeated:,} second ones"
                submission.notes.append(f"{path.name}: {skipped} were skipped, as the kit does.")
    except EvaluateError as error:
        submission.problems.append(Problem(path, 0, str(error)))
        return
    submission.layouts[competition] = layouts
    for name, judged in by_name.items():
        if submission.selection.wants(competition, name):
            curve = draw_curve(judged, truth.rules)
            submission.add("layout", competition, name, ClassScore(curve, judged))
