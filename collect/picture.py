"""The bytes that came as a photograph: a whole, upright JPEG of the right size, or a named fault.

A file that is already so is kept byte for byte. One that asks to be turned (EXIF orientation) or
is larger than wanted becomes a new file, so that page, box and XML see the same pixels.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from catalog.whole_file import digest_of

from .errors import PhotoBrokenError
from .orientation import UPRIGHT, read_orientation
from .reasons import Reason

JPEG_QUALITY = 95
_DRAFT = 8
_T = Image.Transpose
_TURNS: dict[int, Image.Transpose | None] = {
    1: None,
    2: _T.FLIP_LEFT_RIGHT,
    3: _T.ROTATE_180,
    4: _T.FLIP_TOP_BOTTOM,
    5: _T.TRANSPOSE,
    6: _T.ROTATE_270,
    7: _T.TRANSVERSE,
    8: _T.ROTATE_90,
}
"""What makes a picture of each EXIF orientation upright."""
_PROMISE_SLACK_PX = 2
_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF8", "GIF"),
    (b"RIFF", "RIFF (WebP)"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"BM", "BMP"),
    (b"%PDF", "PDF"),
    (b"\x1f\x8b", "gzip"),
)


@dataclass(frozen=True)
class PictureLimits:
    """What is accepted and how large it is stored."""

    longest_side_px: int
    min_side_px: int
    max_pixels: int


@dataclass(frozen=True)
class Picture:
    """A file to be stored; `original_sha256` where it is not the one that came."""

    data: bytes
    width: int
    height: int
    original_sha256: str | None = None

    def as_stored(self, sha256: str) -> StoredPicture:
        """The picture once it is stored under its digest."""
        return StoredPicture(sha256, self.width, self.height, len(self.data), self.original_sha256)


@dataclass(frozen=True)
class StoredPicture:
    """A picture whose file is in the image store."""

    sha256: str
    width: int
    height: int
    bytes: int
    original_sha256: str | None = None


def read_picture(
    data: bytes, limits: PictureLimits, promised_size: tuple[int, int] | None = None
) -> Picture:
    """The picture in the bytes, decoded once in full, upright and of limited size.

    `promised_size` is the width and height that the source announced. Raises PhotoBrokenError.
    """
    _check_kind(data)
    try:
        with _Jpeg(io.BytesIO(data)) as image:
            _check_size(image, limits, promised_size)
            return _make_picture(image, data, limits)
    except OSError as error:
        raise PhotoBrokenError(Reason.TRUNCATED, str(error)) from error
    except (SyntaxError, ValueError, IndexError, TypeError, KeyError, struct.error) as error:
        raise PhotoBrokenError(Reason.UNDECODABLE, str(error)) from error


class _Jpeg(JpegImageFile):
    """A JPEG opened past Image.open, whose limit on pixels is a mere warning up to twice as many.

    The resolution is of no use here, and reading it from damaged EXIF would warn once more.
    """

    def _read_dpi_from_exif(self) -> None:
        pass


def _check_kind(data: bytes) -> None:
    if data.startswith(b"\xff\xd8\xff"):
        return
    if looks_like_html(data):
        raise PhotoBrokenError(Reason.HTML, "a web page came instead of a photograph")
    kind = next((name for magic, name in _KINDS if data.startswith(magic)), "an unknown format")
    raise PhotoBrokenError(Reason.NOT_JPEG, f"{kind} of {len(data)} bytes")


def looks_like_html(data: bytes) -> bool:
    """Whether the bytes start as a web page does."""
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype", b"<html", b"<head", b"<body", b"<?xml", b"<!--"))


def _check_size(
    image: Image.Image, limits: PictureLimits, promised: tuple[int, int] | None
) -> None:
    """The header's size, checked before a pixel is decoded."""
    width, height = image.size
    if width * height > limits.max_pixels:
        raise PhotoBrokenError(Reason.TOO_MANY_PIXELS, f"{width} x {height}")
    if promised is not None and not _is_as_promised(image.size, promised):
        expected = f"{promised[0]} x {promised[1]}"
        raise PhotoBrokenError(Reason.SIZE_DIFFERS, f"{width} x {height} instead of {expected}")


def _is_as_promised(size: tuple[int, int], promised: tuple[int, int]) -> bool:
    """Either way round, because the promise may be of the upright picture."""
    return any(
        abs(size[0] - width) <= _PROMISE_SLACK_PX and abs(size[1] - height) <= _PROMISE_SLACK_PX
        for width, height in (promised, promised[::-1])
    )


def _make_picture(image: Image.Image, data: bytes, limits: PictureLimits) -> Picture:
    size_wh = image.size
    is_kept = _orientation_of(image) == UPRIGHT and max(size_wh) <= limits.longest_side_px
    if is_kept:
        _draft(image)
    image.load()
    if is_kept:
        picture = Picture(data, *size_wh)
    else:
        picture = _redraw(image, digest_of(data), limits.longest_side_px)
    if min(picture.width, picture.height) < limits.min_side_px:
        raise PhotoBrokenError(Reason.TOO_SMALL, f"{picture.width} x {picture.height}")
    return picture


def _draft(image: Image.Image) -> None:
    """Let a file that is only checked be decoded in grey and at an eighth of its size.

    Every coefficient of every block is still read, so what is damaged is found; what it would take
    a third of the time to make of them, nobody would see.
    """
    width, height = image.size
    image.draft("L", (max(1, width // _DRAFT), max(1, height // _DRAFT)))


def _orientation_of(image: Image.Image) -> int:
    return read_orientation(image.info.get("exif") or b"")


def _redraw(image: Image.Image, original_sha256: str, longest_side_px: int) -> Picture:
    turn = _TURNS[_orientation_of(image)]
    upright = image if turn is None else image.transpose(turn)
    profile = image.info.get("icc_profile")
    if upright.mode not in ("L", "RGB"):
        upright, profile = upright.convert("RGB"), None
    upright = upright.resize(_size_within(upright.size, longest_side_px), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    upright.save(file, "JPEG", quality=JPEG_QUALITY, icc_profile=profile)
    return Picture(file.getvalue(), *upright.size, original_sha256)


def _size_within(size: tuple[int, int], longest_side_px: int) -> tuple[int, int]:
    scale = min(1.0, longest_side_px / max(size))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
