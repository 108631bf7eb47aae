"""The picture of an image in a tree, with the pixels that its annotation speaks of.

Readers of VOC trees do not turn pictures by their EXIF orientation, browsers do. So that page, box
and XML agree, a picture that asks to be turned is stored without that request where its boxes were
drawn on the pixels as they lie, and upright where they were drawn on the upright ones.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

from PIL import Image, ImageOps

from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore, digest_of
from export.jpeg import QUALITY, JpegError, read_jpeg_header, to_rgb_jpeg
from export.strip_jpeg import strip_jpeg
from export.voc.records import Number, VocSize

from .plain_jpeg import find_plain_size

_ORIENTATION = 0x0112
_UPRIGHT = 1
_EXIF = b"Exif\0\0"
_APP1 = 0xE1
_SOS = 0xDA


_UNDECODABLE = (
    Image.DecompressionBombError,
    IndexError,
    OSError,
    SyntaxError,
    ValueError,
    struct.error,
)
"""What Pillow raises for damaged files, besides its own errors."""


class PictureError(ValueError):
    """The picture cannot be taken, and why."""


@dataclass(frozen=True)
class TreePicture:
    """A file to be stored; `original_sha256` where it is not the one of the tree.

    `release_data` is the file that releases hold, where the stored one is no 8-bit colour JPEG.
    """

    data: bytes
    size_wh: tuple[int, int]
    original_sha256: str | None = None
    release_data: bytes | None = None


def read_picture(data: bytes, size: VocSize | None, max_pixels: int) -> TreePicture:
    """The picture in the bytes of a whole JPEG; raises PictureError.

    `size` is what the annotation says, None where it does not say.
    """
    plain = find_plain_size(data)
    if plain and plain[0] * plain[1] <= max_pixels and _said(size, plain) == plain:
        return TreePicture(data, plain)
    return _read_carefully(data, size, max_pixels)


def has_same_pixels(store: ImageStore, first: str, second: str) -> bool:
    """Whether two stored files are one JPEG, but for what does not touch the pixels."""
    try:
        return strip_jpeg(store.get(first)) == strip_jpeg(store.get(second))
    except (ImageMissingError, JpegError):
        return False


def _read_carefully(data: bytes, size: VocSize | None, max_pixels: int) -> TreePicture:
    """The same of any file, decoded in full."""
    try:
        header = read_jpeg_header(data)
        if header.width * header.height > max_pixels:
            raise PictureError(f"its picture has {header.width} x {header.height} pixels")
        stored, size_wh = _as_annotated(data, size)
        fits_voc = read_jpeg_header(stored).fits_voc
        release_data = None if fits_voc else to_rgb_jpeg(stored)
    except JpegError as error:
        raise PictureError(f"its picture is no whole JPEG: {error}") from error
    except _UNDECODABLE as error:
        if isinstance(error, PictureError):
            raise
        raise PictureError(f"its picture cannot be decoded: {error}") from error
    original = None if stored is data else digest_of(data)
    return TreePicture(stored, size_wh, original, release_data)


def _as_annotated(data: bytes, size: VocSize | None) -> tuple[bytes, tuple[int, int]]:
    with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
        image.load()
        lying = image.size
        is_upright = image.getexif().get(_ORIENTATION, _UPRIGHT) in (_UPRIGHT, 0)
        said = _said(size, lying)
        if said == lying:
            return (data if is_upright else drop_exif(data)), lying
        upright = ImageOps.exif_transpose(image)
        if said != upright.size:
            raise PictureError(
                f"its annotation says {said[0]} x {said[1]} pixels, "
                f"but its picture has {lying[0]} x {lying[1]}"
            )
        upright.info.pop("exif", None)
        target = io.BytesIO()
        profile = image.info.get("icc_profile")
        upright.save(target, "JPEG", quality=QUALITY, subsampling=0, icc_profile=profile)
        return target.getvalue(), upright.size


def _said(size: VocSize | None, lying: tuple[int, int]) -> tuple[Number, Number]:
    """The size that the annotation gives, the picture's own where it gives none."""
    return (size.width, size.height) if size and size.width and size.height else lying


def drop_exif(data: bytes) -> bytes:
    """The same JPEG, its pixels bit for bit, without its EXIF segments."""
    parts, place = [data[:2]], 2
    while place + 4 <= len(data) and data[place] == 0xFF and data[place + 1] != _SOS:
        end = place + 2 + int.from_bytes(data[place + 2 : place + 4])
        segment = data[place:end]
        if segment[1] != _APP1 or not segment[4:].startswith(_EXIF):
            parts.append(segment)
        place = end
    return b"".join([*parts, data[place:]])
