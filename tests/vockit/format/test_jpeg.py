"""JPEG headers are read, odd files encoded again, metadata removed; masks are read as labels."""

import io
import tracemalloc
from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms
from PIL import Image as Picture

from tests.party_rows import HEIGHT, WIDTH, jpeg_bytes
from tests.trees import mask_bytes
from vockit.format.jpeg import (
    JpegError,
    JpegHeader,
    pad_jpeg,
    read_jpeg_header,
    strip_jpeg,
    to_rgb_jpeg,
)
from vockit.format.masks import (
    VOID,
    MaskError,
    MaskSizeError,
    find_colour,
    make_palette,
    read_mask,
)

COLOUR = jpeg_bytes(1)


def saved(mode: str = "RGB", **how: object) -> bytes:
    """The picture, encoded with these options."""
    target = io.BytesIO()
    with Picture.open(io.BytesIO(COLOUR)) as picture:
        picture.convert(mode).save(target, "JPEG", **how)
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
def test_the_header_gives_size_and_colours(data: bytes, components: int, fits_voc: bool) -> None:
    header = read_jpeg_header(data)
    assert (header.width, header.height, header.components, header.bits) == (60, 40, components, 8)
    assert header.fits_voc is fits_voc


def test_rare_jpeg_codings_do_not_fit_voc() -> None:
    assert not JpegHeader(1, 1, 3, 12).fits_voc
    with pytest.raises(JpegError, match="many readers refuse"):  # so it is encoded anew
        strip_jpeg(COLOUR.replace(b"\xff\xc0", b"\xff\xc9", 1))


