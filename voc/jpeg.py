"""JPEG files: their headers, the pictures encoded anew for a release, and stripped files.

Pillow reads headers and encodes. What `strip_jpeg` keeps is bit for bit the same, which no library
does.
"""

from __future__ import annotations

import hashlib
import io
import re
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, JpegImagePlugin, UnidentifiedImageError

from .shortage import refuse_shortage

QUALITY = 96  # as most images since 2008, with 4:4:4 colour
COMPONENTS, BITS = 3, 8
ORIENTATION, UPRIGHT = 0x0112, 1
UNDECODABLE = (
    Image.DecompressionBombError,
    IndexError,
    OSError,
    SyntaxError,
    ValueError,
    struct.error,
)
"""What Pillow raises for damaged files."""

_SOI, _EOI = b"\xff\xd8", b"\xff\xd9"
_SOS, _APP0, _APP2, _APP14, _COMMENT = 0xDA, 0xE0, 0xE2, 0xEE, 0xFE
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_RARE_FRAMES = frozenset(range(0xC3, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Lossless, hierarchical and arithmetic coding, which many readers refuse."""
_APPS = range(0xE0, 0xF0)
_JFIF, _ICC, _ADOBE = b"JFIF\0", b"ICC_PROFILE\0", b"Adobe"
_JFIF_BYTES = 14
_MOST_PADDING = 65_533
_END_OF_SCAN = re.compile(rb"\xff(?=\xff*[^\xff\x00\xd0-\xd7])", re.DOTALL)


class JpegError(ValueError):
    """The bytes are not a whole JPEG."""


@dataclass(frozen=True)
class JpegHeader:
    """The frame header: pixels, components (3 in colour), bits; how EXIF asks to turn it."""

    width: int
    height: int
    components: int
    bits: int
    orientation: int = UPRIGHT

    @property
    def fits_voc(self) -> bool:
        """Whether the file is colour of 8 bits."""
        return self.components == COMPONENTS and self.bits == BITS


def read_jpeg_header(data: bytes) -> JpegHeader:
    """The frame header of a JPEG that has an end; raises JpegError. Pixels are not decoded."""
    file = io.BytesIO(data)
    try:
        with Image.open(file, formats=["JPEG"]) as image:
            assert isinstance(image, JpegImagePlugin.JpegImageFile)
            scan = file.tell()
            asked: Any = image.getexif().get(ORIENTATION) if "exif" in image.info else UPRIGHT
            orientation = asked if asked in range(1, 9) else UPRIGHT
            header = JpegHeader(*image.size, image.layers, image.bits, orientation)
    except UnidentifiedImageError as error:
        refuse_shortage(error)
        raise JpegError("it is no JPEG, or its header is damaged") from error
    except UNDECODABLE as error:
        refuse_shortage(error)
        raise JpegError(f"its header is damaged: {error}") from error
    if data.rfind(_EOI, scan) < 0:
        raise JpegError("it is cut off")
    return header


def read_jpeg_file(path: str | Path, most_bytes: int) -> tuple[JpegHeader, bytes]:
    """The same of a file, and its digest; raises OSError, or JpegError where it is larger."""
    found = Path(path).stat()
    if not stat.S_ISREG(found.st_mode):  # reading a pipe would wait for ever
        raise JpegError("it is no file")
    if found.st_size > most_bytes:
        raise JpegError(f"it has {found.st_size} bytes")
    data = Path(path).read_bytes()
    return read_jpeg_header(data), hashlib.sha256(data).digest()


def to_rgb_jpeg(data: bytes) -> bytes:
    """The picture as a JPEG that fits VOC, the same bytes each time; raises JpegError."""
    count = 0
    try:
        with Image.open(io.BytesIO(data)) as image:
            count = image.width * image.height
            profile = image.info.get("icc_profile") if image.mode == "RGB" else None
            pixels = image.convert("RGB")
    except UnidentifiedImageError as error:
        refuse_shortage(error)
        raise JpegError("it is no picture") from error
    except UNDECODABLE as error:
        refuse_shortage(error, count)
        raise JpegError(f"it cannot be decoded: {error}") from error
    target = io.BytesIO()
    pixels.save(target, "JPEG", quality=QUALITY, subsampling=0, icc_profile=profile)
    return target.getvalue()


def strip_jpeg(data: bytes) -> bytes:
    """The file with the segments alone that its pixels need; the same object where it has no other.

    EXIF (times, places, serial numbers, thumbnails), XMP, IPTC, comments, makers' segments and
    whatever follows the end go; JFIF without its thumbnail, colour profile and Adobe's note on the
    colour transform stay. Raises JpegError where the segments cannot be told apart, or where the
    coding is lossless, hierarchical or arithmetic.
    """
    if not data.startswith(_SOI):
        raise JpegError("it does not begin as a JPEG does")
    kept: list[bytes | memoryview] = [_SOI]
    place, has_more = len(_SOI), False
    while True:
        start = place
        if data[start : start + 1] != b"\xff":
            raise JpegError("its segments are damaged")
        while data[place : place + 1] == b"\xff":  # fill bytes are allowed
            place += 1
        if place >= len(data):
            raise JpegError("it is cut off")
        first, marker, place = place, data[place], place + 1
        if marker == _EOI[1]:
            break
        if marker in _RARE_FRAMES:
            raise JpegError("its coding is one that many readers refuse")
        if marker not in _ALONE:
            place += _length(data, place)
        segment = b"\xff" + data[first:place]
        needed = _keep(marker, segment)
        has_more = has_more or needed != data[start:place]
        kept.append(needed)
        if marker == _SOS:  # of the pixels no copy is made
            if (found := _END_OF_SCAN.search(data, place)) is None:
                raise JpegError("it is cut off")
            kept.append(memoryview(data)[place : found.start()])
            place = found.start()
    if not has_more and place == len(data):
        return data
    return b"".join([*kept, _EOI])


def pad_jpeg(data: bytes, block_bytes: int) -> bytes:
    """The file, filled up with comments, which readers skip, to a multiple of `block_bytes`."""
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


def _length(data: bytes, place: int) -> int:
    length = int.from_bytes(data[place : place + 2])
    if length < 2 or place + length > len(data):
        raise JpegError("it is cut off")
    return length


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
