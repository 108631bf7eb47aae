"""All that is kept of an image for finding and verifying its near-duplicates.

A small picture, the rectangles in it, the hashes of its views, and the hashes of the whole.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from .brightness import SIDE_PX, Brightness, read_brightness
from .layout import find_cells, find_trimmed, is_drawn
from .view_hashes import (
    LUMA_SIDE_PX,
    Boxes,
    Luma,
    ViewHashes,
    hash_spectra,
    hash_views,
    transform_matrix,
)
from .views import MAX_BOXES, MAX_CELLS, MAX_TRIMMED

RECIPE = f"imagehash phash 8 and 16 of {LUMA_SIDE_PX} px, draft {SIDE_PX}, views 5"
"""Names all that decides a hash's bits; only hashes of one recipe may be compared."""

GRADIENTS_PER_POINT = 90
"""PDQ's quality: this many percent of gradient make one point."""

_HEAD = struct.Struct("<f?BB")


@dataclass(frozen=True)
class Layout:
    """An image's shape, width : height, and the rectangles in it, which tell where its views lie.

    `boxes` has 16 rows of left, top, right and bottom in 128ths; one that is missing is all zeros.
    """

    aspect: float
    is_drawn: bool
    boxes: Boxes


@dataclass(frozen=True)
class Signature:
    """A small picture of an image's brightness, its layout, and the hashes of its views."""

    luma: Luma
    layout: Layout
    views: ViewHashes


@dataclass(frozen=True)
class WholeHashes:
    """imagehash's phash of 64 and 256 bits as hexadecimal digits, and the quality, 0 to 100."""

    phash_64: str
    phash_256: str
    quality: float


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
    return HashedImage(hash_whole(signature.luma), pack_luma(signature.luma), pack_views(signature))


def make_signature(brightness: Brightness) -> Signature:
    """The signature of an image."""
    levels, luma = brightness.levels, brightness.halve()
    boxes = np.zeros((MAX_BOXES, 4), np.uint8)
    for number, box in enumerate(find_trimmed(levels, MAX_TRIMMED)):
        boxes[number] = box
    for number, box in enumerate(find_cells(levels, MAX_CELLS)):
        boxes[MAX_TRIMMED + number] = box
    layout = Layout(brightness.aspect, is_drawn(levels), boxes)
    return Signature(luma, layout, hash_views(luma, boxes, brightness.aspect))


def hash_whole(luma: Luma) -> WholeHashes:
    """The hashes of 64 by 64 pixels of brightness, equal to those that imagehash gives."""
    matrix = transform_matrix(LUMA_SIDE_PX, 16)
    spectrum = matrix @ luma.astype(np.float32) @ matrix.T
    short, long = (hash_spectra(it[None])[0].tobytes().hex() for it in (spectrum[:8, :8], spectrum))
    return WholeHashes(short, long, gradient_quality(luma))


def gradient_quality(luma: Luma) -> float:
    """How much gradient 64 by 64 pixels of brightness hold, 0 (flat) to 100.

    PDQ's image domain quality (ThreatExchange, pdqImageDomainQualityMetric): differences of
    neighbours in whole percent, so that noise and soft skies count nothing.
    """
    levels = luma.astype(np.int64)
    steps = (np.abs(np.diff(levels, axis=axis)) * 100 // 255 for axis in (0, 1))
    return float(min(sum(int(one.sum()) for one in steps) / GRADIENTS_PER_POINT, 100.0))


def pack_luma(luma: Luma) -> bytes:
    """The small picture as bytes for the catalogue."""
    return luma.tobytes()


def unpack_luma(data: bytes) -> Luma:
    """The small picture of brightness."""
    return np.frombuffer(data, np.uint8).reshape(LUMA_SIDE_PX, LUMA_SIDE_PX)


def pack_views(signature: Signature) -> bytes:
    """Everything but the luma as bytes for the catalogue."""
    layout, views = signature.layout, signature.views
    count = MAX_BOXES if layout.boxes.any() else 0
    head = _HEAD.pack(layout.aspect, layout.is_drawn, count, len(views.codes))
    hashes = views.hashes.astype("<u8").tobytes()
    return head + layout.boxes[:count].tobytes() + views.codes.tobytes() + hashes


def unpack_layout(data: bytes) -> Layout:
    """The layout out of what `pack_views` made."""
    aspect, drawn, box_count, _view_count = _HEAD.unpack_from(data)
    boxes = np.zeros((MAX_BOXES, 4), np.uint8)
    boxes[:box_count] = np.frombuffer(data, np.uint8, 4 * box_count, _HEAD.size).reshape(-1, 4)
    return Layout(aspect, drawn, boxes)


def unpack_view_hashes(data: bytes) -> ViewHashes:
    """The hashes out of what `pack_views` made."""
    _aspect, _drawn, box_count, view_count = _HEAD.unpack_from(data)
    start = _HEAD.size + 4 * box_count
    codes = np.frombuffer(data, np.uint8, view_count, start)
    hashes = np.frombuffer(data, "<u8", view_count, start + view_count)
    return ViewHashes(codes, hashes.astype(np.uint64))
