"""Masks of an entry, and those painted from its detections."""

import io
import shutil
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from vockit.evaluate.truth import read_labels

from .small_tree import IDS, list_files, run, score, write_mask, write_masks, write_result


def make_png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (make_png(Image.new("RGB", (100, 80))), "expected a PNG of labels, got colours (RGB)"),
        (make_png(Image.new("I;16", (100, 80), 256)), "expected labels from 0 to 255, got 256"),
        (make_png(Image.new("LA", (100, 80))), "expected a PNG of labels, got colours (LA)"),
        (make_png(Image.new("L", (80, 100))), "expected the size of the truth, 100 x 80"),
        (make_png(Image.new("1", (12_000, 12_000))), "expected the size of the truth, 100 x 80"),
        (make_png(Image.new("P", (11_000, 11_000))), "expected the size of the truth"),
        (make_png(Image.new("L", (100, 80), 255)), "expected labels from 0 to 2, got 255"),
        (make_png(Image.new("L", (100, 80)))[:60], "expected a whole PNG"),
        (b"GIF89a", "expected a whole PNG"),
    ],
)
def test_masks_of_wrong_size_or_form_are_refused(devkit: Path, data: bytes, expected: str) -> None:
    (write_masks(devkit, 1) / f"{IDS[1]}.png").write_bytes(data)
    printed = run(str(devkit), status=1)
    assert f"{IDS[1]}.png: {expected}" in printed
    assert "1 problem" in printed


def store_labels(labels: NDArray[np.uint8], form: str) -> bytes:
    """A PNG of these labels, grey or of a palette, with that many bits a pixel."""
    kind, bits = form[:-2].strip(), int(form[-2:])
    if bits == 16:
        return make_png(Image.fromarray(labels.astype(np.uint16)))
    if kind == "palette":
        image = Image.fromarray(labels).convert("P")
        image.putpalette([0, 0, 0, 128, 0, 0, 0, 128, 0])
        buffer = io.BytesIO()
        image.save(buffer, "PNG", bits=bits)
        return buffer.getvalue()
    return pack_grey(labels, bits)


def pack_grey(labels: NDArray[np.uint8], bits: int) -> bytes:
    """The same in grey values, which Pillow writes with 8 bits alone."""
    height, width = labels.shape
    planes = np.unpackbits(labels[..., None], axis=2)[..., 8 - bits :]
    rows = np.packbits(planes.reshape(height, -1), axis=1)
    lines = np.hstack([np.zeros((height, 1), np.uint8), rows])
    header = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


@pytest.mark.parametrize(
    "form",
    ["grey 1", "grey 2", "grey 4", "grey 8", "grey16", "palette 1", "palette 4", "palette 8"],
)
def test_labels_of_any_number_of_bits_are_read(tmp_path: Path, form: str) -> None:
    labels = np.zeros((5, 13), np.uint8)
    labels[1:3, 2:9] = 1
    labels[4, 3:] = 1 if form.endswith(" 1") else 2
    (tmp_path / "mask.png").write_bytes(store_labels(labels, form))
    assert np.array_equal(read_labels(tmp_path / "mask.png"), labels)


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
