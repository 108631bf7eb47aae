"""The forms of labelled datasets that are read, by the names of --format."""

from __future__ import annotations

VOC_TREE = "voc-tree"
"""A whole tree with its sets; what the others read has none that are kept."""
FORM_NAMES = (
    "coco",
    "yolo",
    "cvat",
    "labelme",
    "labelme-xml",
    "label-studio",
    "open-images",
    "voc",
    VOC_TREE,
)
