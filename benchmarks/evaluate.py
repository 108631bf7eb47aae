"""Seconds of an evaluation on a tree of VOC2007's test size, next to what its peers take.

    python -m benchmarks.evaluate --folder DIR --rows 200000

Makes DIR with 4,952 images, 20 classes and ten methods of that many detections, and masks for 1,449
images. Peers are a plain loop and, as whole processes of the Python that --peers names, hotcoco,
faster-coco-eval and pycocotools.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import click
import numpy as np
from PIL import Image

from vockit.evaluate.comparing import compare_methods
from vockit.evaluate.curves import Floats, Ints, Rules
from vockit.evaluate.entry import Selection
from vockit.evaluate.label_images import read_labels
from vockit.evaluate.metrics import Detections, DetectionTruth, detection
from vockit.evaluate.report import ReportOptions, write_report
from vockit.evaluate.scores import Scores
from vockit.evaluate.scoring import score
from vockit.evaluate.truth import Truth, open_truth
from vockit.format.read import read_annotation
from vockit.format.records import VocBox, VocImage, VocObject, VocSize, VocSource
from vockit.format.tree import VOC_CLASSES
from vockit.format.write import format_annotation

IMAGES = 4952
OBJECTS = 12_032
SEGMENTED = 1449
WIDTH = 500
HEIGHT = 375
LAUNCHER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
"""
"""Seconds and MB of a command, of which the memory of this program is no part."""
PEERS = (
    ("hotcoco", "hotcoco", "hotcoco", "COCOeval"),
    ("faster-coco-eval", "faster_coco_eval", "faster_coco_eval", "COCOeval_faster"),
    ("pycocotools", "pycocotools.coco", "pycocotools.cocoeval", "COCOeval"),
)
"""The package, the modules of its COCO and of its evaluation, and the name of that."""
PEER_CODE = """
import sys
from importlib import import_module
import numpy as np
truths = import_module(sys.argv[1]).COCO(sys.argv[4])
evaluate = getattr(import_module(sys.argv[2]), sys.argv[3])
evaluation = evaluate(truths, truths.loadRes(sys.argv[5]), "bbox")
evaluation.params.iouThrs = np.array([0.5])
evaluation.params.areaRng = [[0, 1e10]]
evaluation.params.areaRngLbl = ["all"]
evaluation.params.maxDets = [100]
evaluation.evaluate()
evaluation.accumulate()
"""
"""One overlap, all areas, as VOC has it."""


@click.command(help=__doc__)
@click.option("--folder", type=click.Path(path_type=Path), required=True)
@click.option("--rows", default=200_000, show_default=True)
@click.option("--methods", default=10, show_default=True, help="0: detections alone.")
@click.option("--peers", help="A Python with hotcoco, faster-coco-eval, pycocotools installed.")
@click.option("--runs", default=3, show_default=True, help="Of each whole process, in turn.")
def main(folder: Path, rows: int, methods: int, peers: str | None, runs: int) -> None:
    """Make the tree, measure, print a line for each figure."""
    tree = folder / "VOC2007"
    if not tree.is_dir():
        write_tree(tree)
    truth = open_truth(tree, "test", Rules.VOC2012)
    _tell("read the truth", lambda: truth.items)
    _tell("read it with every remark", lambda: read_carefully(tree))
    results = [folder / f"method{number}-{rows}" for number in range(max(1, methods))]
    for number, place in enumerate(results):
        if not place.is_dir():
            write_detections(place, truth, rows, seed=number)
    only = Selection(competitions=["comp3"])
    scored = _tell(f"{rows:,} detections from text", lambda: score(truth, results[0], only))
    arrays = make_arrays(truth, scored)
    aps = _tell("from arrays", lambda: [detection(*pair).ap for pair in arrays])
    plain = _tell("plain loop", lambda: [loop_plainly(*pair) for pair in arrays])
    assert np.allclose(aps, plain)  # by area, as the loop is
    commands = {"vocparty": _list_words(tree, results[0])}
    if peers:
        known, given = write_coco(truth, scored, folder / f"coco-{rows}")
        commands |= _list_peers(peers, known, given)
    measure_processes(commands, runs)
    if not methods:
        _tell_memory()
        return
    everything = {result.name: score(truth, result, only) for result in results}
    _tell(f"bootstrap of {methods} methods", lambda: compare_methods(truth, everything))
    options = ReportOptions(folder / "report")
    _tell(f"report of {methods} methods", lambda: write_report(truth, everything, options))
    measure_segmentation(folder)
    _tell_memory()


def _tell_memory() -> None:
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def _tell(what: str, work: Callable[[], Any]) -> Any:
    began = perf_counter()
    worked = process_time()
    done = work()
    clock = perf_counter() - began
    processor = process_time() - worked
    print(f"{what}: {clock:.2f} s by the clock, {processor:.2f} of the processor", flush=True)
    return done


def read_carefully(tree: Path) -> None:
    """Read all annotations as commands do that tell what is wrong with them."""
    for path in sorted((tree / "Annotations").iterdir()):
        read_annotation(path.read_bytes())


