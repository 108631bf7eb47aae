"""JPEG files of the usual kind, found whole by their structure and by decoding with their tables.

Decoding in full takes twenty times as long and finds no more: in a file of one scan without restart
markers a decoder stops at a bad header or table, which a few pixels show, and at a missing end,
which the markers show; of anything else between it only warns (libjpeg, jdhuff.c and jdmarker.c).
All other files are left to the decoder.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image

_SOI, _EOI, _START = b"\xff\xd8", b"\xff\xd9", b"\xff\xda"
_BASELINE, _EXTENDED, _SCAN, _PROFILE, _COMMENT = 0xC0, 0xC1, 0xDA, 0xE2, 0xFE
_APPLICATION = frozenset({0xE0, *range(0xE2, 0xF0)})
"""Not 0xE1, where EXIF and XMP may ask to turn the picture."""
_SAYINGS = _APPLICATION | {_COMMENT}
_PLAIN = _SAYINGS | {_BASELINE, _EXTENDED, _SCAN, 0xC4, 0xDB}
"""And tables (Huffman and quantisation)."""
MOST_KEPT_BYTES = 4_096
"""Of tables that are kept for the files after them."""
_BITS, _COMPONENTS = 8, 3
_ICC = b"ICC_PROFILE\0\1\1"
_MOST_SIDE_PX = 65_500  # JPEG_MAX_DIMENSION of libjpeg
_SAMPLE_SIDES = (16).to_bytes(2) * 2


def find_plain_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a whole colour JPEG that asks for nothing; None where it may be none."""
    place, heeded = _read_applications(data)
    tables = _find_tables(data, place)
    if tables is None or max(tables.size_wh) > _MOST_SIDE_PX or min(tables.size_wh) < 1:
        return None
    if _find_marker(data, place + tables.length) != _EOI[1]:
        return None
    return tables.size_wh if _can_decode(heeded, tables.sample) else None


def _read_applications(data: bytes) -> tuple[int, bytes]:
    """Where what programs say of themselves ends, and what of it a decoder heeds."""
    place, heeded = len(_SOI), b""
    if not data.startswith(_SOI):
        return len(data), heeded
    while place + 10 < len(data) and data[place] == 0xFF and data[place + 1] in _SAYINGS:
        end = place + 2 + (data[place + 2] << 8 | data[place + 3])
        if _is_heeded(data, place):
            heeded += data[place:end]
        place = end
    return place, heeded


def _is_heeded(data: bytes, place: int) -> bool:
    """Whether the segment is neither a comment nor a profile, which decoders pass over."""
    marker = data[place + 1]
    return marker != _COMMENT and not (marker == _PROFILE and data.startswith(_ICC, place + 4))


@dataclass(frozen=True, slots=True)
class _Tables:
    """What follows until the pixels: so many bytes; `sample` are the same of 16 by 16 pixels."""

    size_wh: tuple[int, int]
    length: int
    sample: bytes


def _find_tables(data: bytes, place: int) -> _Tables | None:
    """The tables at that place; many files of one program and size have the same, read once."""
    start = data.find(_START, place, place + MOST_KEPT_BYTES)
    end = start + 2 + int.from_bytes(data[start + 2 : start + 4])
    if start > 0 and end <= place + MOST_KEPT_BYTES:
        kept = _read_kept_tables(data[place:end])
        if kept is not None and kept.length == end - place:  # those two bytes stood in no table
            return kept
    return _read_tables(data[place:])


@lru_cache(maxsize=256)
def _read_kept_tables(data: bytes) -> _Tables | None:
    return _read_tables(data)


def _read_tables(data: bytes) -> _Tables | None:
    place, frame, parts = 0, -1, list[bytes]()
    while place + 10 < len(data) and data[place] == 0xFF and data[place + 1] in _PLAIN:
        marker, end = data[place + 1], place + 2 + (data[place + 2] << 8 | data[place + 3])
        if marker == _SCAN:
            if frame < 0 or data[place + 4] != _COMPONENTS:
                return None
            size_wh = (
                int.from_bytes(data[frame + 7 : frame + 9]),
                int.from_bytes(data[frame + 5 : frame + 7]),
            )
            return _Tables(size_wh, end, b"".join([*parts, data[place:end], _EOI]))
        if marker in (_BASELINE, _EXTENDED):
            if frame >= 0 or data[place + 4] != _BITS or data[place + 9] != _COMPONENTS:
                return None
            frame = place
            parts += [data[place : place + 5], _SAMPLE_SIDES, data[place + 9 : end]]
        elif _is_heeded(data, place):
            parts.append(data[place:end])
        place = end
    return None


def _find_marker(data: bytes, start: int) -> int | None:
    """The first byte after 0xff that is not zero; None where there is none.

    Three passes of numpy, which take half as long as a pattern that stops at every 0xff.
    """
    scan = np.frombuffer(data, np.uint8, offset=min(start, len(data) - 1))
    if len(scan) < 2:
        return None
    is_marker = scan[:-1] == 0xFF
    numbers = is_marker.view(np.uint8)
    np.minimum(numbers, scan[1:], out=numbers)
    place = int(is_marker.argmax())
    return int(scan[place + 1]) if is_marker[place] else None


@lru_cache(maxsize=256)
def _can_decode(heeded: bytes, tables: bytes) -> bool:
    """Whether the decoder takes the tables, as it does those of most files of one program."""
    try:
        with Image.open(io.BytesIO(_SOI + heeded + tables), formats=["JPEG"]) as image:
            image.load()
            return image.mode == "RGB"
    except (OSError, SyntaxError, ValueError, IndexError):
        return False
