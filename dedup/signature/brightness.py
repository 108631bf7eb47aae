"""The brightness of a stored image as one small square picture, from one decoding of its bytes."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from dedup.pairs import BrokenImageError

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP")
SIDE_PX = 128  # a JPEG drafted to 128 is 0.4 to 2.7 of 256 bits off

Levels = NDArray[np.uint8]


@dataclass(frozen=True)
class Brightness:
    """A whole image squeezed into 128 by 128 levels of 0 to 255; `aspect` is its width : height."""

    levels: Levels
    aspect: float

    def halve(self) -> Levels:
        """The same in 64 by 64 pixels, each the mean of four."""
        wide = self.levels.astype(np.uint16)
        rows = wide[::2] + wide[1::2]
        halved: Levels = ((rows[:, ::2] + rows[:, 1::2] + 2) >> 2).astype(np.uint8)
        return halved


def read_brightness(data: bytes) -> Brightness:
    """The brightness of a file's first frame, transparent parts white, the same on every call.

    A JPEG is decoded at the smallest scale that leaves both sides at least 128 pixels. Raises
    BrokenImageError unless the bytes are one whole image.
    """
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


def _squeeze(image: Image.Image) -> Levels:
    if image.has_transparency_data:
        coloured = image.convert("RGBA")
        white = Image.new("RGBA", coloured.size, "white")
        image = Image.alpha_composite(white, coloured)
    elif image.mode.startswith(("I", "F")):
        image = _to_8_bits(image)
    grey = image if image.mode == "L" else image.convert("L")
    return np.asarray(grey.resize((SIDE_PX, SIDE_PX), Image.Resampling.HAMMING))


def _to_8_bits(image: Image.Image) -> Image.Image:
    """The same picture of 256 levels, its darkest pixel black and its brightest white."""
    values = np.asarray(image, dtype=np.float64)
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    span = float(values.max() - values.min()) or 1.0
    return Image.fromarray(((values - values.min()) / span * 255).astype(np.uint8))
