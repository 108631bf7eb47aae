"""What a drawing shows: the visible pixels of each object, what is odd in them, and two compared.

Objects in front cover objects behind, so an object's pixels are those that no other one hides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from catalog.box import Box
from catalog.sentences import say
from vockit.format.rings import MOST_CORNERS, Mask, Outline, Ring, RingError, fill_cut_out

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


def list_faults(
    drawn: Sequence[Outline], boxes: Mapping[str, Box], width: int, height: int
) -> Iterator[tuple[str, str]]:
    """What a finished drawing is asked about: the key of an object, and a sentence."""
    labels, numbers = _label(drawn, width, height)
    visible = {
        item.object_key: _cut_out_visible(labels, numbers[item.object_key], item)
        for item in drawn
        if item.object_key
    }
    for key, box in boxes.items():
        xyxy = visible.get(key)
        if xyxy is None:
            yield key, "No visible pixels."
        elif fault := _compare_with_box(xyxy, box):
            yield key, fault
    for item in drawn:
        if item.object_key and any(map(crosses_itself, item.rings)):
            yield item.object_key, "The outline crosses itself. Check what is filled."


def compare_drawings(
    first: Sequence[Outline], second: Sequence[Outline], width: int, height: int
) -> dict[str, float]:
    """Intersection over union of each object that at least one of two drawings shows."""
    (labels, ours), (other_labels, theirs) = (
        _label(drawn, width, height) for drawn in (first, second)
    )
    most = len(second) + 1
    shared = np.bincount((labels * most + other_labels).ravel(), minlength=(len(first) + 1) * most)
    pairs_px = shared.reshape(-1, most)  # of each label here with each label there
    overlaps: dict[str, float] = {}
    for key in dict.fromkeys([*ours, *theirs]):
        number = ours.get(key)
        other = theirs.get(key)
        ours_px = 0 if number is None else pairs_px[number].sum()
        theirs_px = 0 if other is None else pairs_px[:, other].sum()
        both_px = 0 if number is None or other is None else pairs_px[number, other]
        if union_px := ours_px + theirs_px - both_px:
            overlaps[key] = float(both_px / union_px)
    return overlaps


def _label(
    drawn: Sequence[Outline], width: int, height: int
) -> tuple[NDArray[np.int64], dict[str, int]]:
    """Whose each pixel is, as numbers from 1 on in an array (height, width), and each key's number.

    0 is background. An object in front covers those behind.
    """
    labels = np.zeros((height, width), np.int64)
    numbers = dict[str, int]()
    for number, item in enumerate(sorted(drawn, key=lambda outline: outline.depth), start=1):
        left, top, inside = fill_cut_out(item.rings)
        labels[top : top + inside.shape[0], left : left + inside.shape[1]][inside] = number
        if item.object_key:
            numbers[item.object_key] = number
    return labels, numbers


def _cut_out_visible(labels: NDArray[np.int64], number: int, item: Outline) -> Box | None:
    """The box of the visible pixels of an object, which lie within its rings; None without any."""
    left, top, inside = fill_cut_out(item.rings)
    visible = labels[top : top + inside.shape[0], left : left + inside.shape[1]] == number
    if not visible.any():
        return None
    rows, columns = (np.flatnonzero(visible.any(axis=axis)) for axis in (1, 0))
    sides = (left + columns[0], top + rows[0], left + columns[-1], top + rows[-1])
    xmin, ymin, xmax, ymax = (int(side) + 1 for side in sides)
    return Box(xmin, ymin, xmax, ymax)


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


def _compare_with_box(seen: Box, box: Box) -> str | None:
    """What is wrong where the visible pixels lie in the box `seen`, or None."""
    sides = (box.xmin - seen.xmin, box.ymin - seen.ymin, seen.xmax - box.xmax, seen.ymax - box.ymax)
    outside = max(sides)
    if outside > MOST_OUTSIDE_PX:
        return f"Extends {outside} pixels beyond its box."
    left, up, right, down = map(abs, sides)
    share = max(max(left, right) / box.width_px, max(up, down) / box.height_px)
    return f"Differs from its box by {share:.0%} of a side." if share > MOST_DIFFERENCE else None
