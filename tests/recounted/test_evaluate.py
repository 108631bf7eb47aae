"""Each score of `vocparty evaluate` is computed again from the annotation files and the results."""

import csv
import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from tests.export.recount import Item
from vocparty import main

from .parties import AwkwardParty
from .test_commands import overlap_of
from .test_report import catch_figures

Json = dict[str, Any]
SET = "trainval"
PAINTED = "comp4 (masks)"
"""Masks that the kit paints from the boxes of detections, where the set has masks."""
SHIFTS_PX = (0, 1, 9)
"""How far the boxes of results are off, in turn."""


def read_objects(tree: Path) -> dict[str, list[Item]]:
    """The objects of each image of the set, from its annotation file."""
    from xml.etree import ElementTree

    names = (tree / "ImageSets/Main" / f"{SET}.txt").read_text().split()
    return {
        name: [
            Item(element)
            for element in ElementTree.parse(tree / f"Annotations/{name}.xml").iter("object")
        ]
        for name in names
    }


def make_results(objects: dict[str, list[Item]]) -> dict[str, dict[str, list[list[float | str]]]]:
    """By task and class the lines of a results file, each with a confidence of its own."""
    classes = sorted({item.name for items in objects.values() for item in items})
    results: dict[str, dict[str, list[list[float | str]]]] = {"cls": {}, "det": {}}
    for label, name in enumerate(classes):
        mixed = [((int(image[-3:]) * 7 + label) % 13, image) for image in objects]
        order = [image for _, image in sorted(mixed)]
        results["cls"][name] = [[image, 1 - at / 50] for at, image in enumerate(order)]
        boxes: list[list[float | str]] = []
        for image, items in objects.items():
            for item in items:
                shift = SHIFTS_PX[len(boxes) % len(SHIFTS_PX)]
                xmin, ymin, xmax, ymax = item.box
                boxes.append([image, 0.99 - len(boxes) / 90, xmin + shift, ymin, xmax, ymax])
        results["det"][name] = boxes
    return results


def write_results(results: dict[str, dict[str, list[list[float | str]]]], folder: Path) -> None:
    """The files as the kit names them."""
    (folder / "Main").mkdir(parents=True)
    for competition, task in {"comp2": "cls", "comp4": "det"}.items():
        for name, lines in results[task].items():
            text = "".join(" ".join(map(str, line)) + "\n" for line in lines)
            (folder / "Main" / f"{competition}_{task}_{SET}_{name}.txt").write_text(text)


def area(hits: Sequence[bool], positives: int) -> float:
    """The average precision of hits and misses in order of confidence, by the rules of 2012."""
    recalls = [0.0]
    precisions = [0.0]
    for at in range(len(hits)):
        right = sum(hits[: at + 1])
        recalls.append(right / positives)
        precisions.append(right / (at + 1))
    best = [max(precisions[at:]) for at in range(len(precisions))]
    steps = zip(pairwise(recalls), best[1:], strict=True)
    return sum((after - before) * height for (before, after), height in steps)


def score_images(objects: dict[str, list[Item]], name: str, lines: Any) -> tuple[float, int]:
    """Average precision and positives; an image with none but difficult objects counts not."""
    of_class = {
        image: [item.flags["difficult"] == "1" for item in items if item.name == name]
        for image, items in objects.items()
    }
    shown = {image: not all(some) for image, some in of_class.items()}
    positives = sum(bool(some) and shown[image] for image, some in of_class.items())
    counted = [line for line in lines if not of_class[line[0]] or shown[line[0]]]
    hits = [bool(of_class[line[0]]) for line in counted]
    return area(hits, positives), positives


def score_boxes(objects: dict[str, list[Item]], name: str, lines: Any) -> tuple[float, int]:
    """Average precision and positives; each object is hit once, difficult ones count not."""
    hits = []
    taken = set()
    positives = sum(
        item.name == name and item.flags["difficult"] != "1"
        for items in objects.values()
        for item in items
    )
    for image, _, *box in lines:
        there = [(at, item) for at, item in enumerate(objects[image]) if item.name == name]
        best = max(
            there, key=lambda pair: overlap_of(edges_of(pair[1].box), edges_of(box)), default=None
        )
        is_near = best and overlap_of(edges_of(best[1].box), edges_of(box)) >= 0.5
        if best and is_near and best[1].flags["difficult"] == "1":
            continue
        hits.append(bool(best and is_near and (image, best[0]) not in taken))
        if best and hits[-1]:
            taken.add((image, best[0]))
    return area(hits, positives), positives


