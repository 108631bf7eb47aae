"""Scoring a folder of results: each competition that is there, class by class."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from voc import tree

from .curves import Curve, Flags, Floats, Ints, Judged, Rules, average, draw_curve
from .detection import Detections, DetectionTruth, Pairing, judge, pair
from .errors import EvaluateError, Problem, SubmissionError
from .layout import LayoutResult, judge_parts, judge_persons
from .painting import Painted, paint
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
from .segmentation import Counts, Labels, Segmentation, count_confusion, segmentation
from .truth import Truth

Key = TypeVar("Key", bound=Hashable)
Rates = tuple[Floats, Floats]
_THREADS = 2  # decoding PNGs leaves the interpreter free


@dataclass(frozen=True)
class Items:
    """What a class of classification or action is scored from, in the order of the label file."""

    labels: Ints
    confidences: Floats
    images: Ints


@dataclass(frozen=True)
class Boxes:
    """What a class of detection is scored from."""

    truth: DetectionTruth
    detections: Detections
    pairing: Pairing


@dataclass(frozen=True)
class ClassScore:
    """The score of one class, part or action; ROC, AUC and EER are of classification alone.

    `judged` are the rows behind the curve; `evidence` is what they were judged from.
    """

    curve: Curve
    judged: Judged
    evidence: Items | Boxes | None = None
    rates: Rates | None = None
    auc: float | None = None
    eer: float | None = None


@dataclass(frozen=True)
class SegmentationScore:
    """The score of an entry; `pixels` are found, true and given ones (images x 3 x classes).

    `entered` says which labels the entry gives, `wanted` which ones the user selected;
    `is_painted` that the masks come from detections.
    """

    result: Segmentation
    pixels: Counts
    entered: Flags
    wanted: Flags
    is_painted: bool = False

    @property
    def mean_entered(self) -> float:
        """The mean over background and the classes that were entered and have a number."""
        return average(self.result.accuracies[self.entered])


@dataclass(frozen=True)
class Scores:
    """All scores of a submission by task and competition; `notes` say what was read with care."""

    tasks: Mapping[str, Mapping[str, Mapping[str, ClassScore]]]
    segmentations: Mapping[str, SegmentationScore]
    layouts: Mapping[str, Sequence[LayoutResult]]
    notes: Sequence[str]


@dataclass(frozen=True)
class Selection:
    """The competitions and classes to score; empty for all that are there.

    Painted detections below `least_confidence` are left out of the masks.
    """

    competitions: Collection[str] = ()
    classes: Collection[str] = ()
    least_confidence: float = -np.inf

    def wants(self, competition: str, name: str | None = None) -> bool:
        """Whether a competition, and a class in it, is to be scored."""
        is_wanted = not self.competitions or competition in self.competitions
        return is_wanted and (name is None or not self.classes or name in self.classes)


ALL = Selection()


@dataclass
class _Found:
    truth: Truth
    results: Path
    selection: Selection
    tasks: dict[str, dict[str, dict[str, ClassScore]]] = field(default_factory=dict)
    segmentations: dict[str, SegmentationScore] = field(default_factory=dict)
    layouts: dict[str, Sequence[LayoutResult]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, task: str, competition: str, name: str, score: ClassScore) -> None:
        self.tasks.setdefault(task, {}).setdefault(competition, {})[name] = score

    def add_items(
        self, task: str, competition: str, name: str, items: Items, rates: Rates | None = None
    ) -> None:
        judged = judge_items(items.labels, items.confidences, items.images)
        aucs = (area_under_roc(*rates), equal_error_rate(*rates)) if rates else (None, None)
        curve = draw_curve(judged, self.truth.rules)
        self.add(task, competition, name, ClassScore(curve, judged, items, rates, *aucs))

    def find(self, competition: str, word: str, names: Iterable[str]) -> list[tuple[str, Path]]:
        """The files of a competition, with their classes; notes files that are of no class."""
        folder = self.results / ("Action" if word == "action" else "Main")
        start = f"{competition}_{word}_{self.truth.image_set}_"
        paths = {path.stem.removeprefix(start): path for path in folder.glob(f"{start}*.txt")}
        wanted = [name for name in names if self.selection.wants(competition, name)]
        if competition in (self.selection.competitions or [competition]):
            for name in sorted(set(paths) - set(names)):
                self.notes.append(f"{paths[name].name} was not scored: {name} is no class here.")
        return [(name, paths[name]) for name in wanted if name in paths and paths[name].is_file()]


def score(truth: Truth, results: Path, selection: Selection = ALL) -> Scores:
    """The scores of the results in a folder such as results/VOC2012.

    Raises SubmissionError with all problems of the files, EvaluateError where there is nothing to
    score or the truth cannot be read.
    """
    _check_selection(truth, selection)
    found = _Found(truth, results, selection)
    for competition in CLASSIFICATION:
        _score_classification(found, competition)
    for competition in DETECTION:
        _score_detection(found, competition)
    for competition in ACTION:
        _score_action(found, competition)
    for competition in LAYOUT_2007 if truth.rules is Rules.VOC2007 else LAYOUT:
        _score_layout(found, competition)
    for competition in SEGMENTATION:
        _score_segmentation(found, competition)
    if found.problems:
        raise SubmissionError(found.problems)
    if not found.tasks and not found.segmentations:
        raise EvaluateError(_nothing_found(truth, results))
    for competition in DETECTION:
        _score_painted(found, competition)
    return Scores(found.tasks, found.segmentations, found.layouts, found.notes)


def _check_selection(truth: Truth, selection: Selection) -> None:
    competitions = (*CLASSIFICATION, *DETECTION, *SEGMENTATION, *LAYOUT, *ACTION)
    parts = ("background", "head", "hand", "foot")
    for kind, given, known in (
        ("competition", selection.competitions, competitions),
        ("class", selection.classes, (*truth.classes, *truth.actions, *parts)),
    ):
        unknown = sorted(set(given) - set(known))
        if unknown:
            names = ", ".join(known)
            raise EvaluateError(f"Unknown {kind} {unknown[0]!r}; there are {names}.")


def _nothing_found(truth: Truth, results: Path) -> str:
    pattern = re.compile(r"comp\d+_(?:cls|det|action|layout)_([^_.]+)")
    names = [path.stem for path in sorted(results.glob("*/*"))]
    others = sorted({it[1] for name in names if (it := pattern.match(name))} - {truth.image_set})
    there = f" There are files of {', '.join(others)}; choose with --set." if others else ""
    return (
        f"{results} holds no results for the set {truth.image_set}; expected files such as "
        f"Main/comp3_det_{truth.image_set}_person.txt.{there}"
    )


def _score_classification(found: _Found, competition: str) -> None:
    truth = found.truth
    for name, path in found.find(competition, "cls", truth.classes):
        images, labels = truth.class_labels(name)
        rows = read_rows(path, 1)
        confidences = _take_confidences(rows, rows.ids, images, _unknown_image(truth), found)
        items = Items(labels, confidences, np.array([truth.images[it] for it in images], np.int64))
        rates = roc(labels, confidences)
        found.add_items("classification", competition, name, items, rates)


def _score_action(found: _Found, competition: str) -> None:
    truth = found.truth
    for name, path in found.find(competition, "action", truth.actions):
        persons, labels = truth.action_labels(name)
        rows = read_rows(path, 2)
        numbers = (int(it) if it.is_integer() else -1 for it in rows.numbers[:, 0].tolist())
        keys = list(zip(rows.ids, numbers, strict=True))

        def tell(key: tuple[str, int]) -> str:
            return f"expected a person that Action lists, got {key[0][:60]} {key[1]}"

        confidences = _take_confidences(rows, keys, persons, tell, found)
        images = np.array([truth.action_images[image] for image, _ in persons], np.int64)
        found.add_items("action", competition, name, Items(labels, confidences, images))


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
    if repeated := len(keys) - len(set(keys)):
        note = f"{rows.path.name}: {repeated:,} rows repeat an item; of each, the last row counts."
        found.notes.append(note)
    return confidences


def _score_detection(found: _Found, competition: str) -> None:
    truth = found.truth
    for name, path in found.find(competition, "det", truth.classes):
        rows = read_rows(path, 5)
        found.problems += rows.problems
        numbers = np.array([truth.images.get(it, -1) for it in rows.ids], np.int64)
        for place in np.flatnonzero(numbers < 0):
            message = _unknown_image(truth)(rows.ids[place])
            found.problems.append(Problem(path, int(rows.lines[place]), message))
        detections = Detections(numbers, rows.numbers[:, 0], rows.numbers[:, 1:])
        objects = truth.objects(name)
        boxes = Boxes(objects, detections, pair(objects, detections))
        judged = judge(objects, boxes.pairing)
        scored = ClassScore(draw_curve(judged, truth.rules), judged, boxes)
        found.add("detection", competition, name, scored)


def _unknown_image(truth: Truth) -> Callable[[str], str]:
    return lambda image_id: f"expected an image of the set {truth.image_set}, got {image_id[:60]!r}"


def _score_layout(found: _Found, competition: str) -> None:
    truth = found.truth
    is_2007 = truth.rules is Rules.VOC2007
    ending = "_person" if is_2007 else ""
    path = found.results / "Layout" / f"{competition}_layout_{truth.image_set}{ending}.xml"
    if not path.is_file() or not found.selection.wants(competition):
        return
    layouts, problems = read_layouts(path, has_boxes=is_2007, is_like_kit=truth.is_like_kit)
    found.problems += problems
    if problems:
        return
    try:
        if is_2007:
            for it in layouts:
                if it.key[0] not in truth.persons_2007:
                    message = _unknown_image(truth)(it.key[0])
                    found.problems.append(Problem(path, it.line, message))
            by_name = {"person": judge_persons(truth.persons_2007, layouts)}
        else:
            by_name = judge_parts(truth.persons, layouts)
            unknown = sum(it.key not in truth.persons for it in layouts)
            repeated = len(layouts) - len({it.key for it in layouts})
            if unknown or repeated:
                skipped = f"{unknown:,} layouts of unknown persons and {repeated:,} second ones"
                found.notes.append(f"{path.name}: {skipped} were skipped, as the kit does.")
    except EvaluateError as error:
        found.problems.append(Problem(path, 0, str(error)))
        return
    found.layouts[competition] = layouts
    for name, judged in by_name.items():
        if found.selection.wants(competition, name):
            curve = draw_curve(judged, truth.rules)
            found.add("layout", competition, name, ClassScore(curve, judged))


def _score_segmentation(found: _Found, competition: str) -> None:
    folder = found.results / "Segmentation" / f"{competition}_{found.truth.image_set}_cls"
    if not folder.is_dir() or not found.selection.wants(competition):
        return

    def read(image_id: str, true: Labels) -> Labels:
        return read_result_mask(folder / f"{image_id}.png", true.shape, len(found.truth.classes))

    counts = _count_all(found, read)
    entered = counts.sum(axis=(0, 1)) > 0
    _add_segmentation(found, competition, counts, entered)


def paint_all(
    truth: Truth, scores: Scores, competition: str, least_confidence: float
) -> dict[str, Painted]:
    """The masks of all images of Segmentation, painted from a detection entry.

    Raises EvaluateError where there is no such entry or no list of images.
    """
    classes = scores.tasks.get("detection", {}).get(competition)
    if not classes:
        raise EvaluateError(f"{competition} has no detections to paint; name comp3 or comp4.")
    sizes = {it: truth.size_wh(it) for it in truth.segmented}
    return {
        it: paint_image(truth, classes, it, size[::-1], least_confidence=least_confidence)
        for it, size in sizes.items()
    }


def _score_painted(found: _Found, competition: str) -> None:
    """Score a detection entry for segmentation too, where the tree has masks."""
    truth = found.truth
    classes = found.tasks.get("detection", {}).get(competition)
    if not classes or not truth.has_set(tree.SEGMENTATION) or not truth.segmented:
        return
    if not all(truth.has_mask(image_id) for image_id in truth.segmented):
        return
    draw = partial(paint_image, truth, classes, least_confidence=found.selection.least_confidence)
    counts = _count_all(found, lambda image_id, true: draw(image_id, true.shape)[0])
    entered = np.array([True, *(name in classes for name in truth.classes)])
    _add_segmentation(found, competition, counts, entered, is_painted=True)


def paint_image(
    truth: Truth,
    classes: Mapping[str, ClassScore],
    image_id: str,
    size_hw: tuple[int, ...],
    *,
    least_confidence: float,
) -> Painted:
    """The masks of one image, painted from the rows of all classes."""
    number, rows = truth.images.get(image_id, -1), []
    for label, name in enumerate(truth.classes, 1):
        boxes = classes[name].evidence if name in classes else None
        if isinstance(boxes, Boxes):
            it = boxes.detections
            places = np.flatnonzero(it.images == number)
            rows += [(label, float(it.confidences[row]), it.boxes[row]) for row in places]
    return paint(rows, (size_hw[0], size_hw[1]), least_confidence)


def _count_all(found: _Found, read: Callable[[str, Labels], Labels]) -> Counts:
    """The pixels by true and given label, image by image; what cannot be read is a problem."""
    truth = found.truth

    def count(image_id: str) -> Counts | EvaluateError:
        true = truth.class_mask(image_id)
        try:
            return count_confusion(true, read(image_id, true), len(truth.classes))
        except EvaluateError as error:
            return error

    width = len(truth.classes) + 1
    counted = []
    with ThreadPoolExecutor(_THREADS) as pool:
        for one in pool.map(count, truth.segmented):
            if isinstance(one, EvaluateError):
                path, _, message = str(one).partition(": ")
                found.problems.append(Problem(Path(path), 0, message))
            else:
                counted.append(one)
    return np.array(counted, np.int64).reshape(-1, width, width)


def _add_segmentation(
    found: _Found, competition: str, counts: Counts, entered: Flags, *, is_painted: bool = False
) -> None:
    names = ("background", *found.truth.classes)
    wanted = np.array([found.selection.wants(competition, name) for name in names])
    result = segmentation(counts.sum(axis=0), found.truth.rules)
    diagonals = np.diagonal(counts, axis1=1, axis2=2)
    pixels = np.stack([diagonals, counts.sum(axis=2), counts.sum(axis=1)], axis=1)
    scored = SegmentationScore(result, pixels, entered & wanted, wanted, is_painted)
    found.segmentations[competition] = scored
