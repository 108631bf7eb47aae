"""Affine maps between squares: where a point of one picture lies in another.

A map is a 2 by 3 matrix over coordinates that run from 0 to 1 from the left and top edge to the
right and bottom edge, whatever the picture's shape. Stacks of maps are (..., 2, 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Map = NDArray[np.floating[Any]]
Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom."""

IDENTITY: Map = np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32)


@dataclass(frozen=True)
class Turn:
    """One of the eight orientations of a picture: transposed first, then mirrored."""

    is_transposed: bool = False
    is_mirrored_in_x: bool = False
    is_mirrored_in_y: bool = False


UPRIGHT = Turn()
TURNS = tuple(Turn(t, x, y) for t in (False, True) for x in (False, True) for y in (False, True))
OTHER_TURNS = TURNS[1:]


def box_map(left: float, top: float, right: float, bottom: float) -> Map:
    """From a rectangle's own coordinates to those of the picture that it is cut from."""
    return np.array([[right - left, 0, left], [0, bottom - top, top]], dtype=np.float32)


def rotation_map(scale: float, degrees: float, aspect: float) -> Map:
    """From a tilted window around a picture's centre to the picture, which is aspect : 1.

    The window has the picture's own shape, `scale` times its sides.
    """
    cos = scale * math.cos(math.radians(degrees))
    sin = scale * math.sin(math.radians(degrees))
    turned = np.array([[cos, -sin / aspect], [sin * aspect, cos]], dtype=np.float32)
    return np.column_stack([turned, 0.5 - turned @ np.array([0.5, 0.5])]).astype(np.float32)


def turn_map(turn: Turn) -> Map:
    """From a turned picture's coordinates to those of the picture as it was."""
    x = np.array([-1, 0, 1] if turn.is_mirrored_in_x else [1, 0, 0], dtype=np.float32)
    y = np.array([0, -1, 1] if turn.is_mirrored_in_y else [0, 1, 0], dtype=np.float32)
    return np.stack([y, x] if turn.is_transposed else [x, y])


def compose(outer: Map, inner: Map) -> Map:
    """The map that goes through `inner` first, then through `outer`."""
    linear = outer[..., :2] @ inner[..., :2]
    shift = outer[..., :2] @ inner[..., 2:] + outer[..., 2:]
    return np.concatenate([linear, shift], axis=-1)


def invert(maps: Map) -> Map:
    """The maps back."""
    linear = np.linalg.inv(maps[..., :2])
    return np.concatenate([linear, -linear @ maps[..., 2:]], axis=-1)
