"""Reading EXIF orientation from bytes that may be anything."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from collect.orientation import read_orientation


def exif_bytes(order: str, orientation: int, *, kind: int = 3) -> bytes:
    mark = b"II" if order == "<" else b"MM"
    make = struct.pack(f"{order}HHII", 0x010F, 2, 4, 0)
    entry = struct.pack(f"{order}HHIHH", 0x0112, kind, 1, orientation, 0)
    head = struct.pack(f"{order}HIH", 42, 8, 2)
    return b"Exif\0\0" + mark + head + make + entry + b"\0\0\0\0"


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_both_byte_orders_are_read(order: str, orientation: int) -> None:
    assert read_orientation(exif_bytes(order, orientation)) == orientation


@pytest.mark.parametrize("orientation", range(1, 9))
def test_what_pillow_writes_is_read(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x010F] = "a camera"
    exif[0x0112] = orientation
    assert read_orientation(exif.tobytes()) == orientation


@pytest.mark.parametrize(
    "exif",
    [
        b"",
        b"Exif\0\0",
        b"Exif\0\0XX*\0",
        exif_bytes("<", 0),
        exif_bytes("<", 9),
        exif_bytes("<", 6, kind=4),
        exif_bytes(">", 6)[:20],
        b"Exif\0\0MM\0*\xff\xff\xff\xff",
    ],
)
def test_what_makes_no_sense_is_upright(exif: bytes) -> None:
    assert read_orientation(exif) == 1


@given(st.binary(max_size=60), st.sampled_from([b"", b"Exif\0\0II*\0", b"MM\0*\0\0\0\x08"]))
def test_any_bytes_give_an_orientation(rest: bytes, start: bytes) -> None:
    assert read_orientation(start + rest) in range(1, 9)
