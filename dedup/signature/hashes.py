"""The hashes of a whole image that everybody knows, and how much there was to hash."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .brightness import SIDE_PX as DECODED_SIDE_PX
from .kernels import sum_gradients
from .view_hashes import LUMA_SIDE_PX, Luma, hash_spectra, transform_matrix

RECIPE = f"imagehash phash 8 and 16 of {LUMA_SIDE_PX} px, draft {DECODED_SIDE_PX}, views 5"
"""Names all that decides a hash's bits; only hashes of one recipe may be compared."""

GRADIENTS_PER_POINT = 90
"""PDQ's quality: so many percent of gradient make one point."""


@dataclass(frozen=True)
class WholeHashes:
    """imagehash's phash of 64 and 256 bits as hexadecimal digits, and the quality, 0 to 100."""

    phash_64: str
    phash_256: str
    quality: float


def hash_whole(luma: Luma) -> WholeHashes:
    """The hashes of 64 by 64 pixels of brightness, equal to those that imagehash gives."""
    [found] = hash_wholes(luma[None])
    return found


def hash_wholes(lumas: Luma) -> list[WholeHashes]:
    """The same of some pictures, in order."""
    matrix = transform_matrix(LUMA_SIDE_PX, 16)
    spectra = matrix @ lumas.astype(np.float32) @ matrix.T
    hashes = zip(hash_spectra(spectra[:, :8, :8]), hash_spectra(spectra), strict=True)
    return [
        WholeHashes(short.tobytes().hex(), long.tobytes().hex(), gradient_quality(luma))
        for luma, (short, long) in zip(lumas, hashes, strict=True)
    ]


def gradient_quality(luma: Luma) -> float:
    """How much gradient 64 by 64 pixels of brightness hold, 0 (flat) to 100.

    PDQ's image domain quality (ThreatExchange, pdqImageDomainQualityMetric): differences of
    neighbours in whole percent, so that noise and soft skies count nothing.
    """
    return float(min(sum_gradients(luma) / GRADIENTS_PER_POINT, 100.0))
