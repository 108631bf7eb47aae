"""Where everything lies in a release's folder, as slash-separated paths."""

from __future__ import annotations

import re

ANNOTATIONS = "Annotations"
JPEG_IMAGES = "JPEGImages"
IMAGE_SETS = "ImageSets"
MAIN = f"{IMAGE_SETS}/Main"
LAYOUT = f"{IMAGE_SETS}/Layout"
ACTION = f"{IMAGE_SETS}/Action"
SEGMENTATION = f"{IMAGE_SETS}/Segmentation"
SEGMENTATION_CLASS = "SegmentationClass"
SEGMENTATION_OBJECT = "SegmentationObject"
DEVKIT = "VOCdevkit"
LABEL_MAP = "labelmap.txt"
"""By which readers such as datumaro know classes that are not VOC's own."""

TREE_NAME = re.compile(r"VOC([0-9]{4})")


def annotation_path(image_id: str) -> str:
    """The annotation file of an image."""
    return f"{ANNOTATIONS}/{image_id}.xml"


def jpeg_path(image_id: str) -> str:
    """The picture of an image."""
    return f"{JPEG_IMAGES}/{image_id}.jpg"


def mask_path(folder: str, image_id: str) -> str:
    """The segmentation mask of an image in a folder such as SEGMENTATION_CLASS."""
    return f"{folder}/{image_id}.png"


def set_path(folder: str, image_set: str) -> str:
    """The list of a set in a folder such as MAIN."""
    return f"{folder}/{image_set}.txt"


def label_path(folder: str, word: str, image_set: str) -> str:
    """The labels of a class or an action in a set."""
    return f"{folder}/{word}_{image_set}.txt"
