"""PNG files whose pixels are labels, of any number of bits; others are refused by name."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.label_images import read_labels


def make_png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def store_labels(labels: NDArray[np.uint8], form: str) -> bytes:
    """A PNG of these labels, grey or of a palette, with that many bits a pixel."""
    kind = form[:-2].strip()
    bits = int(form[-2:])
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


def test_another_size_than_that_of_the_truth_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mask.png"
    path.write_bytes(make_png(Image.new("L", (4, 3))))
    assert read_labels(path, (3, 4)).shape == (3, 4)
    with pytest.raises(EvaluateError, match="expected the size of the truth, 3 x 4, got 4 x 3"):
        read_labels(path, (4, 3))


def test_a_mask_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluateError, match=r"2012_000001\.png: expected this file"):
        read_labels(tmp_path / "2012_000001.png")


def test_transparent_entries_of_a_palette_keep_their_labels(tmp_path: Path) -> None:
    labels = np.array([[0, 1, 2]], np.uint8)
    image = Image.fromarray(labels).convert("P")
    image.putpalette([0, 0, 0, 128, 0, 0, 0, 128, 0])
    image.save(tmp_path / "mask.png", "PNG", transparency=bytes([0, 255, 128]))
    assert np.array_equal(read_labels(tmp_path / "mask.png"), labels)


@pytest.mark.parametrize("mode", ["LA", "RGB", "RGBA"])
def test_masks_of_colours_and_of_transparent_pixels_are_refused(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "mask.png"
    path.write_bytes(make_png(Image.new(mode, (4, 3))))
    with pytest.raises(EvaluateError, match=rf"expected a PNG of labels, got colours \({mode}\)"):
        read_labels(path)
