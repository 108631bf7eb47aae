"""Random cases next to other code: the kits' rules once more, and LVIS' federated evaluation.

Both are written here from the published rules, with loops over rows, and share nothing with vockit.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from vockit.evaluate import Detections, DetectionTruth
from vockit.evaluate.coco_ap import OVERLAPS
from vockit.evaluate.curves import Rules
from vockit.evaluate.metrics import detection, ranking
from vockit.format.records import VocBox, VocObject
from vockit.format.write import format_annotation

from .small_tree import make_image, score, write

Xyxy = tuple[int, int, int, int]
CASES = 200
"""Of each task; all of them take about a second."""
IMAGES = 6
ELEVEN = [0.1 * step if step <= 5 else 1 - 0.1 * (10 - step) for step in range(11)]
"""MATLAB makes 0:0.1:1 from both ends."""


class Drawn(NamedTuple):
    """An object of one class; `image` is a number."""

    image: int
    box: Xyxy
    difficult: bool


class Found(NamedTuple):
    """A detection of one class."""

    image: int
    confidence: float
    box: Xyxy


class KitCurve(NamedTuple):
    """What the kit computes of a class."""

    recall: list[float]
    precision: list[float]
    ap: float


def make_box(rng: np.random.Generator) -> Xyxy:
    """A box of few sizes and places, so that overlaps are often equal, or exactly one half."""
    x, y = (int(value) for value in rng.integers(1, 5, 2) * 10)
    width, height = (int(value) for value in rng.choice([10, 20, 30, 40], 2))
    return x, y, x + width - 1, y + height - 1


def make_class(rng: np.random.Generator) -> tuple[list[Drawn], list[Found]]:
    """Objects of which some are difficult, and detections with equal confidences."""
    objects = [
        Drawn(int(rng.integers(IMAGES)), make_box(rng), bool(rng.random() < 0.25))
        for _ in range(rng.integers(1, 9))
    ]
    rows = list[Found]()
    for _ in range(rng.integers(0, 16)):
        near = objects[rng.integers(len(objects))]
        is_near = rng.random() < 0.6
        box = near.box if rng.random() < 0.4 else make_box(rng)
        image = near.image if is_near else int(rng.integers(IMAGES))
        rows.append(Found(image, int(rng.integers(1, 6)) / 5, box))
    return objects, rows


def overlap(first: Xyxy, second: Xyxy) -> float:
    """Intersection over union of pixels; both ends of a side are inside."""
    width = min(first[2], second[2]) - max(first[0], second[0]) + 1
    height = min(first[3], second[3]) - max(first[1], second[1]) + 1
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (first, second)]
    return width * height / (sum(areas) - width * height)


def draw_kit_curve(verdicts: Sequence[int], positives: int, rules: Rules) -> KitCurve:
    """The curve of rows by rank that are right (1), wrong (-1) or neither (0)."""
    recall, precision = list[float](), list[float]()
    right = wrong = 0
    for verdict in verdicts:
        right += verdict == 1
        wrong += verdict == -1
        recall.append(right / positives if positives else np.nan)
        precision.append(right / (right + wrong) if right + wrong else np.nan)
    points = list(zip(recall, precision, strict=True))
    if rules is Rules.VOC2007:
        total = 0.0
        for least in ELEVEN:
            reached = [value for at, value in points if at >= least]
            if reached:  # the maximum of numbers, or NaN where there is none, as in MATLAB
                total += max([value for value in reached if not np.isnan(value)], default=np.nan)
        return KitCurve(recall, precision, total / 11)
    area = last = 0.0
    for at in sorted(set(recall)):
        area += (at - last) * max(
            (value for other, value in points if other >= at and not np.isnan(value)), default=0.0
        )
        last = at
    return KitCurve(recall, precision, area)


def evaluate_detections(objects: Sequence[Drawn], rows: Sequence[Found], rules: Rules) -> KitCurve:
    """VOC's rule: each row has its best object; the first that takes it is right."""
    taken, verdicts = set[int](), list[int]()
    for row in sorted(rows, key=lambda row: -row.confidence):
        near = [
            (overlap(row.box, item.box), -place, item.difficult)
            for place, item in enumerate(objects)
            if item.image == row.image
        ]
        best, place, difficult = max(near, default=(0.0, 0, False))
        if best < 0.5:
            verdicts.append(-1)
        elif difficult:
            verdicts.append(0)
        else:
            verdicts.append(-1 if place in taken else 1)
            taken.add(place)
    return draw_kit_curve(verdicts, sum(not item.difficult for item in objects), rules)


