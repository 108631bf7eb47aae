"""JPEG files without what could identify people or places, their pixels bit for bit the same."""

from __future__ import annotations

import re

import numpy as np

from .jpeg import JpegError

_SOI, _EOI = b"\xff\xd8", b"\xff\xd9"
_SOS, _APP0, _APP2, _APP14, _COMMENT = 0xDA, 0xE0, 0xE2, 0xEE, 0xFE
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_APPS = range(0xE0, 0xF0)
_JFIF, _ICC, _ADOBE = b"JFIF\0", b"ICC_PROFILE\0", b"Adobe"
_JFIF_BYTES = 14
_MARK = 0xFF
_END_OF_SCAN = re.compile(rb"\xff+[^\xff\x00\xd0-\xd7]", re.DOTALL)
_MOST_PADDING = 65_533


def strip_jpeg(data: bytes) -> bytes:
    """The file with the segments alone that its pixels need; the same object where it has no other.

    EXIF (times, places, serial numbers, thumbnails), XMP, IPTC, comments, makers' segments and
    whatever follows the end go; JFIF without its thumbnail, colour profile and Adobe's note on the
    colour transform stay. Raises JpegError where the segments cannot be told apart.
    """
    if not data.startswith(_SOI):
        raise JpegError("it does not begin as a JPEG does")
    kept: list[bytes | memoryview] = [_SOI]
    place, has_more = len(_SOI), False
    while True:
        start = place
        marker, place = _read_marker(data, place)
        if marker == _EOI[1]:
            break
        if marker not in _ALONE:
            place += _length(data, place)
        segment = b"\xff" + data[_first_byte(data, start) : place]
        needed = _keep(marker, segment)
        has_more = has_more or needed != data[start:place]
        kept.append(needed)
        if marker == _SOS:  # of the pixels no copy is made
            end = _find_scan_end(data, place)
            kept.append(memoryview(data)[place:end])
            place = end
    if not has_more and place == len(data):
        return data
    return b"".join([*kept, _EOI])


def pad_jpeg(data: bytes, block_bytes: int) -> bytes:
    """The file filled up with empty comments to the next multiple of so many bytes.

    Readers skip comments; the pixels and all other segments are the same.
    """
    missing = -len(data) % block_bytes
    front = len(_SOI)
    if data[front : front + 2] == bytes((0xFF, _APP0)):  # JFIF wants to be first
        front += 2 + _length(data, front + 2)
    parts = [data[:front]]
    while missing:
        if missing < 4:  # a comment has four bytes at least
            missing += block_bytes
        size = min(missing, _MOST_PADDING + 4)
        if 0 < missing - size < 4:
            size -= 4
        parts.append(bytes((0xFF, _COMMENT)) + (size - 2).to_bytes(2) + bytes(size - 4))
        missing -= size
    return b"".join([*parts, data[front:]])


def _read_marker(data: bytes, place: int) -> tuple[int, int]:
    if data[place : place + 1] != b"\xff":
        raise JpegError("its segments are damaged")
    place = _first_byte(data, place)
    if place >= len(data):
        raise JpegError("it is cut off")
    return data[place], place + 1


def _first_byte(data: bytes, place: int) -> int:
    """Where the marker's own byte is, behind any fill bytes."""
    while data[place : place + 1] == b"\xff":
        place += 1
    return place


def _length(data: bytes, place: int) -> int:
    length = int.from_bytes(data[place : place + 2])
    if length < 2 or place + length > len(data):
        raise JpegError("it is cut off")
    return length


def _find_scan_end(data: bytes, place: int) -> int:
    last = len(data) - len(_EOI)
    if data.endswith(_EOI, place) and _is_plain_scan(data, place, last):
        return last  # as in nearly all files; a pattern takes far longer
    match = _END_OF_SCAN.search(data, place)
    if match is None:
        raise JpegError("it is cut off")
    return match.start()


def _is_plain_scan(data: bytes, place: int, last: int) -> bool:
    """Whether nothing but pixels is there: each 0xFF has a 0 behind it.

    Whole passes of numpy take a fraction of what looking up each 0xFF takes.
    """
    scan = np.frombuffer(data, np.uint8, last - place, place)
    is_marker = (scan[:-1] == _MARK) & (scan[1:] != 0)
    return not is_marker.any() and data[last - 1] != _MARK


def _keep(marker: int, segment: bytes) -> bytes:
    """What stays of a segment."""
    content = segment[4:]
    if marker == _APP0 and content.startswith(_JFIF) and len(content) >= _JFIF_BYTES:
        thumbnail = content[12:14]
        if thumbnail == b"\0\0" and len(content) == _JFIF_BYTES:
            return segment
        return segment[:2] + (_JFIF_BYTES + 2).to_bytes(2) + content[:12] + b"\0\0"
    if marker == _COMMENT:
        return b""
    if marker not in _APPS:
        return segment
    is_needed = (marker == _APP2 and content.startswith(_ICC)) or (
        marker == _APP14 and content.startswith(_ADOBE)
    )
    return segment if is_needed else b""
