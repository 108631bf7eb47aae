"""All that is kept of an image for finding and verifying its near-duplicates."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .brightness import Brightness
from .drawn import is_drawn
from .layout import find_cells, find_trimmed
from .view_hashes import LUMA_SIDE_PX, Luma, ViewHashes, hash_views
from .view_hashes import Boxes as Boxes
from .views import MAX_BOXES, MAX_CELLS, MAX_TRIMMED

_HEAD = struct.Struct("<f?BB")


@dataclass(frozen=True)
class Layout:
    """An image's shape, width : height, and the rectangles in it, which tell where its views lie.

    `boxes` has 14 rows of left, top, right and bottom in 128ths; one that is missing is all zeros.
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


def make_signature(brightness: Brightness) -> Signature:
    """The signature of an image."""
    [signature] = make_signatures([brightness])
    return signature


def make_signatures(decoded: Sequence[Brightness]) -> list[Signature]:
    """The signatures of some images, in order.

    Each step is taken for all before the next one, which saves time: what a step needs stays in the
    processor's cache.
    """
    if not decoded:
        return []
    layouts = [find_layout(one) for one in decoded]
    lumas = np.stack([one.halve() for one in decoded])
    boxes = np.stack([one.boxes for one in layouts])
    views = hash_views(lumas, boxes, [one.aspect for one in layouts])
    return [Signature(*all_of) for all_of in zip(lumas, layouts, views, strict=True)]


def find_layout(brightness: Brightness) -> Layout:
    """The shape of an image and what it is put together of."""
    levels = brightness.levels
    boxes = np.zeros((MAX_BOXES, 4), np.uint8)
    for number, box in enumerate(find_trimmed(levels, MAX_TRIMMED)):
        boxes[number] = box
    for number, box in enumerate(find_cells(levels, MAX_CELLS)):
        boxes[MAX_TRIMMED + number] = box
    return Layout(brightness.aspect, is_drawn(levels), boxes)


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
