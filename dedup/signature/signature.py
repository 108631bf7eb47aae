"""All that is kept of an image for finding and verifying its near-duplicates."""

from __future__ import annotations

import struct
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np

from dedup.constants import (
    FEW_SHADES_LEVELS,
    LEVELS_SIDE_PX,
    SHOWN_JPEG_QUALITY,
    SHOWN_SIDE_PX,
)

from .features import Features, Words, find_features, hash_words, pack_features
from .hashes import Hashes, hash_views, hash_whole, list_boxes
from .layout import Rectangle
from .margin import Mask, find_margin
from .origin import Origin
from .picture import Levels, Picture, read_picture

RECIPE = "phash 8 16 of 128, border 7, SIFT 320 4x4, words 1, origin 5"
"""Names all that decides what is stored; only signatures of one recipe may be compared."""

_HEAD = struct.Struct("<fB")


@dataclass(frozen=True)
class Layout:
    """An image's shape, width : height, and the boxes that its hashes are of, the whole first."""

    aspect: float
    boxes: list[Rectangle]


@dataclass(frozen=True)
class Shown:
    """What verification needs of one image: two small pictures, packed, and local features.

    Most pairs are told apart by their features, so that a picture is unpacked when it is asked for.
    """

    packed_levels: bytes
    packed_shown: bytes
    layout: Layout
    features: Features

    @cached_property
    def levels(self) -> Levels:
        """The picture of 128 by 128 pixels."""
        return _unpack(self.packed_levels, LEVELS_SIDE_PX)

    @cached_property
    def shown(self) -> Levels:
        """The picture of 256 by 256 pixels."""
        return _unpack(self.packed_shown, SHOWN_SIDE_PX)

    @cached_property
    def margin(self) -> Mask:
        """The margin of the larger picture; in a batch most pictures meet several others."""
        return find_margin(self.shown)


@dataclass(frozen=True)
class Signature(Shown):
    """The same with the hashes of its views, the features' words, and the image's origin.

    `words` has two columns for each feature as it is, and two as it is mirrored.
    """

    views: Hashes
    words: Words
    origin: Origin


@dataclass(frozen=True)
class HashedImage:
    """The columns that the tables of images and of signatures get of one image."""

    image: dict[str, Any]
    signature: dict[str, Any]


def hash_image(data: bytes) -> HashedImage:
    """What a file's bytes hash to, the same on every call.

    Raises BrokenImageError unless the bytes are one whole image.
    """
    return pack_signature(make_signature(read_picture(data)))


def pack_signature(signature: Signature) -> HashedImage:
    """The signature as the catalogue keeps it."""
    columns = {
        "recipe": RECIPE,
        "luma": signature.packed_levels,
        "shown": signature.packed_shown,
        "views": pack_views(signature),
        "features": pack_features(signature.features),
        "words": signature.words.astype("<u2").tobytes(),
        **asdict(signature.origin),
    }
    return HashedImage(hash_whole(signature.levels) | {"hash_recipe": RECIPE}, columns)


def make_signature(picture: Picture) -> Signature:
    """The signature of an image."""
    boxes = list_boxes(picture.levels)
    features = find_features(picture.grey)
    words = [hash_words(oriented.descriptors) for oriented in (features, features.mirrored)]
    return Signature(
        _pack_levels(picture.levels),
        _pack_shown(picture.shown),
        Layout(picture.aspect, boxes),
        features,
        hash_views(picture.levels, boxes),
        np.concatenate(words, axis=1),
        picture.origin,
    )


def pack_views(signature: Signature) -> bytes:
    """Layout and hashes as bytes for the catalogue."""
    layout = signature.layout
    views = signature.views
    head = _HEAD.pack(layout.aspect, len(layout.boxes))
    boxes = np.array(layout.boxes, np.uint8).tobytes()
    return head + boxes + views.astype("<u8").tobytes()


def unpack_layout(data: bytes) -> Layout:
    """The layout out of what `pack_views` made."""
    aspect, count = _HEAD.unpack_from(data)
    edges = np.frombuffer(data, np.uint8, 4 * count, _HEAD.size).reshape(-1, 4).tolist()
    return Layout(aspect, [(box[0], box[1], box[2], box[3]) for box in edges])


def unpack_views(data: bytes) -> Hashes:
    """The hashes out of what `pack_views` made."""
    _aspect, boxes = _HEAD.unpack_from(data)
    return np.frombuffer(data, "<u8", offset=_HEAD.size + 4 * boxes).astype(np.uint64)


def unpack_words(data: bytes) -> Words:
    """The words, four columns."""
    return np.frombuffer(data, "<u2").astype(np.uint16).reshape(-1, 4)


def _pack_levels(levels: Levels) -> bytes:
    """The picture as a PNG file."""
    return cv2.imencode(".png", levels)[1].tobytes()


def _pack_shown(shown: Levels) -> bytes:
    """The larger picture as a JPEG file, about as large as the small one.

    One of few shades, as a dark one, is kept without loss: JPEG would take its details.
    """
    if np.ptp(shown) < FEW_SHADES_LEVELS:
        return _pack_levels(shown)
    return cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, SHOWN_JPEG_QUALITY])[1].tobytes()


def _unpack(data: bytes, side_px: int) -> Levels:
    levels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert levels is not None
    assert levels.shape == (side_px, side_px)
    return levels.astype(np.uint8, copy=False)