def edges_of(box: Sequence[float]) -> tuple[float, float, float, float]:
    """The edges of a box in VOC's pixels, both ends of which belong to it."""
    return box[0] - 1, box[1] - 1, box[2], box[3]


def test_the_scores_of_a_release_are_computed_again(
    awkward: AwkwardParty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree,) = (awkward.release.folder / "VOCdevkit").iterdir()
    objects = read_objects(tree)
    results = make_results(objects)
    write_results(results, tmp_path / "results")
    words = [str(tree), "--set", SET, "--rules", "2012", "--results", str(tmp_path / "results")]
    catch_figures(monkeypatch, {})
    done = CliRunner().invoke(
        main, ["evaluate", *words, "--json", "--report", str(tmp_path / "report")]
    )
    assert done.exit_code == 0, done.output
    tasks = json.loads(done.stdout)["tasks"]
    means = {}
    for task, competition, key, score in (
        ("classification", "comp2", "cls", score_images),
        ("detection", "comp4", "det", score_boxes),
    ):
        classes = tasks[task][competition]["classes"]
        scores = {name: score(objects, name, lines) for name, lines in results[key].items()}
        assert {name: line["npos"] for name, line in classes.items()} == {
            name: positives for name, (_, positives) in scores.items()
        }
        for name, (precision, _) in scores.items():
            assert classes[name]["ap"] == pytest.approx(precision)
        means[f"{competition} ({task})"] = [
            sum(precision for precision, _ in scores.values()) / len(scores),
            len(scores),
        ]
    assert_report(tmp_path / "report", means)


def assert_report(folder: Path, means: dict[str, list[float]]) -> None:
    """The first page and its table have these means over so many classes, by competition."""
    with (folder / "tables" / "summary.csv").open(newline="") as file:
        heads, row = csv.reader(file)
    page = (folder / "index.html").read_text()
    for head, cell in zip(heads[1:], row[1:], strict=True):
        name, _, classes = head.rpartition(", ")
        if name == PAINTED:
            continue
        mean, count = means[name]
        assert float(cell) == pytest.approx(mean)
        assert classes == ("1 class" if count == 1 else f"{count} classes")
        assert re.search(rf"<td[^>]*>{100 * mean:.1f}</td>", page)
    assert {head.rpartition(", ")[0] for head in heads[1:]} - {PAINTED} == {*means}


def read_mask(path: Path) -> Any:
    """The labels of the pixels; 255 is void."""
    with Image.open(path) as image:
        return np.asarray(image).astype(int)


def test_the_accuracies_of_masks_are_computed_again(awkward: AwkwardParty, tmp_path: Path) -> None:
    (tree,) = (awkward.release.folder / "VOCdevkit").iterdir()
    listed = tree / f"ImageSets/Segmentation/{SET}.txt"
    if not listed.exists():
        assert not (tree / "SegmentationClass").exists()
        return
    masks = tmp_path / "results" / "Segmentation" / f"comp6_{SET}_cls"
    masks.mkdir(parents=True)
    hits = Counter[int]()
    either = Counter[int]()
    for name in listed.read_text().split():
        truth = read_mask(tree / f"SegmentationClass/{name}.png")
        given = np.roll(np.where(truth == 255, 0, truth), 1, axis=1)
        Image.fromarray(given.astype(np.uint8)).save(masks / f"{name}.png")
        pairs = Counter(zip(truth.ravel().tolist(), given.ravel().tolist(), strict=True))
        for (real, label), pixels in pairs.items():
            if real != 255:
                hits[real] += pixels * (real == label)
                either.update(dict.fromkeys({real, label}, pixels))
    words = [str(tree), "--set", SET, "--results", str(tmp_path / "results"), "--json"]
    done = CliRunner().invoke(main, ["evaluate", *words])
    assert done.exit_code == 0, done.output
    scores = json.loads(done.stdout)["tasks"]["segmentation"]["comp6"]
    names = list(scores["classes"])
    expected = {names[label]: 100 * hits[label] / either[label] for label in either}
    entered = {name: line for name, line in scores["classes"].items() if line["entered"]}
    assert {name: line["iou_percent"] for name, line in entered.items()} == pytest.approx(expected)
    assert scores["mean_entered"] == pytest.approx(sum(expected.values()) / len(expected))
    for label in either:
        assert scores["confusion"][label][label] == hits[label]
