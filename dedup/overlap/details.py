"""Verification against someone's hashes alone: 256 bits of what a part of their image shows.

Whoever hands over hashes keeps their pictures. We have ours, so our picture is laid under their
hash: moved, scaled and turned a little until what it shows there hashes most nearly the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.signature.brightness import SIDE_PX
from dedup.signature.kernels import Rectangle
from dedup.signature.maps import Map, box_map, compose, invert
from dedup.signature.signature import Layout
from dedup.signature.view_hashes import Luma, hash_spectra, transform_matrix
from dedup.verify.pixels import halve, overlay

DETAIL_BITS = 256
SIDE_SAMPLES = 32
FREQUENCIES = 16
WHOLE = (0, 0, SIDE_PX, SIDE_PX)
MIDDLE = (26, 26, 102, 102)
"""What is left of an image when a fifth is cut off every side, in 128ths."""

STEPS = (0.03, 0.015, 0.0075)
STEPS_MORE = 2
HOPELESS_BITS = 104
CERTAIN_BITS = 12

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
    boxes: list[Rectangle] = [WHOLE, MIDDLE]
    boxes += [(left, top, right, bottom) for left, top, right, bottom in find_boxes(layout)]
    bits = hash_seen(luma, np.stack([map_of(box) for box in boxes]))
    return [Detail(box, one) for box, one in zip(boxes, bits, strict=True)]


def find_boxes(layout: Layout) -> list[list[int]]:
    """The rectangles that the layout has."""
    boxes: list[list[int]] = layout.boxes[layout.boxes.any(axis=1)].tolist()
    return boxes


def hash_seen(luma: Luma, maps: Map) -> Bits:
    """The 32 bytes of what a picture shows through each of the maps."""
    pictures = np.broadcast_to(luma.astype(np.float32), (len(maps), *luma.shape))
    seen = halve(overlay(pictures, maps.astype(np.float32), 2 * SIDE_SAMPLES).as_pictures())
    matrix = transform_matrix(SIDE_SAMPLES, FREQUENCIES)
    return hash_spectra(matrix @ seen @ matrix.T)


def lay_under(luma: Luma, detail: Detail, theirs_to_ours: Map) -> tuple[int, Map]:
    """The fewest bits by which our picture differs from their detail, and where theirs lies then.

    Maps lead from their image to ours. A guess is followed as long as it gets better, and neither
    where it is hopeless nor where it is certain.
    """
    place = map_of(detail.box)
    best = compose(theirs_to_ours, place)
    distance = int(_distances(luma, best[None], detail)[0])
    for step in STEPS:
        for _ in range(STEPS_MORE):
            moved = compose(best, _moves(step))
            distances = _distances(luma, moved, detail)
            nearest = int(np.argmin(distances))
            if distances[nearest] >= distance:
                break
            best, distance = moved[nearest], int(distances[nearest])
        if not CERTAIN_BITS < distance <= HOPELESS_BITS:
            break
    return distance, compose(best, invert(place))


def count_bits(luma: Luma, detail: Detail, theirs_to_ours: Map) -> int:
    """By how many bits our picture differs from their detail where the map says that it lies."""
    return int(_distances(luma, compose(theirs_to_ours, map_of(detail.box))[None], detail)[0])


def map_of(box: Rectangle) -> Map:
    """From a rectangle's own coordinates to its image's."""
    left, top, right, bottom = (edge / SIDE_PX for edge in box)
    return box_map(left, top, right, bottom)


def _distances(luma: Luma, maps: Map, detail: Detail) -> NDArray[np.int64]:
    flips = np.bitwise_count(hash_seen(luma, maps) ^ detail.bits)
    distances: NDArray[np.int64] = flips.sum(axis=1, dtype=np.int64)
    return distances


def _moves(step: float) -> Map:
    """Small moves, turns and changes of size, and some of two of them at once."""
    numbers = np.concatenate([_ONE_AT_A_TIME, _TWO_AT_A_TIME]) * step
    wide, high, turn, across, down = numbers.T
    linear = np.stack(
        [np.stack([1 + wide, -turn], axis=-1), np.stack([turn, 1 + high], axis=-1)], axis=-2
    )
    middle = np.full((2, 1), 0.5)
    shift = middle - linear @ middle + np.stack([across, down], axis=-1)[..., None]
    return np.concatenate([linear, shift], axis=-1)


_UNITS = np.eye(5)
_ONE_AT_A_TIME = np.concatenate([_UNITS, -_UNITS])
_SCALE = _UNITS[0] + _UNITS[1]
_TWO_AT_A_TIME = np.array(
    [sign * _SCALE for sign in (1, -1)]
    + [x * _UNITS[3] + y * _UNITS[4] for x in (1, -1) for y in (1, -1)]
)
