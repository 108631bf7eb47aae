"""YOLO's label files: for each object its class from 0 and its box in shares of the picture.

The layout is that of Ultralytics: images/SET, labels/SET and a data.yaml. YOLO has no word for
difficult objects; they are left out, as darknet's own converter of VOC does, or kept on demand.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from .coco import xywh
from .tree_images import TreeContent, TreeImage

_SIGNIFICANT = 8
"""Digits behind the point; enough that a box of 10,000 pixels comes back to the pixel."""
DATA_FILE = "data.yaml"


def format_labels(image: TreeImage, classes: Sequence[str], *, with_difficult: bool) -> str:
    """The text of one image's label file; empty where nothing is to be found."""
    numbers = {name: number for number, name in enumerate(classes)}
    lines = []
    for item in image.objects:
        if item.difficult and not with_difficult:
            continue
        left, top, width, height = xywh(item.box)
        shares = (
            (left + width / 2) / image.size.width,
            (top + height / 2) / image.size.height,
            width / image.size.width,
            height / image.size.height,
        )
        numerals = " ".join(f"{share:.{_SIGNIFICANT}f}" for share in shares)
        lines.append(f"{numbers[item.name]} {numerals}\n")
    return "".join(lines)


def format_data_file(content: TreeContent) -> str:
    """The text of data.yaml."""
    sets = "".join(f"{name}: images/{name}\n" for name in content.set_names)
    names = "".join(
        f"  {number}: {json.dumps(name)}\n" for number, name in enumerate(content.classes)
    )
    return f"path: .\n{sets}nc: {len(content.classes)}\nnames:\n{names}"
