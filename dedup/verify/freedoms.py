"""In which ways one picture may lie over another: the freedoms of an alignment."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from dedup.signature.maps import Map

from .pixels import Floats, pixel_centres


class Freedoms(Protocol):
    """A family of small changes of a map, linear in its numbers."""

    def slopes(self, across: Floats, down: Floats, aspects: Floats) -> Floats:
        """For each pixel how its value changes with each number, given its gradient."""

    def to_map(self, numbers: Floats, aspects: Floats) -> Map:
        """The map that the numbers, a column each, stand for."""


class Similarity:
    """Scale, turn and shift; shapes stay what they are. `aspects` are the pictures' true ones."""

    def slopes(self, across: Floats, down: Floats, aspects: Floats) -> Floats:
        """As Freedoms says."""
        x, y = _from_middle(across)
        turn = down * (x * aspects[:, None]) - across * (y / aspects[:, None])
        return np.stack([across * x + down * y, turn, across, down], axis=1)

    def to_map(self, numbers: Floats, aspects: Floats) -> Map:
        """As Freedoms says."""
        scale, turn, across, down = numbers
        rows = [[1 + scale, -turn / aspects], [turn * aspects, 1 + scale]]
        return _around_middle(rows, across, down)


class Affine:
    """Any linear change and shift, so that rectangles may become parallelograms."""

    def slopes(self, across: Floats, down: Floats, aspects: Floats) -> Floats:
        """As Freedoms says."""
        x, y = _from_middle(across)
        return np.stack([across * x, across * y, down * x, down * y, across, down], axis=1)

    def to_map(self, numbers: Floats, aspects: Floats) -> Map:
        """As Freedoms says."""
        x_of_x, x_of_y, y_of_x, y_of_y, across, down = numbers
        return _around_middle([[1 + x_of_x, x_of_y], [y_of_x, 1 + y_of_y]], across, down)


def _from_middle(pixels: Floats) -> Floats:
    side = round(float(pixels.shape[-1]) ** 0.5)
    return pixel_centres(side)[:2] - np.float32(0.5)


def _around_middle(rows: list[list[Floats]], across: Floats, down: Floats) -> Map:
    """Maps with these linear parts that move the middle by so much."""
    linear = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    middle = np.full((2, 1), 0.5, np.float32)
    shift = middle - linear @ middle + np.stack([across, down], axis=-1)[..., None]
    return np.concatenate([linear, shift], axis=-1)
