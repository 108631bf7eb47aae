"""Plain JPEGs decoded by simplejpeg, which takes a sixth less time for them than Pillow does.

Both use libjpeg-turbo and come to the same bytes. Whatever is unusual is left to Pillow.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

turbo: Any = import_module("simplejpeg") if find_spec("simplejpeg") else None
"""None where there is no wheel for it."""

MAGIC = b"\xff\xd8\xff"
SCALES = (8, 4, 2, 1)
COLOURS = {"YCbCr", "Gray"}
MOST_PIXELS = 50_000_000
"""Beyond this Pillow decides what is too large to be decoded."""


def decode_plain_jpeg(data: bytes, side_px: int) -> tuple[NDArray[np.uint8], float] | None:
    """A JPEG's brightness at the smallest scale that leaves both sides so long, and its shape.

    The shape is width : height. None for any other file, a smaller one, and a damaged one.
    """
    if turbo is None or not data.startswith(MAGIC):
        return None
    try:
        height, width, colours, _ = turbo.decode_jpeg_header(data)
        shrinkable = min(width // side_px, height // side_px)
        if colours not in COLOURS or height * width > MOST_PIXELS or not shrinkable:
            return None
        scale = next(scale for scale in SCALES if scale <= shrinkable)
        least = {"min_width": -(-width // scale), "min_height": -(-height // scale)}
        levels: NDArray[np.uint8] = turbo.decode_jpeg(data, "GRAY", **least)[:, :, 0]
    except ValueError:  # damaged, or of a kind that simplejpeg does not know
        return None
    return levels, width / height
