"""JPEG files of the usual kind, found whole by their structure and by decoding their first pixels.

Decoding in full takes twenty times as long and finds no more: in a file of one scan without restart
markers a decoder stops at a bad header or table, which the first pixels show, and at a missing end,
which the markers show; of anything else between it only warns (libjpeg, jdhuff.c and jdmarker.c).
All other files are left to the decoder.
"""

from __future__ import annotations

import io
import re

from PIL import Image

_SOI, _EOI = b"\xff\xd8", b"\xff\xd9"
_BASELINE, _EXTENDED, _SCAN = 0xC0, 0xC1, 0xDA
_APPLICATION = frozenset({0xE0, *range(0xE2, 0xF0)})
"""Not 0xE1, where EXIF and XMP may ask to turn the picture."""
_PLAIN = _APPLICATION | {_BASELINE, _EXTENDED, _SCAN, 0xC4, 0xDB, 0xFE}
"""And tables (Huffman and quantisation) and comments."""
_MARKER = re.compile(rb"\xff[^\x00]")
_COLOUR = b"\x08", b"\x03"
"""Bits, and components of the frame and of its one scan."""
_MOST_SIDE_PX = 65_500  # JPEG_MAX_DIMENSION of libjpeg
_SAMPLE_SIDE = (16).to_bytes(2)
_SAMPLE_BYTES = 256


def find_plain_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a whole colour JPEG that asks for nothing; None where it may be none."""
    found = _find_frame_and_scan(data)
    if found is None:
        return None
    frame, scan = found
    end = _MARKER.search(data, scan)
    if end is None or data[end.start() + 1] != _EOI[1] or not _can_begin(data, frame, scan):
        return None
    width, height = data[frame + 7 : frame + 9], data[frame + 5 : frame + 7]
    size = int.from_bytes(width), int.from_bytes(height)
    return size if min(size) > 0 and max(size) <= _MOST_SIDE_PX else None


def _find_frame_and_scan(data: bytes) -> tuple[int, int] | None:
    """Where the frame header is, and where the only scan's pixels begin."""
    if not data.startswith(_SOI):
        return None
    place, frame = len(_SOI), 0
    while place + 10 < len(data) and data[place] == _EOI[0] and data[place + 1] in _PLAIN:
        marker, length = data[place + 1], data[place + 2] << 8 | data[place + 3]
        end = place + 2 + length
        if marker == _SCAN:
            is_one = bool(frame) and data[place + 4 : place + 5] == _COLOUR[1]
            return (frame, end) if is_one else None
        if marker in (_BASELINE, _EXTENDED):
            if frame or (data[place + 4 : place + 5], data[place + 9 : place + 10]) != _COLOUR:
                return None
            frame = place
        place = end
    return None


def _can_begin(data: bytes, frame: int, scan: int) -> bool:
    """Whether a picture with the same head and fewer pixels is decoded."""
    sides = _SAMPLE_SIDE * 2
    head = data[: frame + 5] + sides + data[frame + 9 : scan + _SAMPLE_BYTES] + _EOI
    try:
        with Image.open(io.BytesIO(head), formats=["JPEG"]) as image:
            image.load()
            return image.mode == "RGB"
    except (OSError, SyntaxError, ValueError):
        return False
