"""What there is to be seen of a picture beyond an even slope of grey."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from dedup.signature.picture import LEVELS_SIDE_PX, Levels

LEAST_RELIEF_LEVELS = 0.2
"""Rounding the levels of an even sky leaves 0.3."""

Floats = NDArray[np.float32]


def take_relief(lumas: Levels) -> Floats:
    """What is left of the levels of each picture, in a row, when its mean and slope are taken."""
    rows = lumas.reshape(len(lumas), -1).astype(np.float32)
    relief: Floats = (rows - (rows @ _PLANES.T) @ _PLANES).astype(np.float32)
    return relief


def has_relief(reliefs: Floats) -> NDArray[np.bool_]:
    """Whether that is anything, for each."""
    has: NDArray[np.bool_] = np.sqrt((reliefs**2).mean(axis=1)) >= LEAST_RELIEF_LEVELS
    return has


def hash_levels(luma: Levels) -> str | None:
    """The SHA-256 of a picture's levels, or None where they are no more than an even slope."""
    is_something = has_relief(take_relief(luma[None]))[0]
    return hashlib.sha256(luma.tobytes()).hexdigest() if is_something else None


def _make_planes() -> Floats:
    """An even grey and even slopes across and down, each of length 1, at right angles."""
    ramp = np.linspace(-1, 1, LEVELS_SIDE_PX)
    planes = [np.ones((LEVELS_SIDE_PX, LEVELS_SIDE_PX)), *np.meshgrid(ramp, ramp)]
    rows = np.stack(planes).reshape(3, -1)
    planes_of_one: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return planes_of_one


_PLANES = _make_planes()