@pytest.mark.parametrize("read", [read_jpeg_header, strip_jpeg])
@pytest.mark.parametrize("end", [0, 1, 2, 4, 20, 200, len(COLOUR) // 2, len(COLOUR) - 2])
def test_a_truncated_file_is_no_jpeg(end: int, read: Callable[[bytes], object]) -> None:
    with pytest.raises(JpegError):
        read(COLOUR[:end])


@given(st.binary())
def test_random_bytes_are_refused_by_the_header_reader(data: bytes) -> None:
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
def test_an_incomplete_picture_is_refused(data: bytes) -> None:
    with pytest.raises(JpegError):
        to_rgb_jpeg(data)


PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def segment(marker: int, content: bytes) -> bytes:
    return bytes((0xFF, marker)) + (len(content) + 2).to_bytes(2) + content


def with_front(*segments: bytes, data: bytes = COLOUR) -> bytes:
    return data[:2] + b"".join(segments) + data[2:]


def pixels(data: bytes) -> bytes:
    with Picture.open(io.BytesIO(data)) as picture:
        return picture.tobytes()


def exif(orientation: int = 1) -> bytes:
    tags = Picture.Exif()
    tags[0x0112] = orientation
    tags[0x010F] = "A maker"
    tags.get_ifd(0x8825)[1] = "N"  # GPS
    return tags.tobytes()


IDENTIFYING = {
    "EXIF with a place": segment(0xE1, exif()),
    "XMP": segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>Ann</x:xmpmeta>"),
    "IPTC": segment(0xED, b"Photoshop 3.0\x008BIM\x04\x04 by Ann"),
    "a comment": segment(0xFE, b"by Ann"),
    "a JFXX thumbnail": segment(0xE0, b"JFXX\0\x10" + COLOUR[:50]),
    "a multi-picture index": segment(0xE2, b"MPF\0 another picture"),
    "a maker's segment": segment(0xE5, b"serial number 42"),
}


TOLD = {what: with_front(segment_data) for what, segment_data in IDENTIFYING.items()} | {
    # cameras put a preview there, with its own EXIF; the file ends as a JPEG does then too
    "a second picture behind the end": COLOUR + with_front(segment(0xE1, exif())),
    "a thumbnail in JFIF, not its density": COLOUR[:2]
    + segment(0xE0, COLOUR[6:18] + b"\x01\x01" + b"RGB")
    + COLOUR[20:],
}


@pytest.mark.parametrize("what", TOLD)
def test_stripping_removes_only_what_identifies_people(what: str) -> None:
    assert strip_jpeg(TOLD[what]) == COLOUR


def test_stripping_returns_a_file_without_metadata_unchanged() -> None:
    assert strip_jpeg(COLOUR) is COLOUR


@pytest.mark.parametrize(
    "how",
    [
        {"progressive": True},
        {"icc_profile": PROFILE},
        {"quality": 96, "subsampling": 0},
        {"restart_marker_blocks": 2},
    ],
)
def test_stripping_keeps_pixels_and_colours_bit_for_bit(how: dict[str, Any]) -> None:
    plain = saved(**how)
    jpeg = saved(**how, exif=exif(), comment=b"by Ann")
    assert b"Ann" in jpeg
    assert b"A maker" in jpeg
    stripped = strip_jpeg(jpeg)
    assert stripped == plain
    assert pixels(stripped) == pixels(jpeg)
    with Picture.open(io.BytesIO(stripped)) as picture:
        assert picture.info.get("icc_profile") == how.get("icc_profile")
        assert dict(picture.getexif()) == {}


def test_stripping_keeps_the_colour_transform_of_adobe() -> None:
    data = with_front(segment(0xEE, b"Adobe\0\x64\0\0\0\0\x01"))
    assert strip_jpeg(data) is data


def test_stripping_removes_a_comment_between_scans() -> None:
    plain = saved(progressive=True)
    scan = plain.rindex(b"\xff\xda")
    commented = plain[:scan] + segment(0xFE, b"by Ann") + plain[scan:]
    assert strip_jpeg(commented) == plain


def test_an_end_marker_inside_a_scan_header_does_not_end_the_file() -> None:
    cut = COLOUR[: COLOUR.index(b"\xff\xda")] + segment(0xDA, b"\1\1\0\0\xff\xd9")
    with pytest.raises(JpegError):
        strip_jpeg(cut)


@given(st.binary(max_size=300))
def test_random_bytes_are_stripped_or_refused(data: bytes) -> None:
    try:
        stripped = strip_jpeg(b"\xff\xd8" + data)
    except JpegError:
        return
    assert strip_jpeg(stripped) == stripped


@pytest.mark.parametrize(("first", "second"), list(combinations_with_replacement(IDENTIFYING, 2)))
def test_stripping_a_stripped_file_changes_nothing(first: str, second: str) -> None:
    stripped = strip_jpeg(with_front(IDENTIFYING[first], IDENTIFYING[second]))
    assert strip_jpeg(stripped) is stripped


@pytest.mark.parametrize("block_bytes", [len(COLOUR) - 1, len(COLOUR), 1000, 4096, 65536, 300_000])
def test_padding_fills_whole_blocks_and_keeps_the_pixels(block_bytes: int) -> None:
    padded = pad_jpeg(COLOUR, block_bytes)
    assert len(padded) % block_bytes == 0
    assert read_jpeg_header(padded).fits_voc
    assert pixels(padded) == pixels(COLOUR)
    assert strip_jpeg(padded) == COLOUR


@given(st.integers(0, 200_000))
def test_padding_can_fill_any_number_of_bytes(missing: int) -> None:
    padded = pad_jpeg(COLOUR, len(COLOUR) + missing)
    assert len(padded) % (len(COLOUR) + missing) == 0
    assert strip_jpeg(padded) == COLOUR


@pytest.mark.slow
def test_stripping_keeps_the_pixels_of_real_photographs() -> None:
    folder = Path(__file__).parents[3] / "docs" / "images"
    data = (folder / "annotation-page.jpg").read_bytes()
    assert pixels(strip_jpeg(data)) == pixels(data)


@cache
def make_png(width: int, height: int, mode: str = "P", **options: object) -> bytes:
    file = io.BytesIO()
    image = Image.new(mode, (width, height))
    if mode == "P":
        image.putpalette(make_palette())
    image.save(file, "PNG", **options)
    return file.getvalue()


def test_the_palette_is_that_of_the_development_kit() -> None:
    colours = [(0, 0, 0), (128, 0, 0), (0, 128, 0), (128, 128, 0), (0, 0, 128)]
    assert [find_colour(label) for label in range(5)] == colours
    assert find_colour(VOID) == (224, 224, 192)
    assert len(make_palette()) == 3 * 256


def test_a_mask_is_read_as_the_label_of_each_pixel() -> None:
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
def test_a_file_that_is_no_mask_is_refused_with_the_reason(data: bytes, message: str) -> None:
    with pytest.raises(MaskError, match=message):
        read_mask(data)


def refuse_by_size(data: bytes) -> None:
    with pytest.raises(MaskSizeError, match="expected the size of the picture, 60 x 40, got 9000"):
        read_mask(data, (60, 40))


def refuse_by_limit(data: bytes) -> None:
    with pytest.raises(MaskError, match="at most 80000000 pixels, got 9000 x 9000"):
        read_mask(data)


@pytest.mark.parametrize("refuse", [refuse_by_size, refuse_by_limit])
def test_a_huge_picture_is_refused_before_it_is_decoded(refuse: Callable[[bytes], None]) -> None:
    data = make_png(9_000, 9_000)
    tracemalloc.start()
    try:
        refuse(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10e6
