"""From bytes to a stored picture: what is kept, encoded again or refused."""

import io
import os
import signal
import struct
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from multiprocessing import forkserver
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from catalog.image_store import digest_of
from catalog.settings import CollectSettings
from collect.errors import PhotoBrokenError, Reason
from collect.fetching import Decoders
from collect.picture import Picture, PictureLimits, read_picture
from simulate.flickr.faults import make_bomb
from tests.warm import _read_parents

from .pictures import gif_bytes, jpeg_bytes, png_bytes

VOC = PictureLimits(longest_side_px=500, min_side_px=100, max_pixels=40_000_000)


def corners(picture: Picture) -> list[str]:
    """The colour of each corner, clockwise from the top left."""
    with Image.open(io.BytesIO(picture.data)) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    colours = [pixels[y, x] for y, x in ((10, 10), (10, -10), (-10, -10), (-10, 10))]
    names = {(1, 0, 0): "red", (0, 1, 0): "green", (0, 0, 1): "blue", (1, 1, 1): "white"}
    return [names[tuple(int(value > 128) for value in pixel)] for pixel in colours]  # type: ignore[index]


def test_an_upright_jpeg_within_the_size_is_kept_byte_for_byte() -> None:
    data = jpeg_bytes(500, 375)
    assert read_picture(data, VOC) == Picture(data, 500, 375, None)


@pytest.mark.parametrize("mode", ["L", "CMYK"])
@pytest.mark.parametrize("options", [{"progressive": True}, {"quality": 30}])
def test_every_kind_of_jpeg_is_kept_byte_for_byte(mode: str, options: dict[str, Any]) -> None:
    data = jpeg_bytes(200, 150, mode=mode, **options)
    assert read_picture(data, VOC).data == data


@pytest.mark.parametrize("orientation", range(2, 9))
def test_a_turned_picture_is_stored_upright_with_its_original_digest(orientation: int) -> None:
    data = jpeg_bytes(400, 300, turned_by=orientation)
    picture = read_picture(data, VOC)
    assert (picture.width, picture.height) == (400, 300)
    assert corners(picture) == ["red", "green", "blue", "white"]
    assert picture.original_sha256 == digest_of(data)
    again = read_picture(picture.data, VOC)
    assert again.data == picture.data


def test_a_large_picture_is_scaled_down_to_the_longest_side() -> None:
    data = jpeg_bytes(1024, 683)
    picture = read_picture(data, VOC)
    assert (picture.width, picture.height) == (500, 333)
    assert picture.original_sha256 == digest_of(data)
    assert corners(picture) == ["red", "green", "blue", "white"]


def turned_by(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


@pytest.mark.parametrize(
    "options",
    [
        *({"exif": turned_by(orientation)} for orientation in (0, 9, 65535)),
        {"exif": b"Exif\0\0MM\0*\xff\xff\xff\xff"},
        # browsers do not read it
        {"xmp": b'<x:xmpmeta xmlns:x="adobe:ns:meta/" tiff:Orientation="6"></x:xmpmeta>'},
    ],
)
def test_invalid_orientation_and_damaged_exif_or_xmp_are_ignored(options: dict[str, Any]) -> None:
    data = jpeg_bytes(300, 200, **options)
    assert read_picture(data, VOC).data == data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Reason.NOT_JPEG),
        (b"\xff\xd8\xff", Reason.UNDECODABLE),
        (b"\xff\xd8\xff\xe0" + b"\0" * 500, Reason.UNDECODABLE),
        (png_bytes(300, 200), Reason.NOT_JPEG),
        (gif_bytes(300, 200, frames=3), Reason.NOT_JPEG),
        (b"<!DOCTYPE html><title>Sorry</title>", Reason.HTML),
        (b"\n  <html>", Reason.HTML),
        (jpeg_bytes(300, 200)[:-2], Reason.TRUNCATED),
        (jpeg_bytes(300, 200)[:-500], Reason.TRUNCATED),
        (jpeg_bytes(300, 200, progressive=True)[:-500], Reason.TRUNCATED),
        (jpeg_bytes(300, 99), Reason.TOO_SMALL),
        (jpeg_bytes(5000, 300), Reason.TOO_SMALL),
    ],
)
def test_a_file_that_is_no_whole_jpeg_is_refused_with_a_reason(data: bytes, reason: Reason) -> None:
    with pytest.raises(PhotoBrokenError) as caught:
        read_picture(data, VOC)
    assert caught.value.reason is reason
    assert caught.value.permanent


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"RIFF" + b"x" * 50, "undecodable: Pillow cannot open this WebP"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 50, "truncated: "),
        (png_bytes(300, 200)[:-300], "truncated: "),
        (make_bomb, "too_many_pixels: "),  # made where it is used: it takes half a second
    ],
)
def test_a_picture_that_pillow_cannot_open_is_refused_with_a_reason(
    data: bytes | Callable[[], bytes], says: str
) -> None:
    sent = data if isinstance(data, bytes) else data()
    with pytest.raises(PhotoBrokenError, match=f"^{says}"):
        read_picture(sent, replace(VOC, makes_jpeg=True))


