"""What is taken for whole by its structure is what a decoder takes, with the same size."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from export.importing.plain_jpeg import find_plain_size
from tests.export.importing.test_picture import make_jpeg

EOI = b"\xff\xd9"
KINDS: list[dict[str, Any]] = [
    {"quality": 95},
    {"quality": 75, "subsampling": 0},
    {"quality": 90, "subsampling": 1, "comment": "hello"},
    {"quality": 90, "optimize": True, "icc_profile": b"\1" * 300},
    {"quality": 90, "progressive": True},
    {"quality": 90, "restart_marker_blocks": 2},
]


@lru_cache
def make_kind(number: int) -> bytes:
    picture = Image.linear_gradient("L").resize((37, 29)).convert("RGB")
    picture.paste("blue", (5, 5, 20, 12))
    file = io.BytesIO()
    picture.save(file, "JPEG", **KINDS[number])
    return file.getvalue()


def decode(data: bytes) -> tuple[int, int] | None:
    try:
        with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
            image.load()
            return image.size
    except (OSError, SyntaxError, ValueError):
        return None


@pytest.mark.parametrize(("number", "size"), list(enumerate([*[(37, 29)] * 4, None, None])))
def test_usual_files_are_found_whole_and_others_left_to_the_decoder(
    number: int, size: tuple[int, int] | None
) -> None:
    assert find_plain_size(make_kind(number)) == size


def test_what_asks_to_be_turned_and_what_has_no_colour_is_left_to_the_decoder() -> None:
    assert find_plain_size(make_jpeg(orientation=6)) is None
    assert find_plain_size(make_jpeg(mode="L")) is None
    assert find_plain_size(make_jpeg(mode="CMYK")) is None
    assert find_plain_size(b"") is None


@pytest.mark.parametrize("number", range(4))
def test_a_file_cut_anywhere_is_never_whole(number: int) -> None:
    data = make_kind(number)
    assert all(find_plain_size(data[:end]) is None for end in range(len(data)))


def test_a_marker_between_the_pixels_is_found_though_decoders_pass_over_it() -> None:
    data = make_kind(0)
    middle = data.rindex(b"\xff\xda") + 40
    damaged = data[:middle] + b"\xff\xc4" + data[middle + 2 :]
    assert find_plain_size(damaged) is None


@pytest.mark.parametrize("length", [0, 2, 12, 200, 4_000, 60_000])
def test_what_looks_like_the_start_of_pixels_in_a_comment_is_passed_over(length: int) -> None:
    file, comment = io.BytesIO(), b"\xff\xda" + length.to_bytes(2) + b" " * 300
    Image.new("RGB", (31, 23), "blue").save(file, "JPEG", comment=comment)
    assert find_plain_size(file.getvalue()) == (31, 23)


def test_a_table_that_no_decoder_takes_is_found() -> None:
    data = make_kind(0)
    table = data.index(b"\xff\xc4") + 5  # how many codes of one bit there are
    damaged = data[:table] + b"\xff" + data[table + 1 :]
    assert find_plain_size(damaged) is decode(damaged) is None


@settings(max_examples=400)
@given(
    st.integers(0, len(KINDS) - 1),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=4),
    st.booleans(),
    st.floats(0, 1),
    st.sampled_from([b"", EOI, b"more" + EOI]),
)
def test_what_is_found_whole_is_decoded_to_the_same_size(
    number: int, changes: list[tuple[float, int]], is_in_head: bool, cut: float, end: bytes
) -> None:
    data = bytearray(make_kind(number))
    most = data.index(b"\xff\xda") + 20 if is_in_head else len(data)
    for place, value in changes:
        data[int(place * (most - 1))] = value
    damaged = bytes(data) if cut > 0.5 else bytes(data[: int(2 * cut * len(data))]) + end
    found = find_plain_size(damaged)
    if found is not None and found[0] * found[1] > (Image.MAX_IMAGE_PIXELS or 0):
        return  # Pillow takes it for a bomb; an import asks how many pixels there are
    assert found is None or found == decode(damaged)
