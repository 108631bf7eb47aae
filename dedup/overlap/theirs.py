"""One image of somebody else's: what is known of it, with its small picture or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dedup.signature.hashes import gradient_quality
from dedup.signature.signature import Layout, Signature
from dedup.signature.view_hashes import Luma, ViewHashes

from .details import Detail, hash_details


@dataclass(frozen=True)
class TheirImage:
    """An image by its name; `luma` is there where we were given the picture, not only hashes."""

    name: str
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


def describe_image(name: str, signature: Signature) -> TheirImage:
    """All that can be known of an image whose picture we have."""
    luma = signature.luma
    details = hash_details(luma, signature.layout)
    quality = gradient_quality(luma)
    return TheirImage(name, quality, signature.layout, signature.views, details, luma)
