"""A VOC tree in YOLO's layout, as Ultralytics reads it.

Difficult objects are left out, as darknet's own converter of VOC does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vockit.format.records import VocBox, VocSize
from vockit.format.rings import Ring, trace
from vockit.report.comparison import Outcome

from .boxes import xywh
from .regions import find_regions
from .tree_images import LoadedImage, TreeContent

DIFFICULT = "difficult, for which YOLO has no flag; --with-difficult keeps them"
WITHOUT_OUTLINE = "no mask shows it"


def format_yolo_labels(
    image: LoadedImage, classes: Sequence[str], *, with_difficult: bool, has_outlines: bool = False
) -> tuple[str, list[Outcome]]:
    """A line for each object, and of each object whether it has one or why not.

    A line is the class from 0, then the box or the outline as shares of the sides.
    """
    numbers = {name: number for number, name in enumerate(classes)}
    lines: list[str] = []
    outcomes: list[Outcome] = []
    regions = find_regions(image) if has_outlines else [None] * len(image.objects)
    for item, region in zip(image.objects, regions, strict=True):
        if item.difficult and not with_difficult:
            outcomes.append(DIFFICULT)
        elif has_outlines and region is None:
            outcomes.append(WITHOUT_OUTLINE)
        else:
            outcomes.append(True)
            points = _list_box(item.box) if region is None else find_outline(region)
            lines.append(f"{numbers[item.name]} {_format_shares(points, image.size)}\n")
    return "".join(lines), outcomes


def _list_box(box: VocBox) -> list[tuple[float, float]]:
    """The centre of the box, and its width and height."""
    left, top, width, height = xywh(box)
    return [(left + width / 2, top + height / 2), (width, height)]


def _format_shares(points: Sequence[tuple[float, float]], size: VocSize) -> str:
    """The coordinates as shares of the picture's sides."""
    shares = [share for x, y in points for share in (x / size.width, y / size.height)]
    return " ".join(f"{share:.8f}" for share in shares)  # whole pixels of 10,000 come back


def find_outline(region: NDArray[np.bool_]) -> Ring:
    """One outline, as YOLO has; lines of no width lead to the other pieces and holes and back."""
    first, *others = trace(region)
    outline = [*first, first[0]]
    for ring in others:
        outline += [*ring, ring[0], first[0]]
    return outline


def format_yolo_data(content: TreeContent) -> str:
    """The text of data.yaml: where each set's pictures lie, and the names of the classes.

    Without `path`, Ultralytics takes the folder of the file itself; a `.` would be the folder that
    the command was called in.
    """
    sets = "".join(f"{name}: images/{name}\n" for name in content.set_names)
    numbered = enumerate(map(json.dumps, content.classes))
    names = "".join(f"  {number}: {name}\n" for number, name in numbered)
    return f"{sets}nc: {len(content.classes)}\nnames:\n{names}"
