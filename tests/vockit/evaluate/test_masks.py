"""Masks of an entry, and those painted from its detections."""

import io
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from .small_tree import IDS, list_files, run, score, write_mask, write_masks, write_result


def make_png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("make", "expected"),  # made in the test: two of them are large
    [
        (
            lambda: make_png(Image.new("RGB", (100, 80))),
            "expected a PNG of labels, got colours (RGB)",
        ),
        (
            lambda: make_png(Image.new("I;16", (100, 80), 256)),
            "expected labels from 0 to 255, got 256",
        ),
        (
            lambda: make_png(Image.new("LA", (100, 80))),
            "expected a PNG of labels, got colours (LA)",
        ),
        (lambda: make_png(Image.new("L", (80, 100))), "expected the size of the truth, 100 x 80"),
        (
            lambda: make_png(Image.new("1", (12_000, 12_000))),
            "expected the size of the truth, 100 x 80",
        ),
        (lambda: make_png(Image.new("P", (11_000, 11_000))), "expected the size of the truth"),
        (lambda: make_png(Image.new("L", (100, 80), 255)), "expected labels from 0 to 2, got 255"),
        (lambda: make_png(Image.new("L", (100, 80)))[:60], "expected a whole PNG"),
        (lambda: b"GIF89a", "expected a whole PNG"),
    ],
)
def test_masks_of_wrong_size_or_form_are_refused(
    devkit: Path, make: Callable[[], bytes], expected: str
) -> None:
    (write_masks(devkit, 1) / f"{IDS[1]}.png").write_bytes(make())
    printed = run(str(devkit), status=1)
    assert f"{IDS[1]}.png: {expected}" in printed
    assert "1 problem" in printed


def test_detections_are_painted_and_scored_as_masks(devkit: Path) -> None:
    rows = [f"{IDS[0]} 0.9 20.5 21 60 60", f"{IDS[0]} 0.1 -5 1 500 80", f"{IDS[0]} 0.95 1 1 2 2"]
    write_result(devkit, "Main/comp3_det_val_cat.txt", "\n".join(rows))
    folder = devkit / "results" / "VOC2012" / "Segmentation"
    printed = run(str(devkit), "--paint", "comp3", "--confidence", "0.5")
    assert "comp3 (segmentation, painted from the detections), percent" in printed
    assert "person" in printed
    assert "not entered" in printed
    with Image.open(folder / "comp3_val_cls" / f"{IDS[0]}.png") as image:
        labels = np.asarray(image)
    assert labels.sum() == 40 * 40 + 4
    assert labels[20, 20] == 1
    assert not labels[20, 19]
    with Image.open(folder / "comp3_val_inst" / f"{IDS[0]}.png") as image:
        assert sorted(set(np.asarray(image).ravel())) == [0, 1, 3]


def test_painted_masks_score_the_same_when_they_are_entered(devkit: Path) -> None:
    text = "cat:1,1,1::\nbackground:0,0,0::\nperson:2,2,2::\n"
    (devkit / "VOC2012/labelmap.txt").write_text(text)
    write_mask(devkit / f"VOC2012/SegmentationClass/{IDS[0]}.png", 0)
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    run(str(devkit), "--paint", "comp3")
    folder = devkit / "results" / "VOC2012" / "Segmentation"
    shutil.copytree(folder / "comp3_val_cls", folder / "comp5_val_cls")
    scored = score(devkit)["segmentation"]
    assert scored["comp5"]["confusion"] == scored["comp3"]["confusion"]


def test_masks_of_a_participant_are_not_painted_over(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    folder = devkit / "results" / "VOC2012" / "Segmentation" / "comp3_val_cls"
    folder.mkdir(parents=True)
    (folder / f"{IDS[1]}.png").write_bytes(b"drawn by hand")
    printed = run(str(devkit), "--paint", "comp3", status=1)
    assert f"{IDS[1]}.png is not what vocparty wrote there" in printed
    assert list_files(folder) == {f"{IDS[1]}.png": b"drawn by hand"}
    (folder / f"{IDS[1]}.png").unlink()
    run(str(devkit), "--paint", "comp3")
    run(str(devkit), "--paint", "comp3", "--confidence", "0.95")


def test_painting_without_images_to_paint_fails(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    (devkit / "VOC2012/ImageSets/Segmentation/val.txt").write_text("")
    assert "so that nothing was painted" in run(str(devkit), "--paint", "comp3", status=1)
