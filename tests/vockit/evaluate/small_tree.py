"""A small tree with results, and what the tests of its evaluation share."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from hypothesis import strategies as st
from PIL import Image

import vockit.evaluate
from vockit.evaluate import Detections, DetectionTruth
from vockit.evaluate.curves import draw_curve
from vockit.evaluate.metrics import judge, pair
from vockit.evaluate.scores import Boxes, ClassScore
from vockit.format.records import VocBox, VocImage, VocObject, VocPart, VocSize, VocSource
from vocparty import main

IDS = ("2012_000001", "2012_000002", "2012_000003")
CAT = VocObject("cat", VocBox(10, 10, 60, 60), "Left", False, False, False)
PART = VocPart("head", VocBox(5, 5, 20, 20))
PERSON = VocObject("person", VocBox(1, 1, 50, 80), "Frontal", False, False, False, (PART,))


def make_image(image_id: str, *objects: VocObject) -> VocImage:
    source = VocSource("The Test Database", "Test", "flickr")
    size = VocSize(100, 80, 3)
    return VocImage(f"{image_id}.jpg", objects, "VOC2012", source, size=size, segmented=True)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_mask(path: Path, label: int, border: int = 255, width_px: int = 100) -> None:
    labels = np.zeros((80, width_px), np.uint8)
    labels[20:60, 20:60] = label
    labels[20:60, 60:62] = border
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(labels).save(path)


def write_masks(devkit: Path, *labels: int) -> Path:
    """A result folder with masks of these labels for the first images."""
    folder = devkit / "results" / "VOC2012" / "Segmentation" / "comp5_val_cls"
    for image_id, label in zip(IDS, labels, strict=False):
        write_mask(folder / f"{image_id}.png", label, border=0)
    return folder


def write_result(devkit: Path, name: str, text: str) -> None:
    write(devkit / "results" / "VOC2012" / name, text)


def run(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["evaluate", *words])
    assert done.exit_code == status, done.output
    assert isinstance(done.exception, SystemExit | None), done.exception
    return done.output


def score(devkit: Path) -> Any:
    return json.loads(run(str(devkit / "VOC2012"), "--json"))["tasks"]


ROW = f"{IDS[0]} 0.9 10 10 60 60"
BOX = "<bndbox><xmin>5</xmin><ymin>5</ymin><xmax>20</xmax><ymax>20</ymax></bndbox>"
HEAD = f"<part><class>head</class>{BOX}</part>"


def write_layout(devkit: Path, text: str) -> None:
    write_result(devkit, "Layout/comp7_layout_val.xml", text)


CAT_BOX = "10 10 60 60"


def write_person(image_id: str, number: int, confidence: float, parts: str) -> str:
    start = f"<layout><image>{image_id}</image><object>{number}</object>"
    return f"{start}<confidence>{confidence}</confidence>{parts}</layout>"


Box = tuple[float, float, float, float]
images = st.integers(0, 2)


def make_truth(*objects: tuple[int, tuple[int, int, int, int]]) -> DetectionTruth:
    boxes = np.array([box for _, box in objects], np.float64).reshape(-1, 4)
    images = np.array([image for image, _ in objects], np.int64)
    return DetectionTruth(images, boxes, np.zeros(len(objects), np.bool_))


def score_class(truth: DetectionTruth, *rows: tuple[int, tuple[int, int, int, int]]) -> ClassScore:
    """Rows by falling confidence."""
    boxes = np.array([box for _, box in rows], np.float64).reshape(-1, 4)
    images = np.array([image for image, _ in rows], np.int64)
    detections = Detections(images, np.linspace(0.9, 0.1, len(rows)), boxes)
    evidence = Boxes(truth, detections, pair(truth, detections))
    judged = judge(truth, evidence.pairing)
    return ClassScore(draw_curve(judged, vockit.evaluate.Rules.VOC2012), judged, evidence)


HERE = (1, 1, 100, 100)
NEAR = (1, 1, 100, 30)
FAR = (300, 300, 399, 399)


def write_methods(devkit: Path) -> list[str]:
    """Three methods with classification and detection of both classes."""
    for number, name in enumerate(("good", "fair", "bad")):
        for kind in ("cat", "person"):
            rows = [
                f"{image_id} {(place * (number + 1)) % 3 / 3}" for place, image_id in enumerate(IDS)
            ]
            main = devkit / name / "Main"
            write(main / f"comp1_cls_val_{kind}.txt", "\n".join(rows))
            rows = [f"{image_id} 0.{9 - number} 10 10 {60 - 9 * number} 60" for image_id in IDS]
            write(main / f"comp3_det_val_{kind}.txt", "\n".join(rows))
    return [f"--method={name}={devkit / name}" for name in ("good", "fair", "bad")]


def list_files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def write_cats(devkit: Path) -> None:
    """Results of both tasks for cats."""
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "".join(f"{name} 0.5\n" for name in IDS))
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
