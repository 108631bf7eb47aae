"""Malicious and broken files: each costs only itself."""

import struct
import zlib
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from catalog.image_store import digest_of
from catalog.party import Party
from dedup.errors import BrokenImageError
from dedup.jobs import DedupSummary
from dedup.signature.signature import hash_image

from .finder import COPY, list_merged, relate, sign_file
from .images import add_file, add_row, load_duplicates, load_image, load_states, run
from .photographs import jpeg, originals, save


def rocket() -> Image.Image:
    return originals()["rocket"]


def as_16_bits() -> bytes:
    levels = np.asarray(rocket().convert("L")).astype(np.uint16) * 200
    return save(Image.fromarray(levels), "PNG")


def as_animation() -> bytes:
    frames = [rocket(), originals()["coffee"].resize(rocket().size)]
    return save(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=100)


def as_bomb() -> bytes:
    """A PNG whose header says 60,000 x 60,000 pixels and that holds nothing else."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * 1000)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


# The same photograph in the odd forms that it may come in.
READABLE: dict[str, Callable[[], bytes]] = {
    "16 bits": as_16_bits,
    "CMYK": lambda: save(rocket().convert("CMYK"), "JPEG", quality=92),
    "a palette": lambda: save(rocket().convert("P"), "PNG"),
    "one channel and transparency": lambda: save(rocket().convert("LA"), "PNG"),
    "transparency": lambda: save(rocket().convert("RGBA"), "PNG"),
    "a palette with a transparent colour": lambda: save(
        rocket().convert("P"), "GIF", transparency=255
    ),
    "an animation": as_animation,
    "a colour profile that is none": lambda: save(rocket(), "JPEG", icc_profile=b"\1broken" * 9),
    "progressive": lambda: save(rocket(), "JPEG", quality=90, progressive=True),
    "a JPEG called something else": lambda: save(rocket(), "WEBP", quality=90),
    "TIFF": lambda: save(rocket(), "TIFF"),
    "BMP": lambda: save(rocket(), "BMP"),
}

BROKEN: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "a web page": lambda: b"<html>This photo is no longer available</html>",
    "a head without a body": lambda: jpeg(rocket())[:200],
    "half a file": lambda: jpeg(rocket())[: len(jpeg(rocket())) // 2],
    "a bomb": as_bomb,
    "a PNG with a wrong checksum": lambda: save(rocket(), "PNG")[:60] + b"\0" * 500,
    "PostScript": lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
    "zeros": lambda: bytes(5000),
}


@pytest.mark.parametrize("name", READABLE)
def test_a_photograph_in_an_odd_format_is_recognised(name: str) -> None:
    assert relate(sign_file(jpeg(rocket())), sign_file(READABLE[name]())) == COPY


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_reported_in_one_sentence(name: str) -> None:
    with pytest.raises(BrokenImageError) as raised:
        hash_image(BROKEN[name]())
    assert str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", READABLE)
def test_a_truncated_file_is_broken_or_has_every_pixel(name: str) -> None:
    """The first picture of an animation counts, and the last bytes may hold no pixel."""
    whole = READABLE[name]()
    luma = hash_image(whole).signature["luma"]
    for end in (*(len(whole) * tenth // 10 for tenth in range(1, 10)), len(whole) - 3):
        with suppress(BrokenImageError):
            assert hash_image(whole[:end]).signature["luma"] == luma


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.floats(0, 1), st.binary(min_size=1, max_size=40))
def test_any_bytes_are_hashed_or_reported_as_broken(share: float, spoil: bytes) -> None:
    whole = jpeg(rocket())
    at = int(len(whole) * share)
    for data in (whole[:at], whole[:at] + spoil + whole[at + len(spoil) :]):
        with suppress(BrokenImageError):  # anything else would end the run
            assert hash_image(data).signature["luma"]


SHAPELESS = [(1, 1), (30_000, 3), (3, 30_000), (2, 2), (129, 1)]


def make_noise(size: tuple[int, int], seed: int) -> bytes:
    """An image of noise of this width and height."""
    random = np.random.default_rng(seed)
    return save(Image.fromarray(random.integers(0, 256, size[::-1], dtype=np.uint8)), "PNG")


@pytest.mark.parametrize("size", SHAPELESS)
def test_extremely_thin_or_tiny_images_are_merged_with_nothing(size: tuple[int, int]) -> None:
    files = [make_noise(size, seed) for seed in range(2)]
    files += [save(Image.new("RGB", size, colour), "PNG") for colour in ("black", "white")]
    assert list_merged([sign_file(data) for data in (*files, jpeg(rocket()))]) == []


def test_a_run_over_hostile_files_finishes_and_records_each(any_party: Party) -> None:
    kept = add_file(any_party, save(rocket(), "PNG"))  # lossless, and the first
    readable = [add_file(any_party, make()) for make in READABLE.values()]
    shapeless = [
        add_file(any_party, make_noise(size, seed)) for size in SHAPELESS for seed in (1, 2)
    ]
    broken = [add_file(any_party, make()) for make in BROKEN.values()]
    vanished = add_row(any_party, digest_of(b"vanished"))
    stay = 1 + len(set(shapeless))
    assert run(any_party) == DedupSummary(
        hashed=stay + len(readable),
        broken=len(broken),
        duplicates=len(readable),
        pool=stay,
        waiting=1,
    )
    assert load_duplicates(any_party) == dict.fromkeys(readable, kept)
    states = load_states(any_party)
    assert {states[image_id] for image_id in (kept, *shapeless)} == {"pool"}
    assert states[vanished] == "fetched"  # it waits for its file
    for image_id in broken:
        assert states[image_id] == "broken"
        assert load_image(any_party, image_id).reason
