"""Segmentation masks: PNG files of palette indices, which are the labels, in VOC's colours."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from .shortage import refuse_shortage

VOID = 255
"""The label of pixels that belong to no class: borders, and what is hard to judge."""
MOST_PIXELS = 80_000_000
"""Larger masks are refused before they are decoded."""

Labels = NDArray[np.uint8]

_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"


class MaskError(ValueError):
    """The bytes are no mask; the message says what was expected."""


class MaskSizeError(MaskError):
    """The mask has another size than its picture."""


def read_mask(data: bytes, size_wh: tuple[int, int] | None = None) -> Labels:
    """The label of each pixel, row by row; MaskError, or MaskSizeError before it is decoded.

    Raises ShortageError where memory is short, which says nothing of the mask.
    """
    from PIL import Image, UnidentifiedImageError  # what scores detections needs no Pillow

    pixels = 0
    if not data.endswith(_END):
        is_png = data.startswith(b"\x89PNG\r\n\x1a\n")
        raise MaskError(f"expected a whole PNG: it is {'cut off' if is_png else 'no PNG'}")
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            pixels = image.width * image.height
            if (image.mode, image.tile[0][3]) != ("P", "P"):  # P;4 and so on have fewer bits
                message = "expected a PNG of 8-bit numbers of a palette, which are the labels"
                raise MaskError(message)
            if size_wh is not None and image.size != size_wh:
                message = f"expected the size of the picture, {_by(size_wh)}, got {_by(image.size)}"
                raise MaskSizeError(message)
            if pixels > MOST_PIXELS:
                got = _by(image.size)
                raise MaskError(f"expected a mask of at most {MOST_PIXELS} pixels, got {got}")
            return np.asarray(image, np.uint8)
    except MaskError:
        raise
    except UnidentifiedImageError as error:
        refuse_shortage(error)
        raise MaskError("expected a whole PNG: it is no PNG") from error
    except (OSError, SyntaxError, ValueError, IndexError, Image.DecompressionBombError) as error:
        refuse_shortage(error, pixels)
        raise MaskError(f"expected a whole PNG: {error}") from error


def format_mask(labels: Labels) -> bytes:
    """The PNG file of these labels, in VOC's colours."""
    from PIL import Image

    target = io.BytesIO()
    image = Image.fromarray(labels).convert("P")
    image.putpalette(make_palette())
    image.save(target, "PNG")
    return target.getvalue()


def has_palette(data: bytes) -> bool:
    """Whether the colours of a mask that `read_mask` reads are VOC's, and none is transparent."""
    from PIL import Image

    with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
        return image.getpalette("RGB") == make_palette() and "transparency" not in image.info


def find_colour(label: int) -> tuple[int, int, int]:
    """The entry of VOC's palette: three lowest bits at a time, the lowest to red, from the top."""
    colour = [0, 0, 0]
    for plane in range(8):
        for channel in range(3):
            colour[channel] |= ((label >> (3 * plane + channel)) & 1) << (7 - plane)
    return colour[0], colour[1], colour[2]


def make_palette() -> list[int]:
    """VOC's palette as Pillow takes it: red, green and blue of each of the 256 labels."""
    return [channel for label in range(256) for channel in find_colour(label)]


def _by(size_wh: tuple[int, int]) -> str:
    return f"{size_wh[0]} x {size_wh[1]}"
