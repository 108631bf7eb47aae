"""The forms of labelled datasets that are read, by the names of --format."""

from __future__ import annotations

FORM_NAMES = ("coco", "yolo", "cvat", "labelme", "label-studio", "voc")
