"""Everything that is computed from an image's bytes, by one decoding of them."""

from __future__ import annotations

from dataclasses import dataclass

from .signature.brightness import read_brightness
from .signature.hashes import WholeHashes, hash_whole
from .signature.signature import make_signature, pack_luma, pack_views


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
    signature = make_signature(read_brightness(data))
    whole = hash_whole(signature.luma)
    return HashedImage(whole, pack_luma(signature.luma), pack_views(signature))
