"""JPEG headers are read, odd files are encoded anew, and what identifies people leaves a file."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Picture
from PIL import ImageCms

from tests.export.rows import HEIGHT, WIDTH, jpeg_bytes
from voc.jpeg import (
    JpegError,
    JpegHeader,
    pad_jpeg,
    read_jpeg_header,
    strip_jpeg,
    to_rgb_jpeg,
)

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


def test_rare_codings_do_not_fit() -> None:
    assert not JpegHeader(1, 1, 3, 12).fits_voc
    with pytest.raises(JpegError, match="many readers refuse"):  # so it is encoded anew
        strip_jpeg(COLOUR.replace(b"\xff\xc0", b"\xff\xc9", 1))


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


PLAIN = COLOUR
PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def segment(marker: int, content: bytes) -> bytes:
    return bytes((0xFF, marker)) + (len(content) + 2).to_bytes(2) + content


def with_front(*segments: bytes, data: bytes = PLAIN) -> bytes:
    return data[:2] + b"".join(segments) + data[2:]


def encoded(**how: object) -> bytes:
    target = io.BytesIO()
    with Picture.open(io.BytesIO(PLAIN)) as picture:
        picture.save(target, "JPEG", **how)
    return target.getvalue()


def pixels(data: bytes) -> bytes:
    with Picture.open(io.BytesIO(data)) as picture:
        return picture.tobytes()


def exif(orientation: int = 1) -> bytes:
    told = Picture.Exif()
    told[0x0112] = orientation
    told[0x010F] = "A maker"
    told.get_ifd(0x8825)[1] = "N"  # GPS
    return told.tobytes()


IDENTIFYING = {
    "EXIF with a place": segment(0xE1, exif()),
    "XMP": segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>Ann</x:xmpmeta>"),
    "IPTC": segment(0xED, b"Photoshop 3.0\x008BIM\x04\x04 by Ann"),
    "a comment": segment(0xFE, b"by Ann"),
    "a JFXX thumbnail": segment(0xE0, b"JFXX\0\x10" + PLAIN[:50]),
    "a multi-picture index": segment(0xE2, b"MPF\0 another picture"),
    "a maker's segment": segment(0xE5, b"serial number 42"),
}


@pytest.mark.parametrize("what", IDENTIFYING)
def test_what_identifies_goes_and_the_rest_is_as_it_was(what: str) -> None:
    assert strip_jpeg(with_front(IDENTIFYING[what])) == PLAIN


def test_a_plain_file_is_the_same_object() -> None:
    assert strip_jpeg(PLAIN) is PLAIN


@pytest.mark.parametrize(
    "how",
    [
        {"progressive": True},
        {"icc_profile": PROFILE},
        {"quality": 96, "subsampling": 0},
        {"restart_marker_blocks": 2},
    ],
)
def test_pixels_and_colours_stay_bit_for_bit(how: dict[str, object]) -> None:
    plain = encoded(**how)
    told = encoded(**how, exif=exif(), comment=b"by Ann")
    assert b"Ann" in told
    assert b"A maker" in told
    stripped = strip_jpeg(told)
    assert stripped == plain
    assert pixels(stripped) == pixels(told)
    with Picture.open(io.BytesIO(stripped)) as picture:
        assert picture.info.get("icc_profile") == how.get("icc_profile")
        assert dict(picture.getexif()) == {}


def test_the_colour_transform_of_adobe_stays() -> None:
    data = with_front(segment(0xEE, b"Adobe\0\x64\0\0\0\0\x01"))
    assert strip_jpeg(data) is data


def test_a_thumbnail_in_jfif_goes_and_the_density_stays() -> None:
    assert PLAIN[2:4] == b"\xff\xe0"
    jfif = PLAIN[6:20]
    with_thumbnail = segment(0xE0, jfif[:12] + b"\x01\x01" + b"RGB")
    data = PLAIN[:2] + with_thumbnail + PLAIN[20:]
    assert strip_jpeg(data) == PLAIN


def test_a_second_picture_behind_the_end_goes() -> None:
    """Cameras put a preview there, with its own EXIF; the file ends as a JPEG does then too."""
    assert strip_jpeg(PLAIN + with_front(IDENTIFYING["EXIF with a place"])) == PLAIN


def test_a_comment_between_scans_goes() -> None:
    plain = encoded(progressive=True)
    scan = plain.rindex(b"\xff\xda")
    told = plain[:scan] + segment(0xFE, b"by Ann") + plain[scan:]
    assert strip_jpeg(told) == plain


@pytest.mark.parametrize("end", [0, 1, 2, 4, 20, 200, len(PLAIN) // 2, len(PLAIN) - 2])
def test_a_file_that_is_cut_off_is_not_stripped(end: int) -> None:
    with pytest.raises(JpegError):
        strip_jpeg(PLAIN[:end])


def test_an_end_inside_the_header_of_the_pixels_is_none() -> None:
    cut = PLAIN[: PLAIN.index(b"\xff\xda")] + segment(0xDA, b"\1\1\0\0\xff\xd9")
    with pytest.raises(JpegError):
        strip_jpeg(cut)


@given(st.binary(max_size=300))
def test_any_bytes_are_stripped_or_refused(data: bytes) -> None:
    try:
        stripped = strip_jpeg(b"\xff\xd8" + data)
    except JpegError:
        return
    assert strip_jpeg(stripped) == stripped


@given(st.sampled_from(sorted(IDENTIFYING)), st.sampled_from(sorted(IDENTIFYING)))
def test_stripping_twice_is_stripping_once(first: str, second: str) -> None:
    data = with_front(IDENTIFYING[first], IDENTIFYING[second])
    stripped = strip_jpeg(data)
    assert strip_jpeg(stripped) is stripped


@pytest.mark.parametrize("block_bytes", [len(PLAIN) - 1, len(PLAIN), 1000, 4096, 65536, 300_000])
def test_a_padded_file_fills_whole_blocks_and_shows_the_same(block_bytes: int) -> None:
    padded = pad_jpeg(PLAIN, block_bytes)
    assert len(padded) % block_bytes == 0
    assert read_jpeg_header(padded).fits_voc
    assert pixels(padded) == pixels(PLAIN)
    assert strip_jpeg(padded) == PLAIN


@given(st.integers(0, 200_000))
def test_any_number_of_missing_bytes_is_filled(missing: int) -> None:
    padded = pad_jpeg(PLAIN, len(PLAIN) + missing)
    assert len(padded) % (len(PLAIN) + missing) == 0
    assert strip_jpeg(padded) == PLAIN


@pytest.mark.slow
def test_real_photographs_keep_their_pixels() -> None:
    folder = Path(__file__).parents[2] / "docs" / "images"
    data = (folder / "annotation-page.jpg").read_bytes()
    assert pixels(strip_jpeg(data)) == pixels(data)
