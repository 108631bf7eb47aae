"""Whether Pillow takes the head of a JPEG, which it reads itself before libjpeg-turbo does.

It takes some segments apart and refuses files for what libjpeg-turbo passes over. So each segment
must be of a usual kind, and long enough for Pillow (JpegImagePlugin.py: APP, SOF).
"""

from __future__ import annotations

from struct import Struct

_SEGMENT = Struct(">BBH")
_SCAN, _PROFILE, _PHOTOSHOP = 0xDA, 0xE2, 0xED
_USUAL = frozenset({0xC0, 0xC1, 0xC2, 0xC4, 0xDB, 0xDD, _SCAN, *range(0xE0, 0xF0), 0xFE})
"""Frames of the usual kinds, tables, the restart interval, what programs say, comments."""
_LEAST_BYTES = {0xE0: (b"JFIF", 7), _PROFILE: (b"ICC_PROFILE\0", 14), 0xEE: (b"Adobe", 7)}
_FURTHER_PICTURES = b"MPF\0"
_RESOURCE = b"8BIM"


def has_usual_head(data: bytes) -> bool:
    """Whether Pillow opens the file, of which libjpeg-turbo reads the header; False is no word."""
    at, last = 2, len(data) - _SEGMENT.size
    while at <= last:
        lead, marker, length = _SEGMENT.unpack_from(data, at)
        if lead != 0xFF or marker not in _USUAL or length < 2:
            return False
        if marker == _SCAN:
            return True
        end = at + 2 + length
        if not _takes(marker, data[at + 4 : end]):
            return False
        at = end
    return False


def _takes(marker: int, content: bytes) -> bool:
    name, least_bytes = _LEAST_BYTES.get(marker, (b"", 0))
    if len(content) < least_bytes and content.startswith(name):
        return False
    if marker == _PROFILE:
        return not content.startswith(_FURTHER_PICTURES)
    return marker != _PHOTOSHOP or content[-6:-2] != _RESOURCE
