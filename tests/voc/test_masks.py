"""Masks are read as labels, in VOC's colours, and refused where they are none."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from PIL import Image

from tests.export.trees import mask_bytes
from voc.masks import VOID, MaskError, MaskSizeError, find_colour, make_palette, read_mask


@cache
def make_png(width: int, height: int, mode: str = "P", **options: object) -> bytes:
    file = io.BytesIO()
    image = Image.new(mode, (width, height))
    if mode == "P":
        image.putpalette(make_palette())
    image.save(file, "PNG", **options)
    return file.getvalue()


def test_the_palette_begins_as_that_of_the_development_kit() -> None:
    colours = [(0, 0, 0), (128, 0, 0), (0, 128, 0), (128, 128, 0), (0, 0, 128)]
    assert [find_colour(label) for label in range(5)] == colours
    assert find_colour(VOID) == (224, 224, 192)
    assert len(make_palette()) == 3 * 256


def test_a_mask_is_the_label_of_each_pixel() -> None:
    labels = read_mask(mask_bytes(60, 40, label=7), (60, 40))
    assert labels.shape == (40, 60)
    assert (labels[0, 0], labels[12, 12], labels[20, 20]) == (0, VOID, 7)
    assert set(np.unique(labels)) == {0, 7, VOID}


def without_pixels(png: bytes) -> bytes:
    place = png.index(b"IDAT") - 4
    return png[:place] + png[-12:]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is no PNG"),
        (mask_bytes()[:-5], "it is cut off"),
        (b"GIF89a" + mask_bytes()[-12:], "it is no PNG"),
        (without_pixels(mask_bytes()), "a whole PNG"),
        (make_png(9, 9, "L"), "8-bit numbers of a palette"),
        (make_png(9, 9, "RGB"), "8-bit numbers of a palette"),
        (make_png(9, 9, bits=4), "8-bit numbers of a palette"),
    ],
)
def test_what_is_no_mask_is_refused_with_the_reason(data: bytes, message: str) -> None:
    with pytest.raises(MaskError, match=message):
        read_mask(data)


def refuse_by_size(data: bytes) -> None:
    with pytest.raises(MaskSizeError, match="expected the size of the picture, 60 x 40, got 9000"):
        read_mask(data, (60, 40))


def refuse_by_limit(data: bytes) -> None:
    with pytest.raises(MaskError, match="at most 80000000 pixels, got 9000 x 9000"):
        read_mask(data)


@pytest.mark.parametrize("refuse", [refuse_by_size, refuse_by_limit])
def test_a_bomb_is_refused_before_it_is_decoded(refuse: Callable[[bytes], None]) -> None:
    data = make_png(9_000, 9_000)
    tracemalloc.start()
    try:
        refuse(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10e6
