"""What stands for an image that stays with its owner: hashes of parts, and a few coded features."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import cv2
import imagehash
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dedup.constants import LEVELS_SIDE_PX, SIDE_SAMPLES
from dedup.signature.features import Features, hash_words
from dedup.signature.hashes import Map, box_map
from dedup.signature.layout import Rectangle
from dedup.signature.picture import Levels
from dedup.signature.signature import Layout

MIDDLE = (26, 26, 102, 102)
"""What is left of an image when a fifth is cut off every side, in 128ths."""

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Detail:
    """A rectangle of an image (left, top, right, bottom in 128ths) and the hash of what it shows.

    `bits` are 32 bytes, imagehash's phash of 16 by 16 frequencies.
    """

    box: Rectangle
    bits: Bits


@dataclass(frozen=True)
class CodedFeatures:
    """The first features of an image: places in 255ths, a word, and 128 bits of the descriptor."""

    points: NDArray[np.uint8]
    words: NDArray[np.uint16]
    codes: Bits


def hash_levels(levels: Levels) -> str | None:
    """The SHA-256 of a picture's levels, or None where they are no more than an even slope."""
    ramp = np.linspace(-1, 1, LEVELS_SIDE_PX)
    planes = np.stack(
        [np.ones(levels.size), *(axis.ravel() for axis in np.meshgrid(ramp, ramp))], 1
    )
    flat = levels.ravel().astype(np.float64)
    left = flat - planes @ np.linalg.lstsq(planes, flat)[0]
    is_slope = np.abs(left).max() <= 1  # a level, as rounding leaves
    return None if is_slope else hashlib.sha256(levels.tobytes()).hexdigest()


def hash_details(levels: Levels, layout: Layout) -> list[Detail]:
    """The whole image, its middle, and the rectangles that its layout gives."""
    whole, *others = layout.boxes
    return [Detail(box, hash_seen(levels, box_map(box))) for box in (whole, MIDDLE, *others)]


def hash_seen(levels: Levels, matrix: Map) -> Bits:
    """The 32 bytes of what a picture shows through the map of a frame into it."""
    to_unit = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, SIDE_SAMPLES]]) / SIDE_SAMPLES
    to_px = np.array([[LEVELS_SIDE_PX, 0, -0.5], [0, LEVELS_SIDE_PX, -0.5], [0, 0, 1]])
    soft = cv2.GaussianBlur(levels, (0, 0), LEVELS_SIDE_PX / SIDE_SAMPLES / 2)
    seen = cv2.warpPerspective(
        soft,
        to_px @ matrix @ to_unit,
        (SIDE_SAMPLES, SIDE_SAMPLES),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    bits = imagehash.phash(Image.fromarray(seen), hash_size=16).hash
    return np.packbits(bits.ravel())


def code_features(features: Features, most: int | None = None) -> CodedFeatures:
    """The first so many features in few bytes: each bin is above its descriptor's median or not."""
    points = np.round(features.points[:most] * 255).astype(np.uint8)
    descriptors = features.descriptors[:most]
    codes = np.packbits(descriptors > np.median(descriptors, axis=1, keepdims=True), axis=1)
    return CodedFeatures(points, hash_words(descriptors)[:, 0], codes)
