"""JPEG files: their headers, the pictures encoded anew for a release, and stripped files.

Pillow reads headers and encodes. What `strip_jpeg` keeps is bit for bit the same, which no library
does.
"""

from __future__ import annotations

import io
import re
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from PIL import Image, JpegImagePlugin, UnidentifiedImageError

from .shortage import refuse_shortage

QUALITY = 96  # as most images since 2008, with 4:4:4 colour
COMPONENTS = 3
BITS = 8
ORIENTATION = 0x0112
UPRIGHT = 1
UNDECODABLE = (
    Image.DecompressionBombError,
    IndexError,
    OSError,
    SyntaxError,
    ValueError,
    struct.error,
)
"""What Pillow raises for damaged files."""

_TURNING = range(2, 9)
SIDEWAYS = range(5, 9)
"""The orientations that swap width and height."""
SOI = b"\xff\xd8"
EOI = b"\xff\xd9"
_SOS = 0xDA
APP0 = 0xE0
APP2 = 0xE2
APP14 = 0xEE
COMMENT = 0xFE
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_RARE_FRAMES = frozenset(range(0xC3, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Lossless, hierarchical and arithmetic coding, which many readers refuse."""
APPS = range(0xE0, 0xF0)
JFIF = b"JFIF\0"
ICC = b"ICC_PROFILE\0"
ADOBE = b"Adobe"
JFIF_BYTES = 14
_MOST_PADDING = 65_533
_END_OF_SCAN = re.compile(rb"\xff(?=\xff*[^\xff\x00\xd0-\xd7])", re.DOTALL)


class JpegError(ValueError):
    """The bytes are not a whole JPEG."""


@dataclass(frozen=True)
class JpegHeader:
    """The frame header: pixels, components (3 in colour), bits; how EXIF asks to turn it.

    `is_turned_by_some`: EXIF asks for nothing, but XMP does, as Pillow obeys and browsers do not.
    """

    width: int
    height: int
    components: int
    bits: int
    orientation: int = UPRIGHT
    is_turned_by_some: bool = False

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
            orientation = find_orientation(image)
            asks = b"rientation" in image.info.get("xmp", b"") and orientation == UPRIGHT
            is_turned = asks and image.getexif().get(ORIENTATION) in _TURNING
            header = JpegHeader(*image.size, image.layers, image.bits, orientation, is_turned)
    except UnidentifiedImageError as error:
        refuse_shortage(error)
        raise JpegError("it is no JPEG, or its header is damaged") from error
    except UNDECODABLE as error:
        refuse_shortage(error)
        raise JpegError(f"its header is damaged: {error}") from error
    if data.rfind(EOI, scan) < 0:
        raise JpegError("it is cut off")
    return header


def find_orientation(image: Image.Image) -> int:
    """The orientation by EXIF, as browsers read it; upright where it is damaged or missing.

    TIFF counts as upright: Pillow gives its size and its pixels as they are seen.
    """
    exif = Image.Exif()
    try:
        exif.load(image.info.get("exif") or b"")
        orientation = exif.get(ORIENTATION)
    except Exception as error:  # Pillow raises many kinds over damaged EXIF
        refuse_shortage(error)
        return UPRIGHT
    return orientation if isinstance(orientation, int) and orientation in range(1, 9) else UPRIGHT


def read_jpeg_file(path: str | Path, most_bytes: int) -> tuple[JpegHeader, bytes]:
    """The same of a file, and its bytes; raises OSError, or JpegError where it is larger."""
    status = Path(path).stat()
    if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait for ever
        raise JpegError("it is no file")
    if status.st_size > most_bytes:
        raise JpegError(f"it has {status.st_size} bytes")
    data = Path(path).read_bytes()
    return read_jpeg_header(data), data


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
    kept: list[bytes | memoryview] = [SOI]
    place = len(SOI)
    has_more = False
    for segment in iterate_segments(data):
        place = segment.scan_end
        if segment.marker == EOI[1]:
            break
        if segment.marker in _RARE_FRAMES:
            raise JpegError("its coding is one that many readers refuse")
        needed = _keep(segment.marker, segment.data)
        has_more = has_more or needed != data[segment.start : segment.end]
        kept += [needed, memoryview(data)[segment.end : segment.scan_end]]  # no copy of pixels
    if not has_more and place == len(data):
        return data
    return b"".join([*kept, EOI])


class Segment(NamedTuple):
    """A segment from its 0xff on without fill bytes, where it lies, and where its pixels end."""

    marker: int
    data: bytes
    start: int
    end: int
    scan_end: int

    @property
    def content(self) -> bytes:
        """What follows the marker and the length."""
        return self.data[4:]


def iterate_segments(data: bytes) -> Iterator[Segment]:
    """The segments behind the first marker, up to the end of the picture; raises JpegError."""
    if not data.startswith(SOI):
        raise JpegError("it does not begin as a JPEG does")
    place = len(SOI)
    marker = SOI[1]
    while marker != EOI[1]:
        start = place
        if data[start : start + 1] != b"\xff":
            raise JpegError("its segments are damaged")
        while data[place : place + 1] == b"\xff":  # fill bytes are allowed
            place += 1
        if place >= len(data):
            raise JpegError("it is cut off")
        first = place
        marker = data[place]
        end = place + 1
        if marker not in _ALONE and marker != EOI[1]:
            end += _length(data, end)
        place = end
        if marker == _SOS:
            if (match := _END_OF_SCAN.search(data, end)) is None:
                raise JpegError("it is cut off")
            place = match.start()
        yield Segment(marker, b"\xff" + data[first:end], start, end, place)


def pad_jpeg(data: bytes, block_bytes: int) -> bytes:
    """The file, filled up with comments, which readers skip, to a multiple of `block_bytes`."""
    missing = -len(data) % block_bytes
    front = len(SOI)
    if data[front : front + 2] == bytes((0xFF, APP0)):  # JFIF wants to be first
        front += 2 + _length(data, front + 2)
    parts = [data[:front]]
    while missing:
        if missing < 4:  # a comment has four bytes at least
            missing += block_bytes
        size = min(missing, _MOST_PADDING + 4)
        if 0 < missing - size < 4:
            size -= 4
        parts.append(bytes((0xFF, COMMENT)) + (size - 2).to_bytes(2) + bytes(size - 4))
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
    if marker == APP0 and content.startswith(JFIF) and len(content) >= JFIF_BYTES:
        thumbnail = content[12:14]
        if thumbnail == b"\0\0" and len(content) == JFIF_BYTES:
            return segment
        return segment[:2] + (JFIF_BYTES + 2).to_bytes(2) + content[:12] + b"\0\0"
    if marker == COMMENT:
        return b""
    if marker not in APPS:
        return segment
    is_needed = (marker == APP2 and content.startswith(ICC)) or (
        marker == APP14 and content.startswith(ADOBE)
    )
    return segment if is_needed else b""
