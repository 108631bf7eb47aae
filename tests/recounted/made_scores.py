"""Scores of the made tree, computed row by row as the papers write them.

Nothing here calls what evaluates.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .made_tree import (
    CLASSES,
    HEIGHT,
    PARTS,
    UNASKED,
    VOID,
    WIDTH,
    Box,
    Detection,
    Key,
    MadeSet,
    Results,
    Thing,
)
from .test_commands import overlap_of

LEAST_OVERLAP = 0.5
NOWHERE = (0, 0, -1, -1)
Place = tuple[str, int]
"""An object by its image and its place there, from 0."""
Item = TypeVar("Item")


@dataclass(frozen=True)
class Row:
    """A ranked row: right, wrong, or neither; on which object, and how far, boxes lie."""

    image: str
    confidence: float
    is_right: bool | None
    box: Box = NOWHERE
    on: Place | None = None
    overlap: float = 0.0


@dataclass(frozen=True)
class Ranking:
    """Rows by falling confidence, and the images of what is to be found, one for each."""

    rows: Sequence[Row]
    positives: Sequence[str]

    @property
    def ap(self) -> float:
        """The area below the curve of 2012; 0 where nothing is to be found."""
        return measure_area([row.is_right for row in self.rows], len(self.positives))


def measure_area(marks: Iterable[bool | None], positives: float) -> float:
    """The sum over right rows of the best precision from there on, by the positives."""
    counted = np.array([mark for mark in marks if mark is not None], bool)
    if not positives or not counted.any():
        return 0.0
    precision = np.cumsum(counted) / np.arange(1, len(counted) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return float(best[counted].sum() / positives)


def edges(box: Sequence[float]) -> tuple[float, float, float, float]:
    """The edges of a box, both ends of which belong to it."""
    return box[0] - 1, box[1] - 1, box[2], box[3]


def overlap(first: Sequence[float], second: Sequence[float]) -> float:
    return overlap_of(edges(first), edges(second))


def by_confidence(rows: Iterable[Detection]) -> list[Detection]:
    """By falling confidence; equal ones keep their order."""
    return sorted(rows, key=lambda row: -row.confidence)


def list_objects(made: MadeSet, name: str) -> dict[Place, Thing]:
    """The objects of the class in images that were asked about it."""
    asked = {*made.asked(name)}
    return {
        (image, place): thing
        for image, things in made.images.items()
        for place, thing in enumerate(things)
        if thing.name == name and image in asked
    }


def rank_boxes(
    made: MadeSet,
    name: str,
    detections: Sequence[Detection],
    least: float = LEAST_OVERLAP,
    is_out: Callable[[Thing], bool] = lambda thing: False,
) -> Ranking:
    """Each object is found once; what lies on a difficult one, or one that is out, is neither."""
    objects = list_objects(made, name)
    void = {place for place, thing in objects.items() if thing.difficult or is_out(thing)}
    asked = {*made.asked(name)}
    taken = set[Place]()
    rows = []
    for line in by_confidence(line for line in detections if line.image in asked):
        on, most = find_nearest(objects, line)
        is_right: bool | None = on is not None and most >= least and on not in taken
        if on in void and most >= least:
            is_right = None
        elif is_right and on is not None:
            taken.add(on)
        rows.append(
            Row(
                image=line.image,
                confidence=line.confidence,
                is_right=is_right,
                box=line.box,
                on=on,
                overlap=most,
            )
        )
    return Ranking(rows, [image for image, place in objects if (image, place) not in void])


def find_nearest(
    objects: Mapping[Place, Thing], line: Detection | Row
) -> tuple[Place | None, float]:
    """The object of the image that a box overlaps most, and by how much."""
    here = {
        place: overlap(thing.box, line.box)
        for place, thing in objects.items()
        if place[0] == line.image
    }
    best = max(here, key=lambda place: here[place], default=None)
    return best, here[best] if best is not None else 0.0


def rank_images(
    made: MadeSet,
    name: str,
    confidences: Mapping[str, float],
    is_out: Callable[[str], bool] = lambda image: False,
) -> Ranking:
    """The images that were asked; difficult ones, and positives that are out, are neither."""
    labels = {image: made.label(name, image) for image in made.asked(name)}
    for image, label in labels.items():
        if label > 0 and is_out(image):
            labels[image] = 0
    return rank_items(labels, confidences, lambda image: image)


def rank_items(
    labels: Mapping[Item, int], confidences: Mapping[Item, float], image_of: Callable[[Item], str]
) -> Ranking:
    """Items with labels 1, 0 or -1 by falling confidence."""
    rows = [
        Row(image_of(item), confidences[item], None if label == 0 else label > 0)
        for item, label in labels.items()
    ]
    rows.sort(key=lambda row: -row.confidence)
    return Ranking(rows, [image_of(item) for item, label in labels.items() if label > 0])


def rank_actions(made: MadeSet, action: str, confidences: Mapping[Key, float]) -> Ranking:
    return rank_items(made.actions[action], confidences, lambda key: key[0])


def rank_parts(made: MadeSet, method: str) -> dict[str, Ranking]:
    """The parts of layouts by the layouts' confidence; each part is found once."""
    rows: dict[str, list[Row]] = {part: [] for part in PARTS}
    for layout in sorted(made.results[method].layouts, key=lambda layout: -layout.confidence):
        truth = made.persons[layout.person].parts
        for name, is_right in mark_parts(truth, layout.parts):
            rows[name].append(Row(layout.person[0], layout.confidence, is_right))
    positives = {
        part: [
            image
            for (image, _), person in made.persons.items()
            for name, _ in person.parts
            if name == part
        ]
        for part in PARTS
    }
    return {part: Ranking(rows[part], positives[part]) for part in PARTS}


