"""Near-duplicates of a photograph, by kind: the pixels, the known objects and the encoding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from .known import Frame, KnownObject, show

JPEG_QUALITY = 92
LOW_JPEG_QUALITY = 28
RESIZED_SCALE = 0.62
TRIMMED_SHARES = (0.03, 0.02, 0.04, 0.05)
TINT = (1.12, 1.02, 0.84)
CAPTION = "seen again, with thanks"
CAPTION_SHARE = 0.045
ORIENTATION_TAG = 0x0112
TURN_RIGHT = 6


@dataclass(frozen=True)
class Photograph:
    """Upright pixels with the objects in them, and how they are written to a file."""

    image: Image.Image
    objects: tuple[KnownObject, ...]
    format: str = "jpg"
    quality: int = JPEG_QUALITY
    is_stored_sideways: bool = False


def reframe(photograph: Photograph, frame: Frame) -> Photograph:
    """The photograph cropped and resized; what is hardly left of an object is no longer known."""
    image = photograph.image.resize(frame.size_wh, Image.Resampling.LANCZOS, frame.edges)
    shown = (show(item, frame) for item in photograph.objects)
    objects = tuple(item for item in shown if item is not None)
    return replace(photograph, image=image, objects=objects)


def recompress(photograph: Photograph) -> Photograph:
    """The same pixels, coarsely compressed."""
    return replace(photograph, quality=LOW_JPEG_QUALITY)


def resize(photograph: Photograph) -> Photograph:
    """The same view with fewer pixels."""
    width, height = photograph.image.size
    size_wh = (round(width * RESIZED_SCALE), round(height * RESIZED_SCALE))
    return reframe(photograph, Frame((0, 0, width, height), size_wh))


def trim(photograph: Photograph) -> Photograph:
    """A few per cent cut off each side."""
    width, height = photograph.image.size
    left, top, right, bottom = TRIMMED_SHARES
    edges = (
        round(width * left),
        round(height * top),
        width - round(width * right),
        height - round(height * bottom),
    )
    return reframe(photograph, Frame(edges, (edges[2] - edges[0], edges[3] - edges[1])))


def tint(photograph: Photograph) -> Photograph:
    """Warmer colours; a grey picture becomes brownish."""
    bands = photograph.image.convert("RGB").split()
    scaled = [
        band.point([min(255, round(value * factor)) for value in range(256)])
        for band, factor in zip(bands, TINT, strict=True)
    ]
    return replace(photograph, image=Image.merge("RGB", scaled))


def caption(photograph: Photograph) -> Photograph:
    """A line of outlined text along the bottom; too thin to hide any object."""
    image = photograph.image.convert("RGB")
    text_px = max(9.0, image.height * CAPTION_SHARE)
    ImageDraw.Draw(image).text(
        (image.width / 2, image.height - text_px),
        CAPTION,
        fill="white",
        font=ImageFont.load_default(text_px),
        anchor="mm",
        stroke_width=1,
        stroke_fill="black",
    )
    return replace(photograph, image=image)


def turn_aside(photograph: Photograph) -> Photograph:
    """The same picture in a file that asks to be turned (EXIF orientation)."""
    return replace(photograph, is_stored_sideways=True)


KINDS: dict[str, Callable[[Photograph], Photograph]] = {
    "recompressed": recompress,
    "resized": resize,
    "cropped": trim,
    "tinted": tint,
    "captioned": caption,
    "sideways": turn_aside,
}


def encode(photograph: Photograph) -> bytes:
    """The bytes of the photograph's file; the same photograph always gives the same bytes."""
    out = BytesIO()
    if photograph.format == "png":
        photograph.image.save(out, "PNG", optimize=False)
        return out.getvalue()
    image, exif = photograph.image, Image.Exif()
    if photograph.is_stored_sideways:
        image = image.transpose(Image.Transpose.ROTATE_90)
        exif[ORIENTATION_TAG] = TURN_RIGHT
    image.save(out, "JPEG", quality=photograph.quality, exif=exif)
    return out.getvalue()
