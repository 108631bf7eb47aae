"""The perceptual hashes of one image, all taken from one decoding of its bytes."""

from __future__ import annotations

import io
from dataclasses import dataclass

import imagehash
import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from .errors import BrokenImageError

RECIPE = "imagehash phash 8 and 16; luma 64; draft 128; v1"
"""Names all that decides a hash's bits; only hashes of one recipe may be compared."""

LUMA_SIDE_PX = 64
DRAFT_SIDE_PX = 128  # measured: 0.4 to 2.7 of 256 bits away from a full decoding
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP")
GRADIENTS_PER_POINT = 90  # PDQ's quality: this many percent of gradient make one point


@dataclass(frozen=True)
class ImageHashes:
    """Two hashes as hexadecimal digits, and how much there was to hash, 0 (flat) to 100."""

    phash_64: str
    phash_256: str
    quality: float


def hash_image(data: bytes) -> ImageHashes:
    """The hashes of a file's bytes, the same on every call.

    Raises BrokenImageError unless the bytes are one whole image.
    """
    luma = read_luma(data)
    return ImageHashes(
        phash_64=str(imagehash.phash(luma, hash_size=8, highfreq_factor=LUMA_SIDE_PX // 8)),
        phash_256=str(imagehash.phash(luma, hash_size=16, highfreq_factor=LUMA_SIDE_PX // 16)),
        quality=gradient_quality(np.asarray(luma)),
    )


def read_luma(data: bytes) -> Image.Image:
    """The image's brightness squeezed into 64 by 64 pixels; transparent parts are white.

    A JPEG is decoded at the smallest scale that leaves both sides at least 128 pixels. Raises
    BrokenImageError unless the bytes are one whole image.
    """
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            image.draft("L", (DRAFT_SIDE_PX, DRAFT_SIDE_PX))
            return _to_luma(image)
    except UnidentifiedImageError as error:
        raise BrokenImageError(
            f"expected an image ({', '.join(FORMATS)}), got {data[:16]!r}..."
        ) from error
    except Exception as error:  # Pillow's decoders raise what they like on a hostile file
        raise BrokenImageError(f"the image cannot be decoded: {error}") from error


def gradient_quality(luma: NDArray[np.uint8]) -> float:
    """How much gradient 64 by 64 pixels of brightness hold, 0 (flat) to 100.

    PDQ's image domain quality (ThreatExchange, pdqImageDomainQualityMetric): differences of
    neighbours in whole percent, so that noise and soft skies count nothing.
    """
    levels = luma.astype(np.int32)
    percent = [np.abs(np.diff(levels, axis=axis)) * 100 // 255 for axis in (0, 1)]
    return float(min(sum(int(steps.sum()) for steps in percent) / GRADIENTS_PER_POINT, 100.0))


def _to_luma(image: Image.Image) -> Image.Image:
    if image.has_transparency_data:
        coloured = image.convert("RGBA")
        white = Image.new("RGBA", coloured.size, "white")
        image = Image.alpha_composite(white, coloured)
    side = (LUMA_SIDE_PX, LUMA_SIDE_PX)
    return image.convert("L").resize(side, Image.Resampling.LANCZOS)
