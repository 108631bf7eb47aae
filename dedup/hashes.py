"""Everything that is computed from an image's bytes, by one decoding of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .signature.brightness import Brightness, read_brightness
from .signature.hashes import WholeHashes, hash_whole
from .signature.signature import find_layout, make_signature, pack_luma, pack_views


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
    """What decoded images hash to, in order.

    Each step is taken for all before the next one, which saves a fifth of the time: what a step
    needs stays in the processor's cache.
    """
    layouts = [find_layout(one) for one in decoded]
    signatures = [make_signature(*both) for both in zip(decoded, layouts, strict=True)]
    wholes = [hash_whole(one.luma) for one in signatures]
    return [
        HashedImage(whole, pack_luma(one.luma), pack_views(one))
        for whole, one in zip(wholes, signatures, strict=True)
    ]
