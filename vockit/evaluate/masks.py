"""Segmentation scored from masks: those of an entry, and those painted from its detections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from vockit.format import tree
from vockit.format.masks import format_mask
from vockit.format.own_files import write_own_files
from vockit.format.threads import ThreadPool

from .curves import Flags, Floats
from .entry import Entry
from .errors import ChoiceError, EvaluateError, Problem, explain_write_errors
from .metrics import Counts, Labels, count_confusion, segmentation
from .scores import Boxes, ClassScore, Scores, SegmentationScore, Submission
from .truth import Truth

Painted = tuple[Labels, Labels]
"""The class and the row number of each pixel."""
_THREADS = 2  # decoding PNGs leaves the interpreter free


def score_segmentation(submission: Submission) -> None:
    """Score the masks of an entry, if there are any."""
    for competition, folder in submission.entry.masks.items():
        read = partial(read_entered, submission.truth, folder)
        counts = _count_all(submission, read)
        entered = counts.sum(axis=(0, 1)) > 0
        _add_segmentation(submission, competition, counts, entered)


def check_masks(entry: Entry) -> None:
    """Add the problems of an entry's masks, which need no truth, to those of the entry."""
    truth = entry.truth

    def find_problem(folder: Path, image_id: str) -> Problem | None:
        try:
            read_entered(truth, folder, image_id, truth.size_hw(image_id))
        except EvaluateError as error:
            return _make_problem(error)
        return None

    with ThreadPool(_THREADS) as pool:
        for folder in entry.masks.values():
            problems = pool.map(partial(find_problem, folder), truth.segmented)
            entry.problems += [problem for problem in problems if problem is not None]


def read_entered(truth: Truth, folder: Path, image_id: str, size_hw: tuple[int, ...]) -> Labels:
    """The labels of an entry's mask; raises EvaluateError where it cannot be scored."""
    path = folder / f"{image_id}.png"
    labels = truth.read_labels(path, size_hw)
    if (most := int(labels.max(initial=0))) > len(truth.classes):
        raise EvaluateError(f"{path}: expected labels from 0 to {len(truth.classes)}, got {most}")
    return labels


def _make_problem(error: EvaluateError) -> Problem:
    path, _, message = str(error).partition(": ")
    return Problem(Path(path), 0, message)


def write_painted(
    truth: Truth, scores: Scores, competition: str, least_confidence: float, results: Path
) -> tuple[int, Path]:
    """Paint a detection entry: how many images, and the folder of classes.

    Masks of classes have the numbers of the tree's label map, in which they are scored. Masks that
    were not painted by this are not overwritten. Raises EvaluateError, ForeignFileError and
    WriteError.
    """
    classes = scores.tasks.get("detection", {}).get(competition)
    if not classes:
        raise ChoiceError(f"{competition} has no detections to paint; name comp3 or comp4.")
    if not truth.has_set(tree.SEGMENTATION) or not truth.segmented:
        raise EvaluateError(
            f"{truth.root} lists no image of {truth.image_set} in Segmentation, so that nothing "
            "was painted."
        )
    sizes = {image_id: truth.size_wh(image_id) for image_id in truth.segmented}
    painted: dict[str, Painted] = {}
    for image_id, size in sizes.items():
        labels, rows = paint_image(
            truth, classes, image_id, size[::-1], least_confidence=least_confidence
        )
        painted[image_id] = truth.number_labels(labels), rows
    entry = results / "Segmentation" / f"{competition}_{truth.image_set}"
    for place, kind in enumerate(("cls", "inst")):
        target = entry.with_name(f"{entry.name}_{kind}")
        files = {
            f"{image_id}.png": format_mask(masks[place]) for image_id, masks in painted.items()
        }
        with explain_write_errors():
            write_own_files(target, files, kind="paint")
    return len(painted), entry.with_name(f"{entry.name}_cls")


