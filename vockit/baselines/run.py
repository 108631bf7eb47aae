"""All baselines of a release: each learns from one set and writes results for another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vockit.errors import UserError
from vockit.evaluate.curves import Rules
from vockit.evaluate.entry import Person
from vockit.evaluate.metrics import Labels
from vockit.evaluate.results import COMPETITIONS
from vockit.evaluate.truth import Truth
from vockit.evaluate.writing import ResultsWriter
from vockit.format import tree
from vockit.format.records import VocObject
from vockit.kit import Release, ReleaseImage

from .detector import train_detector
from .features import crop, describe, fit_score
from .layouts import lay_out, learn_layout, scatter
from .painting import paint

BASELINE = "baseline"
WHOLE_IMAGE = "whole-image"
MEAN_BOX = "mean-box"
CHANCE = "chance"
METHODS = (BASELINE, WHOLE_IMAGE, MEAN_BOX, CHANCE)
"""The folder of each method's results."""
_LEAST_CONFIDENCE = -1.0
_BODY_MARGIN = 0.25
_MOST_PAINTED = 5
Found = tuple[str, float, NDArray[np.float64]]
"""A class, a confidence and a box."""


@dataclass(frozen=True)
class Run:
    """A release, the set to learn from, the set to answer for, and where results go.

    Masks take most of the time; without `has_masks` none are made.
    """

    release: Release
    train_set: str
    image_set: str
    out: Path
    tell: Callable[[str], object] = print
    has_masks: bool = True

    @cached_property
    def train(self) -> list[ReleaseImage]:
        """The annotated images to learn from."""
        images = list(self.release.images(self.train_set))
        return [image for image in images if image.truth.is_annotated(image.image_id)]

    @cached_property
    def images(self) -> list[ReleaseImage]:
        """The images to answer for."""
        return list(self.release.images(self.image_set))

    @cached_property
    def ids(self) -> list[str]:
        """Their ids."""
        return [image.image_id for image in self.images]

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes of which there is an object to learn from."""
        return tuple(
            name
            for name in self.release.classes(self.train_set)
            if any(item.name == name for image in self.list_asked(name) for item in image.objects)
        )

    def list_asked(self, name: str) -> list[ReleaseImage]:
        """The images to learn a class from: those that were asked about it."""
        truth = self.release.truth(self.train_set)
        numbers = np.array([truth.images[image.image_id] for image in self.train], np.int64)
        was_asked = truth.was_asked(name, numbers).tolist()
        return [image for image, asked in zip(self.train, was_asked, strict=True) if asked]

    def writer(self, method: str) -> ResultsWriter:
        """The writer of a method's results."""
        return self.release.write_results(self.out / method, self.image_set)


def run_baselines(run: Run) -> list[str]:
    """Write the results of every method for each task that the release has; their names.

    Raises UserError where there is nothing to learn from.
    """
    cv2.setNumThreads(1)  # more threads would change sums, and with them results
    if not run.train or not run.images:
        name = run.train_set if not run.train else run.image_set
        raise UserError(f"{run.release.name} has no annotated image in the set {name}.")
    run.tell("classification: histograms of colours and gradients")
    confidences = _classify(run)
    _answer_boxes_of_images(run, confidences)
    run.tell("detection: windows of gradients, with hard negatives")
    detections = _detect(run)
    if run.has_masks and run.release.truth(run.image_set).has_set(tree.SEGMENTATION):
        run.tell("segmentation: boxes cut out by GrabCut")
        _segment(run, detections)
    _answer_layouts(run)
    _answer_actions(run)
    return [name for name in METHODS if (run.out / name / "Main").is_dir()]


def _classify(run: Run) -> dict[str, NDArray[np.float64]]:
    """The confidence of each image by class, which are written, as are those of chance."""
    features = np.array([describe(image.pixels) for image in run.train])
    rows = np.array([describe(image.pixels) for image in run.images])
    rng = np.random.default_rng(0)
    confidences = {}
    for name in run.classes:
        labels_of = run.release.labels(name, run.train_set)
        labels = np.array([labels_of.get(image.image_id, 0) for image in run.train])
        kept = labels != 0
        confidences[name] = fit_score(features[kept], labels[kept])(rows)
        competition = COMPETITIONS["classification"][0]
        run.writer(BASELINE).classification(competition, name, run.ids, confidences[name])
        drawn = rng.random(len(run.ids))
        run.writer(CHANCE).classification(competition, name, run.ids, drawn)
    return confidences


def _answer_boxes_of_images(run: Run, confidences: dict[str, NDArray[np.float64]]) -> None:
    """VOC2005's two baselines: one box for each image, with the confidence of its class.

    The box is the whole image, or the mean box of the class. Chance draws a box of the set to
    learn from.
    """
    competition = COMPETITIONS["detection"][0]
    sizes = np.array([image.size_wh for image in run.images], np.float64)
    sizes = np.hstack([sizes, sizes])
    whole = np.hstack([np.ones((len(sizes), 2)), sizes[:, 2:]])
    rng = np.random.default_rng(1)
    for name, numbers in confidences.items():
        shares = _list_shares(run.list_asked(name), name)
        boxes = {
            WHOLE_IMAGE: whole,
            MEAN_BOX: shares.mean(axis=0) * sizes,
            CHANCE: shares[rng.integers(len(shares), size=len(sizes))] * sizes,
        }
        for method, answers in boxes.items():
            given = rng.random(len(numbers)) if method == CHANCE else numbers
            answers = np.maximum(answers, 1)
            run.writer(method).detection(competition, name, run.ids, given, answers)


