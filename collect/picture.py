"""A whole, upright JPEG of the right size, made of the bytes that came, or a named fault.

A file that is already so is kept byte for byte. One that is turned by EXIF or too large becomes a
new file, so that page, box and XML see the same pixels. Processes that decode import only this.
"""

from __future__ import annotations

import io
import resource
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from PIL import Image, JpegImagePlugin, UnidentifiedImageError

from catalog.jpeg_quality import tell_quality
from vockit.format.jpeg import find_orientation
from vockit.format.pictures import (
    FORMATS,
    PictureError,
    find_kind,
    flatten,
    open_still,
)
from vockit.format.shortage import ShortageError, refuse_shortage
from vockit.format.whole_file import digest_of

from .errors import PhotoBrokenError, Reason
from .interrupts import serve_parent

JPEG_QUALITY = 95
UPRIGHT = 1
_T = Image.Transpose
_FLIPS = _T.FLIP_LEFT_RIGHT, _T.ROTATE_180, _T.FLIP_TOP_BOTTOM
_TURNS = dict(enumerate((*_FLIPS, _T.TRANSPOSE, _T.ROTATE_270, _T.TRANSVERSE, _T.ROTATE_90), 2))
"""What makes a picture of each EXIF orientation upright."""
_PROMISE_SLACK_PX = 2
NO_MEMORY = (
    "Photographs cannot be decoded: not enough memory (`ulimit -v` shows the limit). "
    "Nothing was marked as broken; raise the limit and run the same command again."
)
NOT_STARTED = (
    "Photographs cannot be decoded: the processes for it did not start within {secs} s, so this "
    "machine is very busy or short of memory. Nothing was marked as broken; run the same command "
    "again when less is going on here."
)
_SPARE_BYTES = 2**31
_BYTES_A_PIXEL = 24
_HTML_STARTS = (b"<!doctype", b"<html", b"<head", b"<body", b"<?xml", b"<!--")


@dataclass(frozen=True)
class PictureLimits:
    """What is accepted and how large it is stored."""

    longest_side_px: int
    min_side_px: int
    max_pixels: int
    makes_jpeg: bool = False  # of pictures in another format that photographs come in
    most_secs: float = 0.0  # SIGALRM ends the process after that; 0 for no limit


@dataclass(frozen=True)
class Picture:
    """A file to be stored; `original_sha256` where it is not the one that came."""

    data: bytes
    width: int
    height: int
    original_sha256: str | None = None
    came_as: str = ""

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
    """The picture, decoded once in full, upright and of limited size.

    Raises PhotoBrokenError for what the file is, and ShortageError where memory is short, which
    says nothing of it.
    """
    kind = _find_kind(data)
    if kind != "JPEG" and not (limits.makes_jpeg and kind in FORMATS):
        raise PhotoBrokenError(Reason.NOT_JPEG, f"{kind} of {len(data)} bytes")
    pixels = 0
    try:
        # Pillow warns of damaged EXIF, which is passed over, and of sizes that are refused below.
        with (
            _limit_time(limits.most_secs),
            warnings.catch_warnings(action="ignore"),
            _open(data, kind) as image,
        ):
            pixels = image.width * image.height
            return _make_picture(image, data, limits, kind, promised_size)
    except (PhotoBrokenError, ShortageError):
        raise
    except Exception as error:  # Pillow raises many kinds over damaged files
        fault = _find_fault(error, kind)
        if fault.reason is not Reason.TOO_MANY_PIXELS:  # else nothing was decoded
            refuse_shortage(error, pixels)
        raise fault from error


