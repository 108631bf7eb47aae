"""Pictures of other formats than JPEG: which they are, and the pixels of a photograph."""

from __future__ import annotations

import io

from PIL import Image

from .jpeg import ORIENTATION, QUALITY, SIDEWAYS, UPRIGHT, find_orientation
from .shortage import refuse_shortage

FORMATS = {
    "PNG": "PNG",
    "WebP": "WEBP",
    "TIFF": "TIFF",
    "BMP": "BMP",
    "GIF": "GIF",
    "AVIF": "AVIF",
    "HEIC": "HEIF",
}
"""What photographs come in besides JPEG, and what Pillow calls each."""
_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF8", "GIF"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"BM", "BMP"),
    (b"%PDF", "PDF"),
    (b"\x1f\x8b", "gzip"),
)
_BRANDS = {
    **dict.fromkeys((b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"), "HEIC"),
    **dict.fromkeys((b"avif", b"avis"), "AVIF"),
}


MOST_JPEG_SIDE_PX = 65_500
"""What libjpeg writes."""


class PictureError(ValueError):
    """The file is no picture that a photograph may come in; the message says what it is."""


def find_kind(data: bytes) -> str:
    """The format by the first bytes, as people call it."""
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data.startswith(b"RIFF"):
        return "WebP"
    if data[4:8] == b"ftyp" and data[8:12] in _BRANDS:
        return _BRANDS[data[8:12]]
    return next((name for start, name in _STARTS if data.startswith(start)), "an unknown format")


def open_still(data: bytes, kind: str) -> Image.Image:
    """The picture of one of FORMATS, not decoded yet; PictureError, and what Pillow raises."""
    if kind not in FORMATS:
        raise PictureError(f"{kind} of {len(data)} bytes")
    if kind == "HEIC":
        try:
            from pillow_heif import register_heif_opener  # type: ignore[import-not-found]
        except ImportError as error:
            raise PictureError("HEIC, which needs `pip install pillow-heif`") from error
        register_heif_opener()
    image = Image.open(io.BytesIO(data), formats=[FORMATS[kind]])
    if getattr(image, "n_frames", 1) > 1:
        raise PictureError(f"a moving {kind}")
    return image


def read_seen_size(data: bytes) -> tuple[int, int]:
    """Width and height of a picture as it is seen, turned by EXIF; PictureError."""
    kind = find_kind(data)
    try:
        with _open_any(data, kind) as image:
            is_sideways = find_orientation(image) in SIDEWAYS
            width, height = image.size
    except PictureError:
        raise
    except Exception as error:  # Pillow raises many kinds over damaged files
        refuse_shortage(error)
        raise PictureError(f"{kind} that cannot be decoded: {error}") from error
    return (height, width) if is_sideways else (width, height)


def _open_any(data: bytes, kind: str) -> Image.Image:
    if kind == "JPEG":
        return Image.open(io.BytesIO(data), formats=["JPEG"])
    return open_still(data, kind)


def flatten(image: Image.Image) -> Image.Image:
    """The pixels in grey or colour of 8 bits; what is transparent becomes white."""
    if image.mode.startswith(("I", "F")):
        image = _scale_grey(image)
    if image.has_transparency_data:
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image.convert("RGBA"))
    return image if image.mode in ("L", "RGB") else image.convert("RGB")


def _scale_grey(image: Image.Image) -> Image.Image:
    """Grey of more than 8 bits, scaled by the bits that it uses: 12 bits must not become black."""
    wide = image.convert("I")
    extrema = wide.getextrema()
    most = extrema[1] if isinstance(extrema[1], int | float) else 0
    scale = next((2**bits for bits in (8, 10, 12, 14) if most < 2**bits), 2**16) / 256
    grey = wide.point(lambda value: value / scale).convert("L")
    grey.info.pop("transparency", None)
    return grey


def make_jpeg(data: bytes, max_pixels: int) -> tuple[bytes, str]:
    """A JPEG file, and the format that it was made of, which is empty where it is `data` itself.

    A new file has the pixels as they lie, and asks to turn them as the old one did. Raises
    PictureError.
    """
    kind = find_kind(data)
    if kind == "JPEG":
        return data, ""
    count = 0
    try:
        with open_still(data, kind) as image:
            count = image.width * image.height
            if count > max_pixels or max(image.size) > MOST_JPEG_SIDE_PX:
                raise PictureError(f"a {kind} of {image.width} x {image.height} pixels")
            return _encode(image), kind
    except PictureError:
        raise
    except Exception as error:  # Pillow raises many kinds over damaged files
        refuse_shortage(error, count)
        raise PictureError(f"{kind} that cannot be decoded: {error}") from error


def _encode(image: Image.Image) -> bytes:
    """A JPEG of the pixels as they lie, which asks to turn them as the picture does."""
    profile = image.info.get("icc_profile") if image.mode in ("RGB", "L") else None
    image.load()
    exif = Image.Exif()
    if (orientation := find_orientation(image)) != UPRIGHT:
        exif[ORIENTATION] = orientation
    pixels = flatten(image)
    target = io.BytesIO()
    options = {"quality": QUALITY, "subsampling": 0, "icc_profile": profile, "exif": exif}
    pixels.save(target, "JPEG", **options)
    return target.getvalue()
