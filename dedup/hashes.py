"""Everything that is computed from an image's bytes, by one decoding of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .signature.brightness import Brightness, read_brightness
from .signature.hashes import WholeHashes, hash_wholes
from .signature.signature import make_signatures, pack_luma, pack_views


@dataclass(frozen=True)
class HashedImage:
    """The hashes of the whole image, and its signature as the catalogue keeps it."""

    whole: WholeHashes
    luma: bytes
    views: bytes


def hash_image(data: bytes) -> HashedImage:
    """What a file's bytes hash to, the same on every call.

    Raises BrokenImageError unless the bytes are one whole image.
    """
    [hashed] = hash_images([read_brightness(data)])
    return hashed


def hash_images(decoded: Sequence[Brightness]) -> list[HashedImage]:
    """What decoded images hash to, in order; many at once take less time each."""
    if not decoded:
        return []
    signatures = make_signatures(decoded)
    wholes = hash_wholes(np.stack([one.luma for one in signatures]))
    return [
        HashedImage(whole, pack_luma(one.luma), pack_views(one))
        for whole, one in zip(wholes, signatures, strict=True)
    ]