def as_arrays(objects: Sequence[Drawn], rows: Sequence[Found]) -> tuple[DetectionTruth, Detections]:
    """The case as vockit takes it."""
    return (
        DetectionTruth(
            np.array([item.image for item in objects], np.int64),
            np.array([item.box for item in objects], np.float64).reshape(-1, 4),
            np.array([item.difficult for item in objects], np.bool_),
        ),
        Detections(
            np.array([row.image for row in rows], np.int64),
            np.array([row.confidence for row in rows], np.float64),
            np.array([row.box for row in rows], np.float64).reshape(-1, 4),
        ),
    )


@pytest.mark.parametrize("rules", [Rules.VOC2007, Rules.VOC2012])
def test_random_detections_are_scored_as_the_kits_rules_say(rules: Rules) -> None:
    rng = np.random.default_rng(48)
    counted = 0
    for case in range(CASES):
        objects, rows = make_class(rng)
        if all(item.difficult for item in objects):
            continue
        expected = evaluate_detections(objects, rows, rules)
        curve = detection(*as_arrays(objects, rows), rules)
        assert curve.ap == pytest.approx(expected.ap, abs=1e-12, nan_ok=True), case
        np.testing.assert_allclose(curve.recall, expected.recall, err_msg=str(case))
        np.testing.assert_allclose(curve.precision, expected.precision, err_msg=str(case))
        counted += 0 < curve.ap < 1
    assert counted > CASES / 2


@pytest.mark.parametrize("rules", [Rules.VOC2007, Rules.VOC2012])
def test_random_labels_are_ranked_as_the_kits_rules_say(rules: Rules) -> None:
    rng = np.random.default_rng(49)
    for case in range(CASES):
        labels = rng.choice([-1, -1, 0, 1], rng.integers(2, 15))
        labels[0] = 1
        confidences = rng.integers(0, 6, len(labels)) / 5
        confidences[rng.random(len(labels)) < 0.1] = -np.inf  # it has no row
        order = sorted(range(len(labels)), key=lambda place: -confidences[place])
        verdicts = [int(labels[place]) for place in order]
        expected = draw_kit_curve(verdicts, verdicts.count(1), rules)
        assert ranking(labels, confidences, rules).ap == pytest.approx(expected.ap), case


CLASSES = ("cat", "person")
Case = dict[str, tuple[list[Drawn], list[Found]]]


def name_image(number: int) -> str:
    return f"2012_{number + 1:06d}"


def write_case(devkit: Path, made: Case, unasked: dict[str, set[int]] | None = None) -> None:
    """The tree and the results of a case; class lists have no line of what was not asked."""
    root = devkit / "VOC2012"
    for number in range(IMAGES):
        objects = [
            VocObject(name, VocBox(*item.box), "Left", False, False, item.difficult)
            for name, (drawn, _) in made.items()
            for item in drawn
            if item.image == number
        ]
        text = format_annotation(make_image(name_image(number), *objects), may_be_empty=True)
        write(root / f"Annotations/{name_image(number)}.xml", text)
    names = [name_image(number) for number in range(IMAGES)]
    write(root / "ImageSets/Main/val.txt", "".join(f"{name}\n" for name in names))
    for name, (drawn, rows) in made.items():
        shown = {item.image: item.difficult for item in sorted(drawn, key=lambda item: -item[2])}
        lines = [
            f"{name_image(number)} {0 if shown.get(number) else 1 if number in shown else -1}\n"
            for number in range(IMAGES)
            if number not in (unasked or {}).get(name, ())
        ]
        write(root / f"ImageSets/Main/{name}_val.txt", "".join(lines))
        text = "".join(
            f"{name_image(row.image)} {row.confidence} {' '.join(map(str, row.box))}\n"
            for row in rows
        )
        write(devkit / f"results/VOC2012/Main/comp3_det_val_{name}.txt", text)


def get_classes(devkit: Path) -> Any:
    return score(devkit)["detection"]["comp3"]["classes"]


def get_coco(devkit: Path, name: str) -> Any:
    """COCO's AP of a class as the command tells it."""
    return score(devkit)["detection"]["comp3"]["ours"]["classes"][name]["coco"]


