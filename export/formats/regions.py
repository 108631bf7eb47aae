"""The pixels of each object of a tree's image, as COCO and YOLO write them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.rings import Ring, pack_rings, trace
from export.parquet import xywh
from export.verify.trees import read_bytes
from voc.masks import VOID, MaskError, read_mask

from .tree_images import TreeImage

Region = NDArray[np.bool_] | None
"""The pixels of one object; None where no mask tells them."""


def find_regions(image: TreeImage) -> list[Region]:
    """The pixels of each object; of a difficult one without own pixels the void ones in its box."""
    data = read_bytes(image.object_mask) if image.object_mask else ""
    try:
        size_wh = (int(image.size.width), int(image.size.height))
        labels = None if isinstance(data, str) else read_mask(data, size_wh)
    except MaskError:  # verify names it; the boxes are as good as before
        labels = None
    if labels is None:
        return [None] * len(image.objects)
    regions: list[Region] = []
    for number, item in enumerate(image.objects, start=1):
        region = labels == number if number < VOID else np.zeros_like(labels, np.bool_)
        if item.difficult and not region.any():
            left, top, width, height = map(int, xywh(item.box))
            rows, columns = slice(max(top, 0), top + height), slice(max(left, 0), left + width)
            region[rows, columns] = labels[rows, columns] == VOID
        regions.append(region if region.any() else None)
    return regions


def format_region(region: NDArray[np.bool_], *, is_crowd: bool) -> list[list[int]] | dict[str, Any]:
    """COCO's polygons along the edges of the pixels; run lengths of crowds and where a hole is."""
    rings = trace(region)
    has_holes = sum(map(_area, rings)) != region.sum()
    return format_rle(region) if is_crowd or has_holes else pack_rings(rings)


def format_rle(region: NDArray[np.bool_]) -> dict[str, Any]:
    """COCO's run lengths of a mask, column by column, pixels outside first."""
    flat = region.ravel(order="F")
    ends = [0, *(np.flatnonzero(flat[1:] != flat[:-1]) + 1).tolist(), flat.size]
    counts = [end - start for start, end in pairwise(ends)]
    return {"size": list(region.shape), "counts": [0, *counts] if flat[0] else counts}


def find_outline(region: NDArray[np.bool_]) -> Ring:
    """One outline, as YOLO has; lines of no width lead to the other pieces and holes and back."""
    first, *others = trace(region)
    outline = [*first, first[0]]
    for ring in others:
        outline += [*ring, ring[0], first[0]]
    return outline


def _area(ring: Ring) -> int:
    x, y = np.array(ring).T
    return abs(int(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) // 2
