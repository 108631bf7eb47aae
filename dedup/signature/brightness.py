"""The brightness of a stored image as one small square picture, from one decoding of its bytes."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from dedup.errors import BrokenImageError

from .kernels import halve
from .plain_jpegs import decode_plain_jpeg
from .resampling import SIDE_PX as SIDE_PX
from .resampling import shrink

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP")


@dataclass(frozen=True)
class Brightness:
    """A whole image squeezed into 128 by 128 levels of 0 to 255; `aspect` is its width : height."""

    levels: NDArray[np.uint8]
    aspect: float

    def halve(self) -> NDArray[np.uint8]:
        """The same in 64 by 64 pixels."""
        return halve(self.levels)


def read_brightness(data: bytes) -> Brightness:
    """The brightness of a file's first frame, transparent parts white, the same on every call.

    A JPEG is decoded at the smallest scale that leaves both sides at least 128 pixels. Raises
    BrokenImageError unless the bytes are one whole image.
    """
    if plain := decode_plain_jpeg(data, SIDE_PX):
        levels, aspect = plain
        return Brightness(shrink(levels), aspect)
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            aspect = image.width / image.height
            image.draft("L", (SIDE_PX, SIDE_PX))
            return Brightness(_squeeze(image), aspect)
    except UnidentifiedImageError as error:
        raise BrokenImageError(
            f"expected an image ({', '.join(FORMATS)}), got {data[:16]!r}..."
        ) from error
    except Exception as error:  # Pillow's decoders raise what they like on a hostile file
        raise BrokenImageError(f"the image cannot be decoded: {error}") from error


def _squeeze(image: Image.Image) -> NDArray[np.uint8]:
    if image.has_transparency_data:
        coloured = image.convert("RGBA")
        white = Image.new("RGBA", coloured.size, "white")
        image = Image.alpha_composite(white, coloured)
    elif image.mode.startswith(("I", "F")):
        image = _to_8_bits(image)
    grey = image if image.mode == "L" else image.convert("L")
    if min(grey.size) >= SIDE_PX:
        return shrink(np.asarray(grey))
    return np.asarray(grey.resize((SIDE_PX, SIDE_PX), Image.Resampling.HAMMING))


def _to_8_bits(image: Image.Image) -> Image.Image:
    """The same picture of 256 levels, its darkest pixel black and its brightest white."""
    values = np.asarray(image, dtype=np.float64)
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    span = float(values.max() - values.min()) or 1.0
    return Image.fromarray(((values - values.min()) / span * 255).astype(np.uint8))