@contextmanager
def _limit_time(most_secs: float) -> Iterator[None]:
    """End this process by SIGALRM where the block takes longer; 0 for no limit."""
    if not most_secs:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, most_secs)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _find_fault(error: Exception, kind: str) -> PhotoBrokenError:
    """What an error of Pillow's says of the file, once want of memory is ruled out."""
    match error:
        case Image.DecompressionBombError():
            return PhotoBrokenError(Reason.TOO_MANY_PIXELS, str(error))
        case UnidentifiedImageError():
            return PhotoBrokenError(Reason.UNDECODABLE, f"Pillow cannot open this {kind}")
        case OSError():
            return PhotoBrokenError(Reason.TRUNCATED, str(error))
    return PhotoBrokenError(Reason.UNDECODABLE, str(error) or type(error).__name__)


def prepare_process(max_pixels: int) -> None:
    """Prepare a process for files of strangers: its memory is limited, it ends with its parent."""
    serve_parent()
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = _SPARE_BYTES + max_pixels * _BYTES_A_PIXEL
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _find_kind(data: bytes) -> str:
    """The format by the first bytes; raises PhotoBrokenError for a web page."""
    if data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_HTML_STARTS):
        raise PhotoBrokenError(Reason.HTML, "a web page came instead of a photograph")
    return find_kind(data)


def _open(data: bytes, kind: str) -> Image.Image:
    """The picture, not yet decoded; raises PhotoBrokenError for what cannot be a photograph."""
    if kind == "JPEG":
        return JpegImagePlugin.JpegImageFile(io.BytesIO(data))
    try:
        return open_still(data, kind)
    except PictureError as error:
        raise PhotoBrokenError(Reason.NOT_JPEG, str(error)) from error


def _make_picture(
    image: Image.Image,
    data: bytes,
    limits: PictureLimits,
    kind: str,
    promised: tuple[int, int] | None,
) -> Picture:
    width, height = image.size  # by the header, checked before a pixel is decoded
    if width * height > limits.max_pixels:
        raise PhotoBrokenError(Reason.TOO_MANY_PIXELS, f"{width} x {height}")
    if promised is not None:
        _check_size((width, height), promised)
    orientation = find_orientation(image)
    image.load()  # every pixel: Pillow finds a truncated file only here
    if kind == "JPEG" and orientation == UPRIGHT and max(image.size) <= limits.longest_side_px:
        picture = Picture(data, width, height)
    else:
        drawn = _redraw(image, orientation, limits.longest_side_px)
        came_as = "" if kind == "JPEG" else kind
        picture = replace(drawn, original_sha256=digest_of(data), came_as=came_as)
    if min(picture.width, picture.height) < limits.min_side_px:
        raise PhotoBrokenError(Reason.TOO_SMALL, f"{picture.width} x {picture.height}")
    return picture


def _check_size(size_wh: tuple[int, int], promised_wh: tuple[int, int]) -> None:
    """Raise PhotoBrokenError where the size is not the promised one, lying or upright."""
    (width, height) = size_wh
    (wide, high) = promised_wh
    off_px = max(abs(width - wide), abs(height - high))
    turned_off_px = max(abs(width - high), abs(height - wide))  # it may be of the upright one
    if min(off_px, turned_off_px) > _PROMISE_SLACK_PX:
        detail = f"{width} x {height} instead of {wide} x {high}"
        raise PhotoBrokenError(Reason.SIZE_DIFFERS, detail)


def _redraw(image: Image.Image, orientation: int, longest_side_px: int) -> Picture:
    upright = image.transpose(_TURNS[orientation]) if orientation in _TURNS else image
    profile = image.info.get("icc_profile")
    comment = tell_quality(image)
    if upright.mode not in ("L", "RGB"):
        upright = flatten(upright)
        profile = None
    elif upright.has_transparency_data:
        upright = flatten(upright)
    scale = min(1.0, longest_side_px / max(upright.size))
    size_wh = max(1, round(upright.width * scale)), max(1, round(upright.height * scale))
    upright = upright.resize(size_wh, Image.Resampling.LANCZOS)
    file = io.BytesIO()
    upright.save(file, "JPEG", quality=JPEG_QUALITY, icc_profile=profile, comment=comment)
    return Picture(file.getvalue(), *upright.size)
