"""Rings: the outlines of an object in an image, filled and traced without a rounding error.

Corners are integers and lie on the corners of pixels: x in 0..width, y in 0..height. A ring closes
itself. The rule is even-odd over all rings of an object: holes and pieces are rings as any other.
The page does the same in static/app/segment; both are tested by tests/vockit/format/rings.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vockit.errors import UserError

Ring = list[tuple[int, int]]
Mask = NDArray[np.bool_]
MOST_CORNERS = 20_000  # of all rings of an image


class Outline(NamedTuple):
    """The rings of one object, or of a void region without a key; a larger depth is in front."""

    object_key: str | None
    depth: int
    rings: list[Ring]


class RingError(UserError):
    """Rings that no object of the image can have."""


def fill(rings: Sequence[Ring], width: int, height: int) -> Mask:
    """Which pixels have their centre inside rings of this image, as an array (height, width).

    An edge is crossed in row r where y1 <= r < y2; there it toggles the columns c of which
    2c + 1 > 2 * (x1 + (r + 0.5 - y1) * (x2 - x1) / (y2 - y1)).
    """
    filled = np.zeros((height, width), np.bool_)
    left, top, inside = fill_cut_out(rings)
    filled[top : top + inside.shape[0], left : left + inside.shape[1]] = inside
    return filled


def fill_cut_out(rings: Sequence[Ring]) -> tuple[int, int, Mask]:
    """What `fill` says of the rectangle around the rings alone, after its left and top edge."""
    edges = _list_edges(rings)
    if not edges.size:
        return 0, 0, np.zeros((0, 0), np.bool_)
    left = edges[:, [0, 2]].min()
    right = edges[:, [0, 2]].max()
    top = edges[:, [1, 3]].min()
    bottom = edges[:, [1, 3]].max()
    rows, columns = _find_crossings(edges)
    toggles = np.zeros((bottom - top, right - left + 1), np.bool_)
    np.logical_xor.at(toggles, (rows - top, columns - left), True)
    return int(left), int(top), np.logical_xor.accumulate(toggles[:, :-1], axis=1)


def _list_edges(rings: Sequence[Ring]) -> NDArray[np.int64]:
    """The edges as rows x1, y1, x2, y2 with y1 < y2; rows of pixels cross no level edge."""
    corners = (pair for ring in rings for pair in zip(ring, ring[1:] + ring[:1], strict=True))
    edges = np.array([(*a, *b) for a, b in corners if a[1] != b[1]], np.int64).reshape(-1, 4)
    return np.where(edges[:, 1:2] < edges[:, 3:4], edges, edges[:, [2, 3, 0, 1]])


def _find_crossings(edges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each row that an edge crosses, and the first column that it toggles there."""
    high = edges[:, 3] - edges[:, 1]
    edge = np.repeat(np.arange(len(high)), high)
    x1 = edges[edge, 0]
    y1 = edges[edge, 1]
    x2 = edges[edge, 2]
    rows = np.arange(len(edge)) - (np.cumsum(high) - high)[edge] + y1
    slope = (2 * rows + 1 - 2 * y1) * (x2 - x1)
    columns = ((2 * x1 - 1) * high[edge] + slope) // (2 * high[edge]) + 1
    return rows, columns


def trace(mask: Mask) -> list[Ring]:
    """The borders of a mask along the edges of its pixels; `fill` of them is the mask again.

    The inside is on the right of each border. Pixels that touch at a corner only are parted.
    """
    across = {(x, y, far > x): (far, y) for y, x, far in _list_runs(mask)}
    down = {(x, y, far > y): (x, far) for x, y, far in _list_runs(mask.T, sign=-1)}
    rings = []
    seen = set()
    for start in sorted(across, key=lambda border: (border[1], border[0])):
        ring: Ring = []
        key = start
        while key not in seen:
            seen.add(key)
            x, y, is_right = key
            corner = across[key]
            is_down = is_right if (*corner, is_right) in down else not is_right
            ring += [(x, y), corner]
            end = down[*corner, is_down]
            key = (*end, not is_down) if (*end, not is_down) in across else (*end, is_down)
        if ring:
            rings.append(ring)
    return rings


def pack_rings(rings: Iterable[Ring]) -> list[list[int]]:
    """The rings as rows and the interface keep them: each one flat, x0, y0, x1, y1 and so on."""
    return [[value for corner in ring for value in corner] for ring in rings]


def unpack_rings(flat: Iterable[Sequence[int]]) -> list[Ring]:
    """The rings from flat ones; raises RingError where one holds an odd count of numbers."""
    rings = []
    for values in flat:
        if len(values) % 2:
            raise RingError(f"A ring is x and y in turns, this one has {len(values)} numbers.")
        rings.append(list(zip(values[::2], values[1::2], strict=True)))
    return rings


def _list_runs(mask: Mask, sign: int = 1) -> Iterable[tuple[int, int, int]]:
    """The straight pieces of border between rows: row, where it starts and where it ends."""
    padded = np.pad(mask.astype(np.int8), 1)
    border = sign * (padded[1:] - padded[:-1])[:, 1:]
    ends = np.diff(border, axis=1, prepend=0) != 0
    lines, places = np.nonzero(ends)
    values = border[lines, places]
    for line, place, far, value in zip(
        lines.tolist(), places.tolist(), np.roll(places, -1).tolist(), values, strict=True
    ):
        if value:
            yield (line, place, far) if value > 0 else (line, far, place)
