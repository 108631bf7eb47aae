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
_PLAIN = _APPLICATION | {_BASELINE, _EXTENDED, _SCAN, 0xC4, 0xDB, _COMMENT}
"""And tables (Huffman and quantisation) and comments."""
MOST_KEPT_BYTES = 4_096
"""Of a head that is kept for the files after it."""
_BITS, _COMPONENTS = 8, 3
_ICC = b"ICC_PROFILE\0\1\1"
_MOST_SIDE_PX = 65_500  # JPEG_MAX_DIMENSION of libjpeg
_SAMPLE_SIDES = (16).to_bytes(2) * 2


def find_plain_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a whole colour JPEG that asks for nothing; None where it may be none."""
    head = _find_head(data)
    if head is None or max(head.size_wh) > _MOST_SIDE_PX or min(head.size_wh) < 1:
        return None
    marker = _find_marker(data, head.scan)
    return head.size_wh if marker == _EOI[1] and _can_decode(head.sample) else None


@dataclass(frozen=True, slots=True)
class _Head:
    """What stands before the pixels; `sample` is a picture of 16 by 16 pixels with the same tables.

    Profiles and comments, which decoders pass over, are left out of it.
    """

    size_wh: tuple[int, int]
    scan: int
    sample: bytes


def _find_head(data: bytes) -> _Head | None:
    """The head of the file; many files of one program and size have the same one, found once."""
    start = data.find(_START, 0, MOST_KEPT_BYTES)
    end = start + 2 + int.from_bytes(data[start + 2 : start + 4])
    if start > 0 and end <= MOST_KEPT_BYTES:
        kept = _read_kept_head(data[:end])
        if kept is not None and kept.scan == end:  # those two bytes stood in no table
            return kept
    return _read_head(data)


@lru_cache(maxsize=256)
def _read_kept_head(data: bytes) -> _Head | None:
    return _read_head(data)


def _read_head(data: bytes) -> _Head | None:
    if not data.startswith(_SOI):
        return None
    place, frame, parts = len(_SOI), 0, [_SOI]
    while place + 10 < len(data) and data[place] == 0xFF and data[place + 1] in _PLAIN:
        marker, end = data[place + 1], place + 2 + (data[place + 2] << 8 | data[place + 3])
        if marker == _SCAN:
            if not frame or data[place + 4] != _COMPONENTS:
                return None
            size_wh = (
                int.from_bytes(data[frame + 7 : frame + 9]),
                int.from_bytes(data[frame + 5 : frame + 7]),
            )
            return _Head(size_wh, end, b"".join([*parts, data[place:end], _EOI]))
        if marker in (_BASELINE, _EXTENDED):
            if frame or data[place + 4] != _BITS or data[place + 9] != _COMPONENTS:
                return None
            frame = place
            parts += [data[place : place + 5], _SAMPLE_SIDES, data[place + 9 : end]]
        elif marker != _COMMENT and not (marker == _PROFILE and data.startswith(_ICC, place + 4)):
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
    is_marker = (scan[:-1] == 0xFF).view(np.uint8)
    np.minimum(is_marker, scan[1:], out=is_marker)
    place = int(is_marker.argmax())
    return int(scan[place + 1]) if is_marker[place] else None


@lru_cache(maxsize=256)
def _can_decode(sample: bytes) -> bool:
    """Whether the decoder takes the tables, as it does those of most files of one program."""
    try:
        with Image.open(io.BytesIO(sample), formats=["JPEG"]) as image:
            image.load()
            return image.mode == "RGB"
    except (OSError, SyntaxError, ValueError, IndexError):
        return False
