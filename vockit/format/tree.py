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

VOC_CLASSES = (
    "aeroplane",
    "bicycle",
    "bird",
    "boat",
    "bottle",
    "bus",
    "car",
    "cat",
    "chair",
    "cow",
    "diningtable",
    "dog",
    "horse",
    "motorbike",
    "person",
    "pottedplant",
    "sheep",
    "sofa",
    "train",
    "tvmonitor",
)
"""In the order of their labels in masks."""
TAXONOMY = {
    "person": ("person",),
    "animal/domestic": ("cat", "dog"),
    "animal/farmyard": ("cow", "horse", "sheep"),
    "animal": ("bird",),
    "vehicle/4-wheeled": ("bus", "car"),
    "vehicle/2-wheeled": ("bicycle", "motorbike"),
    "vehicle": ("aeroplane", "boat", "train"),
    "household/furniture/seating": ("chair", "sofa"),
    "household/furniture": ("diningtable",),
    "household": ("bottle", "pottedplant", "tvmonitor"),
}
"""VOC's notional taxonomy (IJCV 2010, Fig. 2)."""
TREE_NAME = re.compile(r"VOC([0-9]{4})")


def is_kit_id(image_id: str, year: int) -> bool:
    """Whether the kit of that year reads the identifier.

    Since 2008 it makes a number of characters 3-4, 6-11 and 13 to the end (VOChash).
    """
    digits = image_id[2:4] + image_id[5:11] + image_id[12:]
    is_number = len(image_id) >= 11 and re.fullmatch("[0-9]+", digits) is not None
    return is_number or year < 2008


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


PERSON = "person"
"""Of whom there are layouts and actions."""
