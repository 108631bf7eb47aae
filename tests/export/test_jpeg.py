"""JPEG headers are read without decoding, and odd files become ones as VOC released them."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Picture

from export.jpeg import JpegError, JpegHeader, read_jpeg_header, to_rgb_jpeg

from .rows import HEIGHT, WIDTH, jpeg_bytes

COLOUR = jpeg_bytes(1)


def saved(mode: str, **how: object) -> bytes:
    target = io.BytesIO()
    Picture.new(mode, (WIDTH, HEIGHT)).save(target, "JPEG", **how)
    return target.getvalue()


HEADERS = [
    (COLOUR, 3, True),
    (saved("RGB", progressive=True), 3, True),
    (saved("RGB", comment=b"\xff\xd9 a marker in a comment"), 3, True),
    (saved("RGB", icc_profile=b"x" * 70_000), 3, True),
    (saved("L"), 1, False),
    (saved("CMYK"), 4, False),
]


@pytest.mark.parametrize(("data", "components", "fits_voc"), HEADERS)
def test_the_header_is_read(data: bytes, components: int, fits_voc: bool) -> None:
    header = read_jpeg_header(data)
    assert (header.width, header.height, header.components, header.bits) == (60, 40, components, 8)
    assert header.fits_voc is fits_voc


@pytest.mark.parametrize(("components", "bits", "is_common"), [(3, 12, True), (3, 8, False)])
def test_rare_codings_do_not_fit(components: int, bits: int, is_common: bool) -> None:
    assert not JpegHeader(1, 1, components, bits, is_common).fits_voc


@pytest.mark.parametrize("end", [0, 1, 2, 20, 200, len(COLOUR) // 2, len(COLOUR) - 2])
def test_a_file_that_is_cut_off_is_no_jpeg(end: int) -> None:
    with pytest.raises(JpegError):
        read_jpeg_header(COLOUR[:end])


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with pytest.raises(JpegError):
        read_jpeg_header(b"\xff\xd8" + data)


@pytest.mark.parametrize(("mode", "form"), [("L", "JPEG"), ("CMYK", "JPEG"), ("RGB", "PNG")])
def test_other_pictures_become_colour_jpegs_of_the_same_size(mode: str, form: str) -> None:
    data = jpeg_bytes(1, mode, form)
    converted = to_rgb_jpeg(data)
    header = read_jpeg_header(converted)
    assert header.fits_voc
    assert (header.width, header.height) == (WIDTH, HEIGHT)
    assert to_rgb_jpeg(data) == converted


@pytest.mark.parametrize("data", [b"", b"not a picture", COLOUR[: len(COLOUR) // 2]])
def test_what_is_no_whole_picture_is_refused(data: bytes) -> None:
    with pytest.raises(JpegError):
        to_rgb_jpeg(data)
