"""Whether the grain of two whole pictures is one: their hashes of 256 bits."""

from __future__ import annotations

import numpy as np

from dedup.signature.maps import IDENTITY, Map
from dedup.signature.view_hashes import LUMA_SIDE_PX, hash_spectra, transform_matrix

from .pixels import Floats

WHOLE_FREQUENCIES = 16
UPRIGHT_SHIFT = 0.05


def count_whole_bits(firsts: Floats, seconds: Floats, to_second: Map) -> list[int | None]:
    """In how many bits the hashes of wholes differ; None where they do not lie upright.

    Noise and grain decide the higher bits of a picture without details; a copy has the same.
    """
    matrix = transform_matrix(LUMA_SIDE_PX, WHOLE_FREQUENCIES)
    one, two = (hash_spectra(matrix @ wholes @ matrix.T) for wholes in (firsts, seconds))
    bits = np.bitwise_count(one ^ two).sum(axis=1).tolist()
    are_upright = np.abs(to_second - IDENTITY).max(axis=(1, 2)) < UPRIGHT_SHIFT
    return [count if upright else None for count, upright in zip(bits, are_upright, strict=True)]
