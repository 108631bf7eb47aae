"""Small pictures as arrays: their pixels' places, and what one shows seen through a map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.signature.maps import Map

from .kernels import see_pictures

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


def overlay(pictures: Floats, maps: Map, side_px: int | None = None) -> Overlay:
    """Each picture seen through its map at every pixel of a template, by default of equal size."""
    count, side, _ = pictures.shape
    shape = count, (side_px or side) ** 2
    values, is_inside = np.empty(shape, np.float32), np.empty(shape, np.float32)
    see_pictures(as_floats(pictures), as_floats(maps), values, is_inside)
    return Overlay(values, is_inside > 0)


def as_floats(values: Floats) -> Floats:
    """The same as the compiled loops want it: 32 bits, one row after the other."""
    return np.ascontiguousarray(values, np.float32)


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