def score_painted(submission: Submission, competition: str) -> None:
    """Score a detection entry for segmentation too, where the tree has masks."""
    truth = submission.truth
    classes = submission.tasks.get("detection", {}).get(competition)
    if not classes or not truth.has_set(tree.SEGMENTATION) or not truth.segmented:
        return
    paths = (tree.mask_path(tree.SEGMENTATION_CLASS, image_id) for image_id in truth.segmented)
    if not all((truth.root / path).is_file() for path in paths):
        return
    draw = partial(
        paint_image, truth, classes, least_confidence=submission.selection.least_confidence
    )
    counts = _count_all(submission, lambda image_id, size_hw: draw(image_id, size_hw)[0])
    entered = np.array([True, *(name in classes for name in truth.classes)])
    _add_segmentation(submission, competition, counts, entered, is_painted=True)


def paint_image(
    truth: Truth,
    classes: Mapping[str, ClassScore],
    image_id: str,
    size_hw: tuple[int, ...],
    *,
    least_confidence: float,
) -> Painted:
    """The masks of one image, painted from the rows of all classes."""
    number = truth.images.get(image_id, -1)
    rows = []
    for label, name in enumerate(truth.classes, 1):
        boxes = classes[name].evidence if name in classes else None
        if isinstance(boxes, Boxes):
            detections = boxes.detections
            places = np.flatnonzero(detections.images == number)
            rows += [
                (label, float(detections.confidences[row]), detections.boxes[row]) for row in places
            ]
    return paint(rows, (size_hw[0], size_hw[1]), least_confidence)


def _count_all(submission: Submission, read: Callable[[str, tuple[int, ...]], Labels]) -> Counts:
    """The pixels by true and given label, image by image; what cannot be read is a problem."""
    truth = submission.truth

    def count(image_id: str) -> Counts | EvaluateError:
        true = truth.class_mask(image_id)
        try:
            given = read(image_id, true.shape)
            true = truth.void_unasked(image_id, true, given)
            return count_confusion(true, given, len(truth.classes))
        except EvaluateError as error:
            return error

    width = len(truth.classes) + 1
    counted = []
    with ThreadPool(_THREADS) as pool:
        for image_counts in pool.map(count, truth.segmented):
            if isinstance(image_counts, EvaluateError):
                submission.problems.append(_make_problem(image_counts))
            else:
                counted.append(image_counts)
    return np.array(counted, np.int64).reshape(-1, width, width)


def _add_segmentation(
    submission: Submission,
    competition: str,
    counts: Counts,
    entered: Flags,
    *,
    is_painted: bool = False,
) -> None:
    names = ("background", *submission.truth.classes)
    wanted = np.array([submission.selection.wants(competition, name) for name in names])
    result = segmentation(counts.sum(axis=0), submission.truth.rules)
    diagonals = np.diagonal(counts, axis1=1, axis2=2)
    pixels = np.stack([diagonals, counts.sum(axis=2), counts.sum(axis=1)], axis=1)
    scored = SegmentationScore(result, pixels, entered & wanted, wanted, is_painted)
    submission.segmentations[competition] = scored


def paint(
    rows: Iterable[tuple[int, float, Floats]],
    size_hw: tuple[int, int],
    least_confidence: float = -np.inf,
) -> Painted:
    """One image's rows as two masks: class labels, and row numbers from 1 (255 for later ones).

    `rows` are label, confidence and box, class by class in the order of the files. A row covers
    those of lower confidence; rows below `least_confidence` are dropped. Corners are rounded half
    away from zero and clamped to the image (create_segmentations_from_detections.m, 2012).

    >>> import numpy as np
    >>> paint([(8, 0.9, np.array([2.0, 1, 3, 1]))], (1, 4))[0].tolist()
    [[0, 8, 8, 0]]
    """
    labels = np.zeros(size_hw, np.uint8)
    numbers = np.zeros(size_hw, np.uint8)
    listed = list(enumerate(rows, 1))
    listed.sort(key=lambda numbered: np.inf if np.isnan(numbered[1][1]) else numbered[1][1])
    for number, (label, confidence, box) in listed:
        if confidence < least_confidence:
            continue
        sides = np.sign(box) * np.floor(np.abs(box) + 0.5)
        high = np.array([size_hw[1], size_hw[0]] * 2)
        left, top, right, bottom = np.clip(np.nan_to_num(sides, nan=1.0), 1, high).astype(int)
        where = np.s_[top - 1 : bottom, left - 1 : right]
        labels[where] = label
        numbers[where] = min(number, 255)
    return labels, numbers