def _list_words(tree: Path, results: Path) -> list[str]:
    """The command that scores the results, as a process of its own."""
    code = "from vockit.command import main; main()"
    options = ["--set", "test", "--rules", "2012"]
    return [sys.executable, "-c", code, "evaluate", str(tree), "--results", str(results), *options]


def _list_peers(python: str, known: Path, given: Path) -> dict[str, list[str]]:
    """The same of each peer that this Python has."""
    commands: dict[str, list[str]] = {}
    for name, *modules in PEERS:
        probe = [python, "-c", f"import {modules[0]}"]
        if subprocess.run(probe, capture_output=True).returncode:
            print(f"{name}: not installed")
        else:
            commands[name] = [python, "-c", PEER_CODE, *modules, str(known), str(given)]
    return commands


def measure_processes(commands: Mapping[str, list[str]], runs: int) -> None:
    """Tell the median processor time and memory of whole processes, with imports and reading."""
    spent: dict[str, list[list[float]]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, words in commands.items():
            launched = [sys.executable, "-c", LAUNCHER, *words]
            done = subprocess.run(launched, check=True, capture_output=True, text=True)
            spent[name].append(list(map(float, done.stdout.split())))
    for name, usages in spent.items():
        seconds, megabytes = (median(column) for column in zip(*usages, strict=True))
        print(f"whole process of {name}: {seconds:.2f} s of the processor, {megabytes:.0f} MB")


def loop_plainly(truth: DetectionTruth, detections: Detections) -> float:
    """The area AP of one class, row by row, as the kit does it."""
    objects: dict[int, list[int]] = {}
    for place, image in enumerate(truth.images.tolist()):
        objects.setdefault(image, []).append(place)
    boxes = truth.boxes.tolist()
    rows = detections.boxes.tolist()
    taken = set[int]()
    wrong = 0
    precisions: list[float] = []
    for row in np.argsort(-detections.confidences, kind="stable").tolist():
        places = objects.get(int(detections.images[row]), ())
        overlaps = {place: overlap_plainly(boxes[place], rows[row]) for place in places}
        best = max(overlaps, key=overlaps.__getitem__, default=-1)
        is_near = overlaps.get(best, -1.0) >= 0.5
        if is_near and truth.difficult[best]:
            continue
        if is_near and best not in taken:
            taken.add(best)
            precisions.append(len(taken) / (len(taken) + wrong))
        else:
            wrong += 1
    return sum_highest(precisions) / int((~truth.difficult).sum())


def overlap_plainly(box: list[float], other: list[float]) -> float:
    """Intersection over union of two boxes with inclusive ends; -1 where they do not meet."""
    wide = min(box[2], other[2]) - max(box[0], other[0]) + 1
    high = min(box[3], other[3]) - max(box[1], other[1]) + 1
    if wide <= 0 or high <= 0:
        return -1.0
    areas = [(xmax - xmin + 1) * (ymax - ymin + 1) for xmin, ymin, xmax, ymax in (box, other)]
    return wide * high / (sum(areas) - wide * high)


def sum_highest(precisions: list[float]) -> float:
    """The sum of the highest precision at each recall or after it."""
    total = 0.0
    highest = 0.0
    for precision in reversed(precisions):
        highest = max(highest, precision)
        total += highest
    return total


def write_tree(tree: Path) -> None:
    """Annotations and sets with the numbers of VOC2007's test set."""
    rng = np.random.default_rng(0)
    owners = np.sort(np.concatenate([np.arange(IMAGES), rng.integers(0, IMAGES, OBJECTS - IMAGES)]))
    kinds = rng.integers(0, 20, OBJECTS)
    boxes = draw_boxes(rng, OBJECTS)
    hard = rng.random(OBJECTS) < 0.1
    for folder in ("Annotations", "ImageSets/Main"):
        (tree / folder).mkdir(parents=True)
    labels = np.full((20, IMAGES), -1)
    for image in range(IMAGES):
        objects = []
        for place in range(*np.searchsorted(owners, [image, image + 1])):
            box = VocBox(*map(int, boxes[place]))
            is_hard = bool(hard[place])
            kind = kinds[place]
            objects.append(VocObject(VOC_CLASSES[kind], box, "Left", False, None, is_hard))
            labels[kind, image] = max(labels[kind, image], 0 if is_hard else 1)
        name = f"{image + 1:06d}"
        source = VocSource("Bench", "Bench", "flickr")
        size = VocSize(WIDTH, HEIGHT, 3)
        annotation = VocImage(
            f"{name}.jpg", tuple(objects), "VOC2007", source, size=size, segmented=False
        )
        (tree / "Annotations" / f"{name}.xml").write_text(format_annotation(annotation))
    ids = [f"{number:06d}" for number in range(1, IMAGES + 1)]
    (tree / "ImageSets/Main/test.txt").write_text("".join(f"{image_id}\n" for image_id in ids))
    for kind, name in enumerate(VOC_CLASSES):
        lines = (
            f"{image_id} {label:2d}\n" for image_id, label in zip(ids, labels[kind], strict=True)
        )
        (tree / "ImageSets/Main" / f"{name}_test.txt").write_text("".join(lines))


def draw_boxes(rng: np.random.Generator, count: int) -> Ints:
    """Boxes inside of the image, from 10 pixels on a side."""
    left = rng.integers(1, WIDTH - 60, count)
    top = rng.integers(1, HEIGHT - 60, count)
    right = np.minimum(left + rng.integers(10, 300, count), WIDTH)
    bottom = np.minimum(top + rng.integers(10, 250, count), HEIGHT)
    return np.stack([left, top, right, bottom], axis=1)


def write_detections(folder: Path, truth: Truth, rows: int, *, seed: int) -> None:
    """Results, some near objects: the higher the confidence, the more of them."""
    rng = np.random.default_rng(seed)
    ids = list(truth.images)
    (folder / "Main").mkdir(parents=True)
    for name in VOC_CLASSES:
        objects = truth.objects(name)
        count = rows // 20
        images = rng.integers(0, IMAGES, count)
        boxes = draw_boxes(rng, count).astype(float)
        near = min(len(objects.images), count)
        images[:near] = objects.images[:near]
        boxes[:near] = objects.boxes[:near] + rng.normal(0, 4 + seed, (near, 4))
        confidences = rng.random(count) * np.where(np.arange(count) < near, 1, 0.8)
        lines = (
            f"{ids[image]} {confidence:.6f} {' '.join(f'{side:.1f}' for side in box)}\n"
            for image, confidence, box in zip(images, confidences, boxes, strict=True)
        )
        (folder / "Main" / f"comp3_det_test_{name}.txt").write_text("".join(lines))


def make_arrays(truth: Truth, scored: Scores) -> list[tuple[DetectionTruth, Detections]]:
    """The same truth and detections as arrays, class by class."""
    classes = scored.tasks["detection"]["comp3"]
    return [(truth.objects(name), score.evidence.detections) for name, score in classes.items()]  # type: ignore[union-attr]


def write_coco(truth: Truth, scored: Scores, folder: Path) -> tuple[Path, Path]:
    """The objects and the detections as COCO's JSON, for its evaluators."""
    known = folder / "known.json"
    given = folder / "given.json"
    if given.is_file():
        return known, given
    folder.mkdir()
    boxes: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for kind, (objects, detections) in enumerate(make_arrays(truth, scored), 1):
        crowds = np.zeros(len(objects.boxes))
        boxes += _as_coco(kind, objects.images, objects.boxes, "iscrowd", crowds)
        scores = detections.confidences
        rows += _as_coco(kind, detections.images, detections.boxes, "score", scores)
    boxes = [box | {"id": number} for number, box in enumerate(boxes, 1)]
    images = [{"id": number, "width": WIDTH, "height": HEIGHT} for number in range(IMAGES)]
    kinds = [{"id": kind, "name": name} for kind, name in enumerate(VOC_CLASSES, 1)]
    document = {"images": images, "annotations": boxes, "categories": kinds}
    known.write_text(json.dumps(document))
    given.write_text(json.dumps(rows))
    return known, given


def _as_coco(kind: int, images: Ints, boxes: Floats, word: str, values: Floats) -> list[Any]:
    wide = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2] + 1], axis=1)
    return [
        {"image_id": image, "category_id": kind, "bbox": box, "area": box[2] * box[3], word: value}
        for image, box, value in zip(images.tolist(), wide.tolist(), values.tolist(), strict=True)
    ]


