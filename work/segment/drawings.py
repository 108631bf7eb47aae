"""What a drawing shows: the visible pixels of each object, what is odd in them, and two compared.

Objects in front cover objects behind, so an object's pixels are those that no other one hides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from catalog.box import Box
from catalog.sentences import say
from vockit.format.rings import MOST_CORNERS, Mask, Outline, Ring, RingError, fill

_Numbers = NDArray[np.int64]
MOST_OUTSIDE_PX = 6
MOST_DIFFERENCE = 0.1
"""Of a side of the box."""
_MOST_PAIRS = 2_000_000  # of edges that are compared, so that no drawing keeps the server busy


def check_rings(
    rings: Iterable[Sequence[Sequence[object]]], width: int, height: int, *, fewest: int = 3
) -> None:
    """Raise RingError for the first corner or ring that an image of this size cannot have.

    A stroke may have fewer corners than a ring.
    """
    count = 0
    for ring in rings:
        count += len(ring)
        if len(ring) < fewest:
            raise RingError(
                say("A ring needs three corners or more, this one has {count}.", count=len(ring))
            )
        if count > MOST_CORNERS:
            raise RingError(
                say(
                    "An image can have {most} corners, these are more; use fewer.",
                    most=MOST_CORNERS,
                )
            )
        for x, y in ring:
            if type(x) is not int or type(y) is not int:
                raise RingError(
                    say(
                        "A corner needs two whole numbers, this one is at ({x}, {y}).",
                        x=str(x),
                        y=str(y),
                    )
                )
            if not (0 <= x <= width and 0 <= y <= height):
                raise RingError(
                    say(
                        "The corner ({x}, {y}) lies outside the image of {size} pixels.",
                        x=x,
                        y=y,
                        size=f"{width} x {height}",
                    )
                )


def find_visible(drawn: Sequence[Outline], width: int, height: int) -> dict[str, Mask]:
    """The visible pixels of each object that has rings, as arrays (height, width)."""
    labels = np.zeros((height, width), np.int32)
    ordered = [*enumerate(sorted(drawn, key=lambda outline: outline.depth), start=1)]
    for number, item in ordered:
        labels[fill(item.rings, width, height)] = number
    return {
        outline.object_key: labels == number for number, outline in ordered if outline.object_key
    }


def list_faults(
    drawn: Sequence[Outline], boxes: Mapping[str, Box], width: int, height: int
) -> Iterator[tuple[str, str]]:
    """What a finished drawing is asked about: the key of an object, and a sentence."""
    visible = find_visible(drawn, width, height)
    for key, box in boxes.items():
        mask = visible.get(key)
        if mask is None or not mask.any():
            yield key, "No visible pixels."
        elif fault := _compare_with_box(mask, box):
            yield key, fault
    for item in drawn:
        if item.object_key and any(map(crosses_itself, item.rings)):
            yield item.object_key, "The outline crosses itself. Check what is filled."


def compare_drawings(
    first: Sequence[Outline], second: Sequence[Outline], width: int, height: int
) -> dict[str, float]:
    """Intersection over union of each object that at least one of two drawings shows."""
    ours, theirs = (find_visible(drawn, width, height) for drawn in (first, second))
    nothing = np.zeros((height, width), np.bool_)
    overlaps: dict[str, float] = {}
    for key in dict.fromkeys([*ours, *theirs]):
        mask = ours.get(key, nothing)
        other = theirs.get(key, nothing)
        if union := np.count_nonzero(mask | other):
            overlaps[key] = float(np.count_nonzero(mask & other) / union)
    return overlaps


def crosses_itself(ring: Ring) -> bool:
    """Whether two edges of the ring cross; that they touch is no crossing."""
    start = np.array(ring, np.int64)
    edges = np.concatenate([start, np.roll(start, -1, axis=0)], axis=1)
    low = np.minimum(edges[:, 1], edges[:, 3])
    high = np.maximum(edges[:, 1], edges[:, 3])
    order = np.argsort(low, kind="stable")
    edges, low, high = edges[order], low[order], high[order]
    near = np.arange(len(edges) - 1)
    pairs = 0
    for step in range(1, len(edges)):  # with those of the next edges that begin before this ends
        near = near[near < len(edges) - step]
        near = near[low[near + step] < high[near]]
        pairs += len(near)
        if not near.size or pairs > _MOST_PAIRS:
            return False
        if _cross(edges[near], edges[near + step]).any():
            return True
    return False


def _cross(first: _Numbers, second: _Numbers) -> Mask:
    parts = _side(first, second[:, :2]) * _side(first, second[:, 2:]) < 0
    parted = _side(second, first[:, :2]) * _side(second, first[:, 2:]) < 0
    return np.logical_and(parts, parted)


def _side(line: _Numbers, point: _Numbers) -> _Numbers:
    """On which side of a line a point lies: -1, 0 or 1."""
    x1, y1, x2, y2 = line.T
    side: _Numbers = np.sign((x2 - x1) * (point[:, 1] - y1) - (y2 - y1) * (point[:, 0] - x1))
    return side


def _compare_with_box(mask: Mask, box: Box) -> str | None:
    rows, columns = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
    xmin = columns[0] + 1
    ymin = rows[0] + 1
    xmax = columns[-1] + 1
    ymax = rows[-1] + 1
    outside = max(box.xmin - xmin, box.ymin - ymin, xmax - box.xmax, ymax - box.ymax)
    if outside > MOST_OUTSIDE_PX:
        return f"Extends {outside} pixels beyond its box."
    across = max(abs(box.xmin - xmin), abs(box.xmax - xmax)) / box.width_px
    down = max(abs(box.ymin - ymin), abs(box.ymax - ymax)) / box.height_px
    if (share := max(across, down)) > MOST_DIFFERENCE:
        return f"Differs from its box by {share:.0%} of a side."
    return None
