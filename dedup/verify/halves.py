"""Whether two pictures in one frame agree in all of it, or in one half of it only.

Two sheets that hold one photograph beside different ones agree perfectly in its place; most tiles,
and so the whole, may agree well enough. The half that holds the other photograph does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.signature.maps import Map

from .pictures import FINE
from .pixels import Floats, overlay
from .registration import normalise
from .tiles import compare_tiles

LEAST_TILES = 16
"""Of 32; with fewer a caption across an empty half would be most of what is in it."""


def compare_halves(
    probes: Floats, views: Floats, maps: Map, are_in_frame: NDArray[np.bool_]
) -> list[float | None]:
    """How alike the least alike halves of whole images are; None where not in one frame."""
    rows = np.flatnonzero(are_in_frame)
    if not len(rows):
        return [None] * len(probes)
    weakest = correlate_halves(probes[rows], views[rows], maps[rows]).tolist()
    found = dict(zip(rows.tolist(), weakest, strict=True))
    return [found.get(row) for row in range(len(probes))]


def correlate_halves(template: Floats, other: Floats, maps: Map) -> Floats:
    """The least correlation of the left, right, upper and lower halves, -1 to 1.

    Local mean and contrast are made equal before. Halves with little contrast are not counted; a
    picture that has no other gives 1.
    """
    tiles = _halve(compare_tiles(template, other, maps).counts).sum(axis=(2, 3))
    seen = overlay(normalise(other, FINE.radius_px), maps)
    flat = normalise(template, FINE.radius_px).reshape(len(template), -1)
    one, two = _halve(seen.values * seen.is_inside), _halve(flat * seen.is_inside)
    power = (one * one).sum(axis=(2, 3)) * (two * two).sum(axis=(2, 3))
    likeness = (one * two).sum(axis=(2, 3)) / np.sqrt(power + np.float32(1e-6))
    weakest: Floats = np.where(tiles >= LEAST_TILES, likeness, 1).min(axis=0)
    return weakest


def _halve(flat: NDArray[Any]) -> NDArray[Any]:
    """The upper, lower, left and right halves of flat square pictures, the last two turned."""
    side = round(float(flat.shape[1]) ** 0.5)
    pictures = flat.reshape(len(flat), side, side)
    turned = pictures.transpose(0, 2, 1)
    return np.stack([half for one in (pictures, turned) for half in np.split(one, 2, axis=1)])