def mark_parts(
    truth: Sequence[tuple[str, Box]], parts: Sequence[tuple[str, Box]]
) -> list[tuple[str, bool]]:
    """Whether each lies by half on the part of its class that it overlaps most, if still free."""
    taken = set[int]()
    marks = []
    for name, box in parts:
        overlaps = {
            place: overlap(other, box) for place, (part, other) in enumerate(truth) if part == name
        }
        best = max(overlaps, key=lambda place: overlaps[place], default=None)
        is_right = best is not None and overlaps[best] >= LEAST_OVERLAP and best not in taken
        if is_right and best is not None:
            taken.add(best)
        marks.append((name, is_right))
    return marks


def rank_whole_layouts(made: MadeSet, method: str) -> Ranking:
    """Layouts that have all parts of the person, right, and none more."""
    rows = []
    for layout in sorted(made.results[method].layouts, key=lambda layout: -layout.confidence):
        truth = made.persons[layout.person].parts
        marks = mark_parts(truth, layout.parts)
        is_same = sorted(name for name, _ in truth) == sorted(name for name, _ in layout.parts)
        is_right = is_same and all(right for _, right in marks)
        rows.append(Row(layout.person[0], layout.confidence, is_right))
    return Ranking(rows, [image for (image, _), person in made.persons.items() if person.parts])


def rank_all(made: MadeSet, task: str, method: str) -> dict[str, Ranking]:
    """The ranking of each class of a task that the method entered."""
    results = made.results[method]
    if task == "detection":
        return {name: rank_boxes(made, name, rows) for name, rows in results.boxes.items()}
    if task == "classification":
        return {name: rank_images(made, name, given) for name, given in results.images.items()}
    if task == "action":
        return {name: rank_actions(made, name, given) for name, given in results.actions.items()}
    return rank_parts(made, method)


def list_resampled(made: MadeSet, task: str) -> list[str]:
    """The images that a task is judged on, in order."""
    if task in ("classification", "detection"):
        return list(made.images)
    return (
        list(made.masks)
        if task == "segmentation"
        else list(dict.fromkeys(image for image, _ in made.persons))
    )


def draw_images(images: int, replicates: int = 1000, seed: int = 0) -> NDArray[np.int64]:
    """By replicate how often each image is drawn, as the report says: seeded."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(images, np.full(images, 1 / images), replicates)


def bootstrap(ranking: Ranking, images: Sequence[str], draws: NDArray[np.int64]) -> list[float]:
    """The AP of each replicate, in which rows and objects of an image come as often as it does."""
    number = {image: place for place, image in enumerate(images)}
    counted = [row for row in ranking.rows if row.is_right is not None]
    of_rows = [number[row.image] for row in counted]
    of_positives = [number[image] for image in ranking.positives]
    marks = np.array([row.is_right for row in counted], bool)
    replicates = []
    for times in draws:
        positives = int(times[of_positives].sum())
        repeated = np.repeat(marks, times[of_rows]) if len(marks) else marks
        replicates.append(measure_area(repeated, positives) if positives else math.nan)
    return replicates


def mean_of_known(values: Iterable[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def bracket_ties(ranking: Ranking) -> tuple[float, float]:
    """The AP where of equal confidences all wrong rows come first, and where all right ones do."""
    aps = []
    for sign in (1, -1):
        rows = sorted(ranking.rows, key=lambda row: (-row.confidence, sign * bool(row.is_right)))
        aps.append(replace(ranking, rows=rows).ap)
    return aps[0], aps[1]


def chance_of_localization(made: MadeSet, name: str) -> float:
    """The share of pairs of objects of which the box of one is right for the other."""
    boxes = [thing.box for thing in list_objects(made, name).values()]
    pairs = [(a, b) for at, a in enumerate(boxes) for b in boxes[at + 1 :]]
    return sum(overlap(a, b) >= LEAST_OVERLAP for a, b in pairs) / len(pairs)


def count_pixels(made: MadeSet, method: str, *, is_painted: bool = False) -> NDArray[np.int64]:
    """By image, label of the truth and label of the result the pixels that are not void.

    Where nobody was asked about a class, pixels of it count neither way.
    """
    size = len(CLASSES) + 1
    counts = np.zeros((len(made.masks), size, size), np.int64)
    for place, (image, truth) in enumerate(made.masks.items()):
        results = made.results[method]
        given = paint_boxes(made, results, image) if is_painted else results.masks[image]
        unasked = CLASSES.index(UNASKED) + 1 if image in made.unasked else VOID
        for true, label in itertools.product(range(size), repeat=2):
            if unasked not in (true, label):
                counts[place, true, label] = np.sum((truth == true) & (given == label))
    return counts


def paint_boxes(made: MadeSet, results: Results, image: str) -> NDArray[np.uint8]:
    """The boxes of all classes as labels, surer ones above; of equals the later class or line.

    Those of a class that nobody was asked about are not painted.
    """
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    rows = [
        (row.confidence, 1 + CLASSES.index(name), row.box)
        for name, detections in results.boxes.items()
        for row in detections
        if row.image == image and image in made.asked(name)
    ]
    for _, label, box in sorted(rows, key=lambda row: row[0]):
        left, top, right, bottom = (max(side, 1) for side in box)
        mask[top - 1 : bottom, left - 1 : right] = label
    return mask


def measure_iou(counts: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """By label the intersection over the union, in percent."""
    hits = np.diag(counts)
    with np.errstate(invalid="ignore"):
        return np.asarray(100 * hits / (counts.sum(0) + counts.sum(1) - hits))
