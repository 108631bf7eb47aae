"""JPEG files of the usual kind, found whole by their structure and by decoding with their tables.

Decoding in full takes twenty times as long and finds no more: in a file of one scan without restart
markers a decoder stops at a bad header or table, which a few pixels show, and at a missing end,
which the markers show; of anything else between it only warns (libjpeg, jdhuff.c and jdmarker.c).
All other files are left to the decoder.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image

_SOI, _EOI = b"\xff\xd8", b"\xff\xd9"
_BASELINE, _EXTENDED, _SCAN, _PROFILE, _COMMENT = 0xC0, 0xC1, 0xDA, 0xE2, 0xFE
_APPLICATION = frozenset({0xE0, *range(0xE2, 0xF0)})
"""Not 0xE1, where EXIF and XMP may ask to turn the picture."""
_PLAIN = _APPLICATION | {_BASELINE, _EXTENDED, _SCAN, 0xC4, 0xDB, _COMMENT}
"""And tables (Huffman and quantisation) and comments."""
_MARKER = re.compile(rb"\xff[^\x00]")
_BITS, _COMPONENTS = 8, 3
_ICC = b"ICC_PROFILE\0\1\1"
_MOST_SIDE_PX = 65_500  # JPEG_MAX_DIMENSION of libjpeg
_SAMPLE_SIDES = (16).to_bytes(2) * 2


def find_plain_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a whole colour JPEG that asks for nothing; None where it may be none."""
    head = _find_head(data)
    if head is None or max(head.size_wh) > _MOST_SIDE_PX or min(head.size_wh) < 1:
        return None
    end = _MARKER.search(data, head.scan)
    if end is None or data[end.start() + 1] != _EOI[1] or not _can_decode(head.sample):
        return None
    return head.size_wh


@dataclass(frozen=True, slots=True)
class _Head:
    """What stands before the pixels; `sample` is a picture of 16 by 16 pixels with the same tables.

    Profiles and comments, which decoders pass over, are left out of it.
    """

    size_wh: tuple[int, int]
    scan: int
    sample: bytes


def _find_head(data: bytes) -> _Head | None:
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


@lru_cache(maxsize=256)
def _can_decode(sample: bytes) -> bool:
    """Whether the decoder takes the tables, as it does those of most files of one program."""
    try:
        with Image.open(io.BytesIO(sample), formats=["JPEG"]) as image:
            image.load()
            return image.mode == "RGB"
    except (OSError, SyntaxError, ValueError, IndexError):
        return False
