"""Small pictures as arrays: their pixels' places, and what one shows seen through a map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.signature.maps import Map

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Overlay:
    """Values of pictures at the pixels of others, flat, and where there is any."""

    values: Floats
    is_inside: NDArray[np.bool_]

    def as_pictures(self) -> Floats:
        """The values as square pictures; what lies outside has the value of the nearest edge."""
        side = round(float(self.values.shape[1]) ** 0.5)
        return self.values.reshape(-1, side, side)


def overlay(
    pictures: Floats, maps: Map, side_px: int | None = None, bounds_px: Floats | None = None
) -> Overlay:
    """Each picture seen through its map at every pixel of a template, by default of equal size.

    `bounds_px` are the first and last pixel across, and down, that belong to a picture; what lies
    beyond them has the value of the nearest one.
    """
    count, side, _ = pictures.shape
    places = (maps @ pixel_centres(side_px or side)) * np.float32(side) - np.float32(0.5)
    x, y = places[:, 0], places[:, 1]
    is_inside = (x > -0.5) & (x < side - 0.5) & (y > -0.5) & (y < side - 0.5)
    if bounds_px is not None:
        x = np.clip(x, bounds_px[:, 0, None], bounds_px[:, 1, None])
        y = np.clip(y, bounds_px[:, 2, None], bounds_px[:, 3, None])
    x, y = np.clip(x, 0, side - 1.001), np.clip(y, 0, side - 1.001)
    column, row = x.astype(np.int32), y.astype(np.int32)
    along, down = x - column, y - row
    place = row * side + column + np.arange(count, dtype=np.int32)[:, None] * (side * side)
    flat = pictures.ravel()
    top = _mix(flat.take(place), flat.take(place + 1), along)
    bottom = _mix(flat.take(place + side), flat.take(place + side + 1), along)
    return Overlay(_mix(top, bottom, down), is_inside)


def halve(pictures: Floats) -> Floats:
    """The pictures with half as many pixels a side, each the mean of four."""
    top = pictures[:, ::2, ::2] + pictures[:, ::2, 1::2]
    bottom = pictures[:, 1::2, ::2] + pictures[:, 1::2, 1::2]
    halved: Floats = (top + bottom) / np.float32(4)
    return halved


@cache
def pixel_centres(side_px: int) -> Floats:
    """x, y and 1 of every pixel, as columns; x and y run from 0 to 1."""
    centres = (np.arange(side_px, dtype=np.float32) + np.float32(0.5)) / np.float32(side_px)
    across, down = np.meshgrid(centres, centres)
    return np.stack([across.ravel(), down.ravel(), np.ones(side_px**2, np.float32)])


def _mix(one: Floats, two: Floats, share: Floats) -> Floats:
    return one + (two - one) * share
