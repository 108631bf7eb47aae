"""A VOC tree in YOLO's layout, as Ultralytics reads it.

Difficult objects are left out, as darknet's own converter of VOC does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vockit.format.rings import Ring, trace

from .boxes import xywh
from .regions import find_regions
from .tree_images import LoadedImage, TreeContent


def format_yolo_labels(
    image: LoadedImage, classes: Sequence[str], *, with_difficult: bool, has_outlines: bool = False
) -> str:
    """A line for each object: its class from 0, then its box or outline as shares of the sides."""
    numbers = {name: number for number, name in enumerate(classes)}
    lines, size = [], image.size
    regions = find_regions(image) if has_outlines else [None] * len(image.objects)
    for item, region in zip(image.objects, regions, strict=True):
        if (item.difficult and not with_difficult) or (has_outlines and region is None):
            continue
        left, top, width, height = xywh(item.box)
        box = [(left + width / 2, top + height / 2), (width, height)]
        points = box if region is None else find_outline(region)
        shares = [share for x, y in points for share in (x / size.width, y / size.height)]
        numerals = " ".join(f"{share:.8f}" for share in shares)  # whole pixels of 10,000 come back
        lines.append(f"{numbers[item.name]} {numerals}\n")
    return "".join(lines)


def find_outline(region: NDArray[np.bool_]) -> Ring:
    """One outline, as YOLO has; lines of no width lead to the other pieces and holes and back."""
    first, *others = trace(region)
    outline = [*first, first[0]]
    for ring in others:
        outline += [*ring, ring[0], first[0]]
    return outline


def format_yolo_data(content: TreeContent) -> str:
    """The text of data.yaml: where each set's pictures lie, and the names of the classes."""
    sets = "".join(f"{name}: images/{name}\n" for name in content.set_names)
    numbered = enumerate(map(json.dumps, content.classes))
    names = "".join(f"  {number}: {name}\n" for number, name in numbered)
    return f"path: .\n{sets}nc: {len(content.classes)}\nnames:\n{names}"
