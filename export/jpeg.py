"""JPEG files: what the header says, and the few that have to be encoded anew for a release."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image, UnidentifiedImageError

QUALITY = 96  # as most images since 2008, with 4:4:4 colour
COMPONENTS = 3
BITS = 8

_SOI, _EOI, _SOS = b"\xff\xd8", b"\xff\xd9", 0xDA
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
    """The frame header: pixels, components (3 in colour), bits of each, kind of coding."""

    width: int
    height: int
    components: int
    bits: int
    is_common: bool

    @property
    def fits_voc(self) -> bool:
        """Whether the file is colour of 8 bits that every reader takes."""
        return self.components == COMPONENTS and self.bits == BITS and self.is_common


def read_jpeg_header(data: bytes) -> JpegHeader:
    """The frame header of a JPEG that has an end; raises JpegError. Pixels are not decoded."""
    if not data.startswith(_SOI):
        raise JpegError("it does not begin as a JPEG does")
    header: JpegHeader | None = None
    place = len(_SOI)
    while True:
        marker, place = _next_marker(data, place)
        if marker in _WITHOUT_LENGTH:
            continue
        length = int.from_bytes(data[place : place + 2])
        segment = data[place + 2 : place + length]
        if length < 2 or len(segment) != length - 2:
            raise JpegError("its header is cut off")
        place += length
        if marker in _FRAMES:
            header = _parse_frame(marker, segment)
        if marker == _SOS:
            break
    if header is None or data.rfind(_EOI, place) < 0:
        raise JpegError("it is cut off")
    return header


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
    if data[place : place + 1] != b"\xff":
        raise JpegError("its header is damaged")
    while data[place : place + 1] == b"\xff":  # fill bytes
        place += 1
    if place >= len(data):
        raise JpegError("it is cut off")
    return data[place], place + 1


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
