"""One image of another's: what is known of it, with its small picture or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.image_store import digest_of
from dedup.constants import MOST_CODED
from dedup.errors import DedupError
from dedup.signature.hashes import Hashes, gradient_quality
from dedup.signature.signature import Layout, Signature

from .details import (
    CodedFeatures,
    Detail,
    code_features,
    hash_details,
    hash_levels,
)


class OverlapError(DedupError):
    """What was given cannot be compared; the message says what to do."""

    exit_status = 2


class HashFileError(OverlapError):
    """A file of hashes is not whole, or of another version; the message names line and reason."""


@dataclass(frozen=True)
class TheirImage:
    """An image by its name; `signature` is there where we were given the picture, not only hashes.

    `sha256` is the file's; `levels_sha256` that of a small picture of it, None where this is no
    more than an even slope of grey.
    """

    name: str
    sha256: str
    levels_sha256: str | None
    quality: float
    layout: Layout
    views: Hashes
    details: Sequence[Detail]
    features: CodedFeatures
    signature: Signature | None = None


@dataclass(frozen=True)
class Unreadable:
    """A file that is not a whole image, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Theirs:
    """Another's images, those that cannot be read, and where they came from."""

    origin: str
    images: Sequence[TheirImage]
    unreadable: Sequence[Unreadable] = ()


def describe_image(name: str, data: bytes, signature: Signature) -> TheirImage:
    """All that can be known of an image whose file we have."""
    levels = signature.levels
    return TheirImage(
        name,
        digest_of(data),
        hash_levels(levels),
        gradient_quality(levels),
        signature.layout,
        signature.views,
        hash_details(levels, signature.layout),
        code_features(signature.features, MOST_CODED),
        signature,
    )
