"""Hashes of 256 bits that stand for parts of an image: the whole, its middle, its rectangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.signature.brightness import SIDE_PX
from dedup.signature.maps import Map, Rectangle, box_map
from dedup.signature.signature import Layout
from dedup.signature.view_hashes import Luma, hash_spectra, transform_matrix
from dedup.verify.pictures import halve, overlay

DETAIL_BITS = 256
SIDE_SAMPLES = 32
FREQUENCIES = 16
WHOLE = (0, 0, SIDE_PX, SIDE_PX)
MIDDLE = (26, 26, 102, 102)
"""What is left of an image when a fifth is cut off every side, in 128ths."""

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Detail:
    """A rectangle of an image (left, top, right, bottom in 128ths) and the hash of what it shows.

    `bits` are 32 bytes, imagehash's phash of 16 by 16 frequencies of 32 by 32 samples.
    """

    box: Rectangle
    bits: Bits


def hash_details(luma: Luma, layout: Layout) -> list[Detail]:
    """The whole image, its middle, and the rectangles that its layout gives."""
    own = layout.boxes[layout.boxes.any(axis=1)].tolist()
    boxes: list[Rectangle] = [WHOLE, MIDDLE, *((box[0], box[1], box[2], box[3]) for box in own)]
    bits = hash_seen(luma, np.stack([map_of(box) for box in boxes]))
    return [Detail(box, one) for box, one in zip(boxes, bits, strict=True)]


def hash_seen(luma: Luma, maps: Map) -> Bits:
    """The 32 bytes of what a picture shows through each of the maps."""
    pictures = np.broadcast_to(luma.astype(np.float32), (len(maps), *luma.shape))
    seen = halve(overlay(pictures, maps.astype(np.float32), 2 * SIDE_SAMPLES).as_pictures())
    matrix = transform_matrix(SIDE_SAMPLES, FREQUENCIES)
    return hash_spectra(matrix @ seen @ matrix.T)


def map_of(box: Rectangle) -> Map:
    """From a rectangle's own coordinates to its image's."""
    left, top, right, bottom = (edge / SIDE_PX for edge in box)
    return box_map(left, top, right, bottom)
