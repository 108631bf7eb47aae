"""Plain JPEGs give Pillow's own bytes, all others are left to Pillow, and each is decoded once."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import simplejpeg
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from dedup.errors import BrokenImageError
from dedup.hashes import hash_image
from dedup.signature import brightness, plain_jpegs
from dedup.signature.brightness import FORMATS, read_brightness
from dedup.signature.plain_jpegs import decode_plain_jpeg
from tests.dedup.photographs import originals

SIDE_PX = 128


def write(image: Image.Image, kind: str = "JPEG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def photograph(mode: str = "RGB") -> Image.Image:
    return originals()["coffee"].convert(mode)


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(st.integers(SIDE_PX, 1200), st.integers(SIDE_PX, 700)),
    st.sampled_from(["L", "RGB"]),
    st.sampled_from([30, 75, 95]),
    st.sampled_from([0, 1, 2]),
    st.booleans(),
)
def test_every_byte_is_pillow_s(
    size: tuple[int, int], mode: str, quality: int, subsampling: int, is_progressive: bool
) -> None:
    options: dict[str, Any] = {
        "quality": quality,
        "subsampling": subsampling,
        "progressive": is_progressive,
    }
    data = write(photograph(mode).resize(size), **options)
    with Image.open(io.BytesIO(data)) as image:
        image.draft("L", (SIDE_PX, SIDE_PX))
        expected = np.asarray(image)
    found = decode_plain_jpeg(data, SIDE_PX)
    assert found is not None
    assert np.array_equal(found[0], expected)
    assert found[1] == size[0] / size[1]


UNUSUAL: dict[str, Callable[[], bytes]] = {
    "a PNG": lambda: write(photograph(), "PNG"),
    "four colours": lambda: write(photograph("CMYK")),
    "red, green and blue": lambda: write(photograph(), keep_rgb=True),
    "a short side": lambda: write(photograph().resize((500, SIDE_PX - 1))),
    "a truncated file": lambda: write(photograph())[:-100],
    "a damaged file": lambda: write(photograph()).replace(b"\xff\xda", b"\xff\xd0", 1),
    "nothing": lambda: b"",
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_unusual_or_damaged_is_left_to_pillow(name: str) -> None:
    assert decode_plain_jpeg(UNUSUAL[name](), SIDE_PX) is None


def put_segment(data: bytes, marker: int, content: bytes) -> bytes:
    """The file with a segment before all others."""
    return data[:2] + bytes([0xFF, marker]) + (len(content) + 2).to_bytes(2) + content + data[2:]


REFUSED: dict[str, tuple[int, bytes]] = {
    "a short JFIF": (0xE0, b"JFIF\0\1"),
    "a short Adobe": (0xEE, b"Adobe"),
    "a short profile": (0xE2, b"ICC_PROFILE\0\1"),
    "a short resource": (0xED, b"Photoshop 3.0\x008BIM\3\xed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_pillow_refuses_simplejpeg_is_not_given(name: str) -> None:
    data = put_segment(write(photograph()), *REFUSED[name])
    assert simplejpeg.decode_jpeg_header(data)[:2] == photograph().size[::-1]
    assert decode_plain_jpeg(data, SIDE_PX) is None
    with pytest.raises(BrokenImageError):
        read_brightness(data)


USUAL: dict[str, tuple[int, bytes]] = {
    "Adobe": (0xEE, b"Adobe\0d\0\0\0\0\1"),
    "a profile": (0xE2, b"ICC_PROFILE\0\1\1" + bytes(200)),
    "a resource": (0xED, b"Photoshop 3.0\x008BIM\4\4\0\0\0\0\0\2ab"),
    "EXIF": (0xE1, b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0"),
    "a comment": (0xFE, b""),
    "what nobody knows": (0xEB, b"\xff\xda"),
}


@pytest.mark.parametrize("name", USUAL)
def test_what_programs_say_of_themselves_is_usual(name: str) -> None:
    assert decode_plain_jpeg(put_segment(write(photograph()), *USUAL[name]), SIDE_PX) is not None


def open_with_pillow(data: bytes) -> Any:
    with (
        warnings.catch_warnings(action="ignore"),
        Image.open(io.BytesIO(data), formats=FORMATS) as image,
    ):
        image.draft("L", (SIDE_PX, SIDE_PX))
        return np.asarray(image.convert("L"))


SEGMENTS = [*REFUSED.values(), *USUAL.values(), (0xE2, b"MPF\0MM\0*" + bytes(20)), (0xDD, b"\0\4")]


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.sampled_from(SEGMENTS), st.integers(0, 30)), max_size=3),
    st.lists(st.tuples(st.integers(2, 700), st.integers(0, 255)), max_size=3),
    st.booleans(),
)
def test_pillow_comes_to_the_same_whatever_the_head(
    segments: list[tuple[tuple[int, bytes], int]],
    changes: list[tuple[int, int]],
    is_progressive: bool,
) -> None:
    """Segments cut short and bytes changed: simplejpeg takes nothing that Pillow refuses."""
    small = photograph().resize((160, 130))
    data = write(small, progressive=is_progressive)
    for (marker, content), length in segments:
        data = put_segment(data, marker, content[:length])
    changed = bytearray(data)
    for place, value in changes:
        changed[place] = value
    found = decode_plain_jpeg(bytes(changed), SIDE_PX)
    if found is not None:
        assert np.array_equal(found[0], open_with_pillow(bytes(changed)))


def test_pillow_gives_the_same_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(photograph())
    quickly = hash_image(data)
    monkeypatch.setattr(brightness, "decode_plain_jpeg", lambda _data, _side_px: None)
    assert hash_image(data) == quickly


@pytest.fixture
def decodings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who decoded pixels, each time that somebody did."""
    done: list[str] = []
    prepare = ImageFile.ImageFile.load_prepare

    def load_prepare(image: ImageFile.ImageFile) -> None:
        done.append("Pillow")
        prepare(image)

    def decode_jpeg(*values: Any, **options: Any) -> Any:
        done.append("simplejpeg")
        return simplejpeg.decode_jpeg(*values, **options)

    header = simplejpeg.decode_jpeg_header
    counting = SimpleNamespace(decode_jpeg=decode_jpeg, decode_jpeg_header=header)
    monkeypatch.setattr(ImageFile.ImageFile, "load_prepare", load_prepare)
    monkeypatch.setattr(plain_jpegs, "simplejpeg", counting)
    return done


@pytest.mark.parametrize(
    ("kind", "mode", "decoder"),
    [
        ("JPEG", "RGB", "simplejpeg"),
        ("JPEG", "L", "simplejpeg"),
        ("JPEG", "CMYK", "Pillow"),
        ("PNG", "RGBA", "Pillow"),
        ("GIF", "P", "Pillow"),
        ("WEBP", "RGB", "Pillow"),
    ],
)
def test_one_decoding_serves_all_hashes(
    decodings: list[str], kind: str, mode: str, decoder: str
) -> None:
    data = write(photograph(mode), kind)
    decodings.clear()
    hash_image(data)
    assert decodings == [decoder]
