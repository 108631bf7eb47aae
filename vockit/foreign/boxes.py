"""A VOC box in the forms of other tools."""

from __future__ import annotations

from vockit.format.records import VocBox

CORNERS = ("xmin", "ymin", "xmax", "ymax")


def xywh(box: VocBox) -> tuple[float, float, float, float]:
    """Left, top, width and height in pixels, counted from 0."""
    return box.xmin - 1, box.ymin - 1, box.xmax - box.xmin + 1, box.ymax - box.ymin + 1