def _list_shares(images: Sequence[ReleaseImage], name: str) -> NDArray[np.float64]:
    """The boxes of a class as shares of their images' sides."""
    shares = [
        np.array(_sides(item)) / [*image.size_wh, *image.size_wh]
        for image in images
        for item in image.objects
        if item.name == name
    ]
    return np.array(shares)


def _sides(item: VocObject) -> tuple[float, float, float, float]:
    return item.box.xmin, item.box.ymin, item.box.xmax, item.box.ymax


def _detect(run: Run) -> dict[str, list[Found]]:
    """What is found by image; it is written, too."""
    detections_of: dict[str, list[Found]] = {image_id: [] for image_id in run.ids}
    for name in run.classes:
        run.tell(f"  {name}")
        detector = train_detector(run.list_asked(name), name)
        if detector is None:
            continue
        rows: list[tuple[str, float, NDArray[np.float64]]] = []
        for image in run.images:
            boxes, confidences = detector.find(image.pixels, _LEAST_CONFIDENCE)
            for box, confidence in zip(boxes, confidences.tolist(), strict=True):
                rows.append((image.image_id, confidence, box))
                detections_of[image.image_id].append((name, confidence, box))
        ids = [image_id for image_id, _, _ in rows]
        numbers = [confidence for _, confidence, _ in rows]
        boxes = np.array([box for _, _, box in rows], np.float64).reshape(-1, 4)
        competition = COMPETITIONS["detection"][0]
        run.writer(BASELINE).detection(competition, name, ids, numbers, boxes)
    return detections_of


def _segment(run: Run, detections_of: dict[str, list[Found]]) -> None:
    """Masks of the best detections; chance paints random boxes."""
    competition = COMPETITIONS["segmentation"][0]
    numbers = {name: label for label, name in enumerate(run.release.classes(run.image_set), 1)}
    writer = run.writer(BASELINE)
    chance = run.writer(CHANCE)
    rng = np.random.default_rng(2)
    for image in run.release.images(run.image_set, "Segmentation"):
        pixels = image.pixels
        best = _choose_best(detections_of.get(image.image_id, []))
        boxes = np.array([box for _, _, box in best]).reshape(-1, 4)
        labels = [numbers[name] for name, _, _ in best]
        writer.segmentation(competition, image.image_id, paint(pixels, labels, boxes))
        drawn = _draw_box(rng, image.size_wh, numbers[str(rng.choice(run.classes))])
        chance.segmentation(competition, image.image_id, drawn)


def _choose_best(detections: list[Found]) -> list[Found]:
    """The few most confident ones over 0, else the most confident one; the best comes last."""
    best = sorted(detections, key=lambda row: row[1])[-_MOST_PAINTED:]
    return [row for row in best if row[1] > 0] or best[-1:]


def _draw_box(rng: np.random.Generator, size_wh: tuple[int, int], label: int) -> Labels:
    """A mask with one random box of a label."""
    mask = np.zeros(size_wh[::-1], np.uint8)
    top, bottom = sorted(rng.integers(0, size_wh[1] + 1, 2).tolist())
    left, right = sorted(rng.integers(0, size_wh[0] + 1, 2).tolist())
    mask[top:bottom, left:right] = label
    return mask


def _answer_layouts(run: Run) -> None:
    """The mean layout in the box of each person, where layouts since 2008 are asked for."""
    learned, asked = (
        _list_persons(run.release.truth(name)) for name in (run.train_set, run.image_set)
    )
    layout = learn_layout(_find_person(run, run.train_set, key)[1] for key in learned)
    if not layout or not asked:
        return
    run.tell("layout: the mean layout in the person's box")
    results = [lay_out(_find_person(run, run.image_set, key)[1], key, layout) for key in asked]
    competition = COMPETITIONS["layout"][0]
    run.writer(BASELINE).layout(competition, results)
    rng = np.random.default_rng(4)
    guesses = [
        lay_out(_find_person(run, run.image_set, key)[1], key, scatter(rng, layout))
        for key in asked
    ]
    run.writer(CHANCE).layout(competition, guesses)


def _list_persons(truth: Truth) -> list[Person]:
    """The persons whose parts are asked for and whose boxes are there."""
    if truth.rules is Rules.VOC2007 or not truth.has_set(tree.LAYOUT):
        return []
    given = truth.given_persons
    return sorted(key for key in truth.layout_persons if key in given or truth.is_annotated(key[0]))


def _find_person(run: Run, image_set: str, key: Person) -> tuple[ReleaseImage, VocObject]:
    """A listed person with its image; of a blind set the box alone is known."""
    return run.release.person(key, image_set)


def _answer_actions(run: Run) -> None:
    """Histograms in the box of each person."""
    names = run.release.actions(run.train_set)
    asked = run.release.actions(run.image_set)
    known = [name for name in names if name in asked]
    if not known:
        return
    run.tell("action: histograms in the person's box")
    learned_keys = list(run.release.action_labels(known[0], run.train_set))
    keys = list(run.release.truth(run.image_set).action_items(known[0])[0])
    if not learned_keys or not keys:
        return
    features, rows = (
        np.array([_describe_person(run, name, key) for key in some])
        for name, some in ((run.train_set, learned_keys), (run.image_set, keys))
    )
    rng = np.random.default_rng(3)
    competition = COMPETITIONS["action"][0]
    for name in known:
        labels_of = run.release.action_labels(name, run.train_set)
        labels = np.array([labels_of[key] for key in learned_keys])
        confidences = fit_score(features, labels)(rows)
        run.writer(BASELINE).action(competition, name, keys, confidences)
        run.writer(CHANCE).action(competition, name, keys, rng.random(len(keys)))


def _describe_person(run: Run, image_set: str, key: Person) -> NDArray[np.float32]:
    image, person = _find_person(run, image_set, key)
    return describe(crop(image.pixels, _sides(person), _BODY_MARGIN))
