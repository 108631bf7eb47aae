"""Outlines as simulated people draw them: proposed, or round within the box by a shaking hand."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from catalog.rings import fill, unpack_rings
from segment.drawings import MOST_DIFFERENCE

from .party_client import Json

Propose = Callable[[str], list[list[int]]]
"""Asks for the flat rings of the object of this key."""

CORNERS = 24
_BULGE = 0.7  # 1 is an ellipse, 0 the box
_SHAKE_PX = 1.5
_SECS = (15.0, 45.0)
_LEAST_SHARE, _MOST_SHARE = 0.3, 0.97
"""Of its box that a proposal has to fill to be believed."""


def draw_outline(box: list[int], size_wh: tuple[int, int], rng: random.Random) -> list[int]:
    """A flat ring around what is in a VOC box, in an image of this size."""
    xmin, ymin, xmax, ymax = box
    ring = []
    for number in range(CORNERS):
        angle = 2 * math.pi * number / CORNERS
        for turn, low, high, most in (
            (math.cos(angle), xmin - 1, xmax, size_wh[0]),
            (math.sin(angle), ymin - 1, ymax, size_wh[1]),
        ):
            reach = math.copysign(abs(turn) ** _BULGE, turn) * (high - low) / 2
            place = round((low + high) / 2 + reach + rng.uniform(-_SHAKE_PX, _SHAKE_PX))
            ring.append(min(max(place, 0), most))
    return ring


def fits(rings: list[list[int]], box: list[int]) -> bool:
    """Whether a proposal is taken: it reaches all sides of the box, and fills a good part of it."""
    corners = [corner for ring in unpack_rings(rings) for corner in ring]
    (left, right), (top, bottom) = ((min(it), max(it)) for it in zip(*corners, strict=True))
    xmin, ymin, xmax, ymax = box
    off_x = max(abs(left - xmin + 1), abs(right - xmax)) / (xmax - xmin + 1)
    off_y = max(abs(top - ymin + 1), abs(bottom - ymax)) / (ymax - ymin + 1)
    area = (xmax - xmin + 1) * (ymax - ymin + 1)
    share = int(fill(unpack_rings(rings), right, bottom).sum()) / area
    return max(off_x, off_y) <= MOST_DIFFERENCE and _LEAST_SHARE < share < _MOST_SHARE


def draw_segments(task: Json, propose: Propose, rng: random.Random) -> list[Json]:
    """The segments of a task's objects, proposed where that fits; lower ones are in front."""
    size_wh = task["width"], task["height"]
    objects = sorted(task["annotation"]["objects"], key=lambda item: (item["box"][3], item["key"]))
    segments = []
    for depth, item in enumerate(objects):
        rings = propose(item["key"])
        is_taken = fits(rings, item["box"])
        rings = rings if is_taken else [draw_outline(item["box"], size_wh, rng)]
        spent = {"drawn_secs": round(rng.uniform(*_SECS), 1), "inputs": 2 if is_taken else CORNERS}
        segments.append({"object_key": item["key"], "depth": depth, "rings": rings, **spent})
    return segments