@pytest.mark.parametrize("seed", range(3))
def test_the_command_scores_random_trees_as_the_kits_rules_say(devkit: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    made: Case = {name: make_class(rng) for name in CLASSES}
    for drawn, rows in made.values():
        drawn.append(Drawn(0, (1, 1, 30, 30), difficult=False))
        rows.append(Found(0, 0.5, (1, 1, 30, 30)))
    write_case(devkit, made)
    scored = get_classes(devkit)
    for name, (drawn, rows) in made.items():
        # the truth is read image by image, the results as they stand in the file
        in_files = sorted(drawn, key=lambda item: item.image)
        expected = evaluate_detections(in_files, rows, Rules.VOC2012)
        assert scored[name]["ap"] == pytest.approx(expected.ap, abs=1e-12)
        np.testing.assert_allclose(scored[name]["recall"], expected.recall)


def evaluate_federated(
    objects: Sequence[Drawn], rows: Sequence[Found], negative: set[int], in_part: set[int]
) -> list[float]:
    """LVIS' AP of one class at each least overlap (Gupta et al., CVPR 2019, section 3).

    Only images that show the class, or of which `negative` says that they do not, are evaluated.
    In an image that is exhaustive `in_part` alone, a detection without an object counts neither
    way. The mean is over precisions at 101 recalls.
    """
    evaluated = negative | {item.image for item in objects}
    by_image = defaultdict[int, list[Found]](list)
    for row in rows:
        if row.image in evaluated:
            by_image[row.image].append(row)
    return [average_at(objects, by_image, in_part, least) for least in OVERLAPS]


def average_at(
    objects: Sequence[Drawn],
    by_image: dict[int, list[Found]],
    in_part: set[int],
    least: float,
) -> float:
    """The AP at one least overlap."""
    judged = list[tuple[float, bool]]()
    for image in sorted(by_image):
        free = [item for item in objects if item.image == image]
        for row in sorted(by_image[image], key=lambda row: -row.confidence):
            near = [item for item in free if overlap(row.box, item.box) >= least]
            if near:  # of equals the last, as COCO's code takes it
                best = max(reversed(near), key=lambda item: overlap(row.box, item.box))
                free.remove(best)
            if near or image not in in_part:
                judged.append((row.confidence, bool(near)))
    judged.sort(key=lambda pair: -pair[0])
    points = list[tuple[float, float]]()
    right = 0
    for place, (_, is_right) in enumerate(judged, start=1):
        right += is_right
        points.append((right / len(objects), right / place))
    recalls = np.linspace(0, 1, 101)
    return float(np.mean([max((p for r, p in points if r >= at), default=0.0) for at in recalls]))


@pytest.mark.parametrize("seed", range(4))
def test_a_release_that_was_asked_in_part_is_scored_as_lvis_does(devkit: Path, seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    made: Case = {}
    unasked = dict[str, set[int]]()
    for name in CLASSES:
        drawn, rows = make_class(rng)
        drawn = [item._replace(difficult=False) for item in drawn] + [
            Drawn(0, make_box(rng), False)
        ]
        rows.append(Found(IMAGES - 1, 0.9, make_box(rng)))
        without = {*range(IMAGES)} - {item.image for item in drawn}
        unasked[name] = {number for number in without if number % 2 or number == IMAGES - 1}
        made[name] = drawn, rows
    write_case(devkit, made, unasked)
    scored = get_classes(devkit)
    left_out = 0
    for name, (drawn, rows) in made.items():
        negative = {*range(IMAGES)} - {item.image for item in drawn} - unasked[name]
        in_files = sorted(drawn, key=lambda item: item.image)
        expected = evaluate_federated(in_files, rows, negative, set())
        coco = get_coco(devkit, name)
        assert coco["ap"] == pytest.approx(np.mean(expected), abs=1e-9)
        assert coco["ap50"] == pytest.approx(expected[0], abs=1e-9)
        left_out += scored[name].get("left_out", 0)
    assert left_out > 0


def test_an_object_of_a_class_that_was_not_asked_counts_for_lvis_and_not_here(
    devkit: Path,
) -> None:
    box = (11, 11, 40, 40)
    drawn = [Drawn(0, box, False), Drawn(1, box, False)]
    rows = [Found(0, 0.9, box), Found(1, 0.8, box), Found(1, 0.7, (50, 50, 60, 60))]
    write_case(devkit, {"cat": (drawn, rows), "person": (drawn, rows)}, {"cat": {1}})
    cat = get_classes(devkit)["cat"]
    assert (cat["npos"], cat["left_out"]) == (1, 2)
    assert get_coco(devkit, "cat")["ap"] == pytest.approx(1.0)
    assert evaluate_federated(drawn, rows, set(), {1}) == pytest.approx([1.0] * len(OVERLAPS))
    assert evaluate_federated(drawn, rows[:1], set(), {1})[0] == pytest.approx(51 / 101)
