"""In which ways one picture may lie over another: the freedoms of an alignment."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from .pixels import Floats


class Freedoms(Protocol):
    """A family of small changes of a map, linear in its numbers."""

    def basis(self, aspects: Floats) -> Floats:
        """For pictures of these shapes what each number adds to a map, (picture, number, 2, 3)."""


class Similarity:
    """Scale, turn and shift; shapes stay what they are. `aspects` are the pictures' true ones."""

    def basis(self, aspects: Floats) -> Floats:
        """As Freedoms says."""
        found = np.zeros((len(aspects), 4, 2, 3), np.float32)
        found[:, 0, 0, 0] = found[:, 0, 1, 1] = 1
        found[:, 1, 0, 1], found[:, 1, 1, 0] = -1 / aspects, aspects
        return _around_middle(found)


class Affine:
    """Any linear change and shift, so that rectangles may become parallelograms."""

    def basis(self, aspects: Floats) -> Floats:
        """As Freedoms says."""
        found = np.zeros((len(aspects), 6, 2, 3), np.float32)
        found[:, 0, 0, 0] = found[:, 1, 0, 1] = found[:, 2, 1, 0] = found[:, 3, 1, 1] = 1
        return _around_middle(found)


def _around_middle(basis: Floats) -> Floats:
    """The same, the middle staying where it is; the last two numbers shift it across and down."""
    basis[..., 2] = -basis[..., :2].sum(axis=-1) / 2
    basis[:, -2, 0, 2] = basis[:, -1, 1, 2] = 1
    return basis