@pytest.mark.parametrize("clear", [None, 5])
def test_a_16_bit_grey_picture_keeps_its_grey_levels(clear: int | None) -> None:
    greys = np.linspace(0, 65535, 200 * 150).reshape(150, 200).astype(np.uint16)
    file = io.BytesIO()
    options = {} if clear is None else {"transparency": clear}
    Image.fromarray(greys).save(file, "PNG", **options)
    picture = read_picture(file.getvalue(), replace(VOC, makes_jpeg=True))
    with Image.open(io.BytesIO(picture.data)) as stored:
        assert stored.mode == "L"
        assert np.abs(np.asarray(stored).astype(int) - greys // 256).max() <= 3


def test_a_decompression_bomb_is_refused_from_its_header_alone() -> None:
    data = bytearray(jpeg_bytes(300, 200))
    size_at = data.index(b"\xff\xc0") + 5
    data[size_at : size_at + 4] = struct.pack(">HH", 65_535, 65_535)
    with pytest.raises(PhotoBrokenError, match="too_many_pixels: 65535 x 65535"):
        read_picture(bytes(data), VOC)


@pytest.mark.parametrize("promised", [(500, 375), (375, 500), (499, 376), None])
def test_the_promised_size_may_differ_by_a_pixel_or_turn(promised: tuple[int, int] | None) -> None:
    assert read_picture(jpeg_bytes(500, 375), VOC, promised).width == 500


def test_a_picture_of_another_size_than_promised_is_refused() -> None:
    with pytest.raises(PhotoBrokenError, match="size_differs: 500 x 375 instead of 500 x 333"):
        read_picture(jpeg_bytes(500, 375), VOC, (500, 333))


@given(st.integers(min_value=0, max_value=2**32), st.integers(min_value=1, max_value=30))
def test_random_damage_gives_a_picture_or_a_named_error(seed: int, hits: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(jpeg_bytes(160, 120))
    for place in rng.integers(2, len(data), hits):
        data[place] = int(rng.integers(0, 256))
    with suppress(PhotoBrokenError):
        assert read_picture(bytes(data), VOC).width >= 100


@given(
    st.integers(min_value=0, max_value=2**32),
    st.integers(min_value=1, max_value=30),
    st.sampled_from([{}, {"progressive": True}, {"mode": "CMYK"}, {"subsampling": 0}]),
)
def test_a_damaged_picture_is_kept_only_if_its_colours_can_be_decoded(
    seed: int, hits: int, options: dict[str, Any]
) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(jpeg_bytes(160, 120, **options))
    for place in rng.integers(300, len(data), hits):  # behind the headers
        data[place] = int(rng.integers(0, 256))
    is_kept = True
    try:
        read_picture(bytes(data), VOC)
    except PhotoBrokenError:
        is_kept = False
    assert is_kept == can_be_decoded(bytes(data))


def can_be_decoded(data: bytes) -> bool:
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
            return min(image.size) >= VOC.min_side_px
    except (OSError, SyntaxError, ValueError):
        return False


SETTINGS = CollectSettings(workers=2)
LIMITS = PictureLimits(SETTINGS.longest_side_px, SETTINGS.min_side_px, SETTINGS.max_pixels)
JPEG = jpeg_bytes(400, 300)


@pytest.fixture
def decoders() -> Iterator[Decoders]:
    with closing(Decoders(SETTINGS)) as made:
        yield made


def find_process_ids() -> set[int]:
    """The decoder processes, which are children of the process that forks them."""
    parent = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    return {process_id for process_id, its_parent in _read_parents() if its_parent == parent}


def test_a_decoder_process_returns_the_same_as_decoding_in_this_process(decoders: Decoders) -> None:
    for data in (JPEG, jpeg_bytes(900, 600), jpeg_bytes(300, 400, turned_by=6)):
        assert decoders.read(data) == read_picture(data, LIMITS)
    with pytest.raises(PhotoBrokenError, match="PNG") as broken:
        decoders.read(png_bytes(300, 300))
    assert broken.value.reason is Reason.NOT_JPEG
    with pytest.raises(PhotoBrokenError) as differs:
        decoders.read(JPEG, (500, 333))
    assert differs.value.reason is Reason.SIZE_DIFFERS


def test_a_file_that_kills_its_decoder_twice_is_broken_and_others_succeed() -> None:
    """It takes longer than allowed, for which the system ends its process."""
    takes_a_second = jpeg_bytes(7200, 5500, progressive=True, subsampling=0)
    with closing(Decoders(SETTINGS, most_secs=0.3)) as decoders:
        with ThreadPoolExecutor(4) as threads:
            huge = threads.submit(decoders.read, takes_a_second)
            others = [threads.submit(decoders.read, JPEG) for _ in range(20)]
            assert {future.result().width for future in others} == {400}
            with pytest.raises(PhotoBrokenError, match="ended over it twice") as fault:
                huge.result()
        assert fault.value.reason is Reason.DECODER_ENDED
        assert decoders.read(JPEG).width == 400


def test_a_file_whose_decoder_is_killed_once_is_decoded_by_another() -> None:
    before = find_process_ids()
    with closing(Decoders(replace(SETTINGS, workers=1))) as decoders:
        decoders.read(JPEG)
        (process_id,) = find_process_ids() - before
        os.kill(process_id, signal.SIGSTOP)  # so that it dies while it holds the picture
        killer = threading.Timer(0.1, os.kill, (process_id, signal.SIGKILL))
        killer.start()
        assert decoders.read(JPEG).width == 400
        killer.join()


def test_closing_the_decoders_leaves_no_process(decoders: Decoders) -> None:
    before = find_process_ids()
    decoders.read(JPEG)
    decoders.close()
    assert find_process_ids() <= before


@pytest.mark.parametrize("bits", [8, 10, 12, 14, 16])
def test_grey_is_scaled_by_the_bits_that_the_file_uses(bits: int) -> None:
    """Twelve bits in sixteen, as cameras of science write them, must not become black."""
    greys = np.linspace(0, 2**bits - 1, 200 * 150).reshape(150, 200).astype(np.uint16)
    file = io.BytesIO()
    Image.fromarray(greys).save(file, "PNG")
    picture = read_picture(file.getvalue(), replace(VOC, makes_jpeg=True))
    with Image.open(io.BytesIO(picture.data)) as image:
        levels = np.asarray(image.convert("L"), dtype=np.int64)
    assert levels.min() < 10
    assert levels.max() > 245
