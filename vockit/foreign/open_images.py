"""A VOC tree as Open Images' tables, in the layout that datumaro and CVAT read.

Columns and values are those of storage.googleapis.com/openimages/web/download_v5.html. Open Images
has no flag for difficult objects; of these the groups of several stay, with IsGroupOf.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from vockit.format.image_sets import Split
from vockit.format.records import VocObject
from vockit.report.comparison import Outcome

from .boxes import xywh
from .tree_images import LoadedImage, TreeContent

DIFFICULT = "difficult, for which Open Images has no flag; --with-difficult keeps them"
BOX_COLUMNS = (
    "ImageID",
    "Source",
    "LabelName",
    "Confidence",
    "XMin",
    "XMax",
    "YMin",
    "YMax",
    "IsOccluded",
    "IsTruncated",
    "IsGroupOf",
    "IsDepiction",
    "IsInside",
)
LABEL_COLUMNS = ("ImageID", "Source", "LabelName", "Confidence")
IMAGE_COLUMNS = (
    "ImageID",
    "Subset",
    "OriginalURL",
    "OriginalLandingURL",
    "License",
    "AuthorProfileURL",
    "Author",
    "Title",
    "OriginalSize",
    "OriginalMD5",
    "Thumbnail300KURL",
    "Rotation",
)
CLASSES_FILE = "class-descriptions.csv"
IMAGES_FILE = "image_ids_and_rotation.csv"
_UNKNOWN = "-1"
_NOT_SAID = _UNKNOWN, _UNKNOWN
"""Whether an object is a depiction, or seen from inside, which VOC does not ask."""


def name_subset(set_name: str) -> str:
    """What Open Images calls a set: `validation` for `val`."""
    return "validation" if set_name == Split.VAL else set_name


def choose_objects(image: LoadedImage, *, with_difficult: bool) -> list[Outcome]:
    """Of each object of an image whether a row is written of it, or why not."""
    return [
        DIFFICULT if item.difficult and not (with_difficult or is_group) else True
        for item, is_group in zip(image.objects, _list_groups(image), strict=True)
    ]


def format_boxes(images: Iterable[LoadedImage], *, with_difficult: bool) -> str:
    """The table of boxes of a set, in shares of the picture."""
    rows = []
    for image in images:
        written = choose_objects(image, with_difficult=with_difficult)
        for item, is_group, outcome in zip(
            image.objects, _list_groups(image), written, strict=True
        ):
            if outcome is True:
                rows.append(_make_box_row(image, item, is_group))
    return _format_table(BOX_COLUMNS, rows)


def _list_groups(image: LoadedImage) -> list[bool | None]:
    """Of each object whether it is a box around a group; None where nothing says so."""
    numbers = range(1, len(image.objects) + 1)
    if image.groups is None:
        return [None for _ in numbers]
    return [number in image.groups for number in numbers]


def _make_box_row(image: LoadedImage, item: VocObject, is_group: bool | None) -> list[str]:
    left, top, width, height = xywh(item.box)
    across = [(left + part) / image.size.width for part in (0, width)]
    down = [(top + part) / image.size.height for part in (0, height)]
    flags = map(_format_flag, (item.occluded, item.truncated, is_group))
    edges = [f"{share:.8f}" for share in (*across, *down)]
    return [image.image_id, "freeform", item.name, "1", *edges, *flags, *_NOT_SAID]


def _format_flag(flag: bool | None) -> str:
    return _UNKNOWN if flag is None else str(int(flag))


def format_labels(
    images: Iterable[LoadedImage], classes: Sequence[str], *, with_difficult: bool
) -> str:
    """The table of labels of whole images: 1 for a class that is drawn, 0 for one that is not.

    A class that the image was not asked about has no label unless it is drawn; nor has one whose
    objects all are left out, of which neither is true.
    """
    rows = []
    for image in images:
        written = choose_objects(image, with_difficult=with_difficult)
        drawn = {item.name for item in image.objects}
        boxed = {
            item.name
            for item, outcome in zip(image.objects, written, strict=True)
            if outcome is True
        }
        for name in classes:
            if name in boxed or name not in image.unasked | drawn:
                rows.append([image.image_id, "verification", name, str(int(name in boxed))])
    return _format_table(LABEL_COLUMNS, rows)


def format_images(images: Iterable[LoadedImage]) -> str:
    """The table of images with their sets and licences."""
    rows = []
    for image in images:
        known = {
            "ImageID": image.image_id,
            "Subset": name_subset(image.set_name),
            "License": image.licence[1],
            "Rotation": "0",
        }
        rows.append([known.get(column, "") for column in IMAGE_COLUMNS])
    return _format_table(IMAGE_COLUMNS, rows)


def format_classes(content: TreeContent) -> str:
    """The names of the classes, without a head; labels are called as their classes."""
    return _format_table((), [[name, name] for name in content.classes])


def _format_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([columns] if columns else [])
    writer.writerows(rows)
    return text.getvalue()