def measure_segmentation(folder: Path) -> None:
    """Scoring masks next to decoding them alone."""
    tree = folder / "VOC2012"
    results = folder / "masks"
    given = results / "Segmentation" / "comp5_val_cls"
    if not tree.is_dir():
        rng = np.random.default_rng(0)
        ids = [f"2008_{number:06d}" for number in range(SEGMENTED)]
        for place in (tree / "SegmentationClass", given, tree / "ImageSets" / "Segmentation"):
            place.mkdir(parents=True)
        for image_id in ids:
            labels = np.zeros((HEIGHT, WIDTH), np.uint8)
            for box in draw_boxes(rng, 4):
                labels[box[1] : box[3], box[0] : box[2]] = rng.integers(1, 21)
            Image.fromarray(labels).save(tree / "SegmentationClass" / f"{image_id}.png")
            Image.fromarray(np.roll(labels, 9, axis=1)).save(given / f"{image_id}.png")
        (tree / "ImageSets/Segmentation/val.txt").write_text(
            "".join(f"{image_id}\n" for image_id in ids)
        )
    truth = open_truth(tree, "val")
    paths = [*sorted((tree / "SegmentationClass").iterdir()), *sorted(given.iterdir())]
    with ThreadPoolExecutor(2) as threads:  # as many as score has
        _tell(f"decode {len(paths):,} masks", lambda: list(threads.map(read_labels, paths)))
    _tell("segmentation", lambda: score(truth, results))


if __name__ == "__main__":
    main()
