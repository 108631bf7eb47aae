"""Which way up a picture's EXIF says it is, read from the EXIF bytes alone."""

from __future__ import annotations

import struct

UPRIGHT = 1
_TAG = 0x0112
_SHORT = 3
_ENTRY_BYTES = 12


def read_orientation(exif: bytes) -> int:
    """The orientation, 1 to 8; 1 (upright) where there is none or it makes no sense.

    It is a SHORT in the first directory of a TIFF (EXIF 2.3, section 4.6.4). XMP may hold another,
    which browsers do not read and neither do we.
    """
    tiff = exif.removeprefix(b"Exif\0\0")
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return UPRIGHT
    try:
        return _read_first_directory(tiff, order)
    except struct.error:
        return UPRIGHT


def _read_first_directory(tiff: bytes, order: str) -> int:
    (start,) = struct.unpack_from(f"{order}I", tiff, 4)
    (count,) = struct.unpack_from(f"{order}H", tiff, start)
    for number in range(count):
        at = start + 2 + number * _ENTRY_BYTES
        tag, kind, _values, value = struct.unpack_from(f"{order}HHIH", tiff, at)
        if tag == _TAG:
            return int(value) if kind == _SHORT and 1 <= value <= 8 else UPRIGHT
    return UPRIGHT
