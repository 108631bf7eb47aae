"""imagehash's hashes of whole images, in all eight orientations, with and without a plain border.

A hash of 64 bits finds most copies at once, one of 256 bits says how near they are.
"""

from __future__ import annotations

from typing import Any

import imagehash
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dedup.constants import GRADIENTS_PER_POINT, LEVELS_SIDE_PX

from .layout import Rectangle, find_trimmed
from .picture import Levels

Hashes = NDArray[np.uint64]
Map = NDArray[np.floating]
"""A 3 by 3 matrix over coordinates from 0 to 1 in both images."""

Row = tuple[int, int, int]
TURNS: tuple[tuple[Image.Transpose | None, Row, Row], ...] = (
    (None, (1, 0, 0), (0, 1, 0)),
    (Image.Transpose.FLIP_LEFT_RIGHT, (-1, 0, 1), (0, 1, 0)),
    (Image.Transpose.ROTATE_180, (-1, 0, 1), (0, -1, 1)),
    (Image.Transpose.FLIP_TOP_BOTTOM, (1, 0, 0), (0, -1, 1)),
    (Image.Transpose.TRANSPOSE, (0, 1, 0), (1, 0, 0)),
    (Image.Transpose.ROTATE_90, (0, -1, 1), (1, 0, 0)),
    (Image.Transpose.TRANSVERSE, (0, -1, 1), (-1, 0, 1)),
    (Image.Transpose.ROTATE_270, (0, 1, 0), (-1, 0, 1)),
)
"""Each turn, and the map from the turned picture's coordinates to those before it."""
MAX_BOXES = 2  # the whole image, and what is left without a border or bars
"""A view's code is the number of its turn here, or of a further box after them."""


def list_boxes(levels: Levels) -> list[Rectangle]:
    """The whole picture and what is left of it without borders, in its own 128ths."""
    whole = 0, 0, LEVELS_SIDE_PX, LEVELS_SIDE_PX
    return [whole, *find_trimmed(levels)]


def hash_views(levels: Levels, boxes: list[Rectangle]) -> Hashes:
    """The hashes of 64 bits of the whole in each orientation, and of other boxes as they lie."""
    picture = Image.fromarray(levels)
    views = [picture if how is None else picture.transpose(how) for how, *_ in TURNS]
    views += [picture.crop(box) for box in boxes[1:]]
    hashes = [int(str(imagehash.phash(view)), 16) for view in views]
    return np.array(hashes, np.uint64)


def hash_whole(levels: Levels) -> dict[str, Any]:
    """The image's columns: both hashes of the picture as it lies, and its quality, 0 to 100."""
    picture = Image.fromarray(levels)
    short = imagehash.phash(picture)
    long = imagehash.phash(picture, hash_size=16)
    quality = gradient_quality(levels)
    return {"phash_64": str(short), "phash_256": str(long), "quality": quality}


def gradient_quality(levels: Levels) -> float:
    """How much gradient a picture holds, 0 (flat) to 100; noise and soft skies count nothing."""
    small = np.asarray(Image.fromarray(levels).reduce(2)).astype(np.int64)
    steps = (np.abs(np.diff(small, axis=axis)) * 100 // 255 for axis in (0, 1))
    return float(min(sum(int(step.sum()) for step in steps) / GRADIENTS_PER_POINT, 100.0))


def locate_view(code: int, boxes: list[Rectangle]) -> Map:
    """From the coordinates of a view to those of its image."""
    if code < len(TURNS):
        return np.array([*TURNS[code][1:], (0, 0, 1)], np.float64)
    return box_map(boxes[code - len(TURNS) + 1])


def box_map(box: Rectangle) -> Map:
    """From a box's own coordinates to those of its image."""
    left, top, right, bottom = (edge / LEVELS_SIDE_PX for edge in box)
    return np.array([[right - left, 0, left], [0, bottom - top, top], [0, 0, 1]], np.float64)
