"""JPEG files: what the header says, and the few that have to be encoded anew for a release."""

from __future__ import annotations

import io
import os
import stat
from dataclasses import dataclass, replace
from typing import Literal

from PIL import Image, UnidentifiedImageError

QUALITY = 96  # as most images since 2008, with 4:4:4 colour
COMPONENTS = 3
BITS = 8

_SOI, _EOI, _SOS, _FILL = b"\xff\xd8", b"\xff\xd9", 0xDA, 0xFF
UPRIGHT = 1
_APP1, _EXIF, _ORIENTATION = 0xE1, b"Exif\0\0", 0x0112
_MOST_ENTRIES = 500
_FRONT_BYTES = 4_096
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD8)})
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_COMMON_FRAMES = frozenset({0xC0, 0xC1, 0xC2})
"""Baseline, extended and progressive; every reader takes them."""
_UNDECODABLE = (
    Image.DecompressionBombError,
    OSError,
    SyntaxError,
    ValueError,
)


class JpegError(ValueError):
    """The bytes are not a whole JPEG."""


@dataclass(frozen=True)
class JpegHeader:
    """The frame header: pixels, components (3 in colour), bits of each, kind of coding.

    `orientation` is what EXIF says of how to turn the picture; 1 is upright.
    """

    width: int
    height: int
    components: int
    bits: int
    is_common: bool
    orientation: int = UPRIGHT

    @property
    def fits_voc(self) -> bool:
        """Whether the file is colour of 8 bits that every reader takes."""
        return self.components == COMPONENTS and self.bits == BITS and self.is_common


def read_jpeg_header(data: bytes) -> JpegHeader:
    """The frame header of a JPEG that has an end; raises JpegError. Pixels are not decoded."""
    header, place = _read_front(data)
    if data.rfind(_EOI, place) < 0:
        raise JpegError("it is cut off")
    return header


def read_jpeg_file(path: str, most_bytes: int) -> JpegHeader:
    """The same of a file, of which as little is read as will do.

    Raises OSError where it cannot be read, and JpegError where it has more than `most_bytes`.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK  # a pipe must not be waited for
    descriptor = os.open(path, flags)  # file objects cost more than what is read
    try:
        found = os.fstat(descriptor)
        size = found.st_size
        if not stat.S_ISREG(found.st_mode):
            raise JpegError("it is no file")
        if size > most_bytes:
            raise JpegError(f"it has {size} bytes")
        front = os.pread(descriptor, _FRONT_BYTES, 0)
        if len(front) < size and os.pread(descriptor, len(_EOI), size - len(_EOI)) == _EOI:
            try:
                return _read_front(front)[0]
            except JpegError:  # perhaps its front is longer
                pass
        return read_jpeg_header(os.pread(descriptor, size, 0))
    finally:
        os.close(descriptor)


def _read_front(data: bytes) -> tuple[JpegHeader, int]:
    """The frame header, and where the pixels begin."""
    if not data.startswith(_SOI):
        raise JpegError("it does not begin as a JPEG does")
    header, orientation = None, UPRIGHT
    place, marker = len(_SOI), 0
    while marker != _SOS:
        marker, place = _next_marker(data, place)
        if marker in _WITHOUT_LENGTH:
            continue
        end = place + int.from_bytes(data[place : place + 2])
        if end < place + 2 or end > len(data):
            raise JpegError("its header is cut off")
        if marker in _FRAMES:
            header = _parse_frame(marker, data[place + 2 : end])
        elif marker == _APP1 and data.startswith(_EXIF, place + 2):
            orientation = _find_orientation(data[place + 8 : end])
        place = end
    if header is None:
        raise JpegError("it is cut off")
    return replace(header, orientation=orientation) if orientation != UPRIGHT else header, place


def _find_orientation(tiff: bytes) -> int:
    """What the first directory of EXIF says (TIFF 6.0, section 2; EXIF 2.3, section 4.6.4)."""
    order: Literal["little", "big"] = "little" if tiff.startswith(b"II") else "big"

    def number(place: int, size: int) -> int:
        return int.from_bytes(tiff[place : place + size], order)

    start = number(4, 4)
    for entry in range(start + 2, start + 2 + 12 * min(number(start, 2), _MOST_ENTRIES), 12):
        if number(entry, 2) == _ORIENTATION:
            found = number(entry + 8, 2)
            return found if 1 <= found <= 8 else UPRIGHT
    return UPRIGHT


def to_rgb_jpeg(data: bytes) -> bytes:
    """The picture as a JPEG that fits VOC; the same bytes for the same file and Pillow.

    Raises JpegError where it cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(data)) as image:
            profile = image.info.get("icc_profile") if image.mode == "RGB" else None
            pixels = image.convert("RGB")
    except UnidentifiedImageError as error:
        raise JpegError("it is no picture") from error
    except _UNDECODABLE as error:
        raise JpegError(f"it cannot be decoded: {error}") from error
    target = io.BytesIO()
    pixels.save(target, "JPEG", quality=QUALITY, subsampling=0, icc_profile=profile)
    return target.getvalue()


def _next_marker(data: bytes, place: int) -> tuple[int, int]:
    """The next marker, and the place behind it."""
    start = place
    try:
        while data[place] == _FILL:
            place += 1
        marker = data[place]
    except IndexError:
        raise JpegError("it is cut off" if place > start else "its header is damaged") from None
    if place == start:
        raise JpegError("its header is damaged")
    return marker, place + 1


def _parse_frame(marker: int, segment: bytes) -> JpegHeader:
    if len(segment) < 6:
        raise JpegError("its header is cut off")
    return JpegHeader(
        width=int.from_bytes(segment[3:5]),
        height=int.from_bytes(segment[1:3]),
        components=segment[5],
        bits=segment[0],
        is_common=marker in _COMMON_FRAMES,
    )
