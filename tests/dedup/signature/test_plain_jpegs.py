"""Plain JPEGs give Pillow's own bytes, all others are left to Pillow, and each is decoded once."""

from __future__ import annotations

import io
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from dedup.hashes import hash_image
from dedup.signature import plain_jpegs
from dedup.signature.plain_jpegs import decode_plain_jpeg
from tests.dedup.photographs import originals

SIDE_PX = 128
simplejpeg = pytest.importorskip("simplejpeg")


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


def test_pillow_gives_the_same_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(photograph())
    quickly = hash_image(data)
    monkeypatch.setattr(plain_jpegs, "turbo", None)
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
    monkeypatch.setattr(plain_jpegs, "turbo", counting)
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
