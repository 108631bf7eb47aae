"""A stored image as two small grey pictures, from one decoding of its bytes."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from catalog.jpeg_quality import estimate_quality
from catalog.sentences import say
from dedup.constants import FEATURES_SIDE_PX, LEVELS_SIDE_PX, SHOWN_SIDE_PX
from dedup.errors import BrokenImageError, DecoderError, UnknownFormatError
from vockit.format.shortage import refuse_shortage

from .origin import Origin, measure_real_px

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP")


Levels = NDArray[np.uint8]


@dataclass(frozen=True)
class Picture:
    """A whole image in grey.

    `grey` has its longest side 320 px; `levels` is squeezed into 128 by 128 pixels, `shown` into
    256 by 256; `aspect` is the image's width : height; `origin` says how much of it is real.
    """

    grey: Levels
    levels: Levels
    shown: Levels
    aspect: float
    origin: Origin


def read_picture(data: bytes) -> Picture:
    """The picture of a file's first frame, transparent parts white, the same on every call.

    Raises BrokenImageError unless the bytes are one whole image, and ShortageError where memory is
    short, which says nothing of them.
    """
    pixels = 0
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            pixels = image.width * image.height
            grey = flatten(image)
            real_px = measure_real_px(np.asarray(grey))
            return make_picture(grey, Origin(real_px, estimate_quality(image)))
    except UnidentifiedImageError as error:
        refuse_shortage(error)
        message = say(
            "expected an image ({formats}), got {first_bytes}...",
            formats=list(FORMATS),
            first_bytes=repr(data[:16]),
        )
        raise UnknownFormatError(message) from error
    except Exception as error:  # Pillow's decoders raise what they like on a hostile file
        refuse_shortage(error, pixels)
        reason = str(error) or type(error).__name__
        message = say("the image cannot be decoded: {reason}", reason=reason.replace("\0", ""))
        raise BrokenImageError(message) from error


def check_decoder() -> None:
    """Raise DecoderError where this machine cannot read a JPEG that it has just written."""
    file = io.BytesIO()
    try:
        Image.linear_gradient("L").convert("RGB").save(file, "JPEG")
        read_picture(file.getvalue())
    except (OSError, BrokenImageError) as error:
        raise DecoderError(
            f"Pillow on this machine cannot read a JPEG that it has just written ({error}). "
            "Install Pillow again, then run this again. No image was changed by that."
        ) from error


def make_picture(grey: Image.Image, origin: Origin) -> Picture:
    """The picture of an image of one channel."""
    scale = FEATURES_SIDE_PX / max(grey.size)
    size = max(round(grey.width * scale), 1), max(round(grey.height * scale), 1)
    method = Image.Resampling.LANCZOS if scale > 1 else Image.Resampling.HAMMING
    levels, shown = (
        np.asarray(grey.resize((side, side), Image.Resampling.HAMMING))
        for side in (LEVELS_SIDE_PX, SHOWN_SIDE_PX)
    )
    return Picture(
        np.asarray(grey.resize(size, method)),
        levels,
        shown,
        grey.width / grey.height,
        origin,
    )


def flatten(image: Image.Image) -> Image.Image:
    """The image in one channel of 8 bits, on white."""
    if image.has_transparency_data:
        coloured = image.convert("RGBA")
        white = Image.new("RGBA", coloured.size, "white")
        image = Image.alpha_composite(white, coloured)
    elif image.mode.startswith(("I", "F")):
        image = _to_8_bits(image)
    return image if image.mode == "L" else image.convert("L")


def _to_8_bits(image: Image.Image) -> Image.Image:
    """The same picture of 256 levels, its darkest pixel black and its brightest white."""
    values = np.asarray(image, dtype=np.float64)
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    span = float(values.max() - values.min()) or 1.0
    return Image.fromarray(((values - values.min()) / span * 255).astype(np.uint8))
