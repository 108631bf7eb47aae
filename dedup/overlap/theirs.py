"""One image of somebody else's: what is known of it, with its small picture or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.image_store import digest_of
from dedup.signature.hashes import gradient_quality
from dedup.signature.signature import Layout, Signature
from dedup.signature.view_hashes import Luma, ViewHashes

from .details import Detail, hash_details
from .relief import hash_levels


@dataclass(frozen=True)
class TheirImage:
    """An image by its name; `luma` is there where we were given the picture, not only hashes.

    `sha256` is the file's; `levels_sha256` that of a small picture of it, None where this is no
    more than an even slope of grey.
    """

    name: str
    sha256: str
    levels_sha256: str | None
    quality: float
    layout: Layout
    views: ViewHashes
    details: Sequence[Detail]
    luma: Luma | None = None


@dataclass(frozen=True)
class Unreadable:
    """A file that is not a whole image, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Theirs:
    """Somebody's images, those that cannot be read, and where they came from."""

    origin: str
    images: Sequence[TheirImage]
    unreadable: Sequence[Unreadable] = ()


def describe_image(name: str, data: bytes, signature: Signature) -> TheirImage:
    """All that can be known of an image whose file we have."""
    luma = signature.luma
    return TheirImage(
        name,
        digest_of(data),
        hash_levels(luma),
        gradient_quality(luma),
        signature.layout,
        signature.views,
        hash_details(luma, signature.layout),
        luma,
    )
