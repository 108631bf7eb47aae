"""Writing a VOC tree in another format, whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from export.errors import ExportError, FolderTakenError
from export.folder import has_content, part_folder, publish_folder, write_file
from export.syncing import sync_folder

from . import coco, yolo
from .table import format_tree
from .tree_images import TreeContent, TreeImage

Advance = Callable[[int], object]
TABLE = "objects.parquet"


class OtherFormat(StrEnum):
    """What a tree can be written as."""

    COCO = "coco"
    YOLO = "yolo"
    PARQUET = "parquet"


def convert_tree(
    content: TreeContent,
    target: Path,
    form: OtherFormat,
    *,
    with_difficult: bool = False,
    advance: Advance = lambda count: None,
) -> None:
    """Write the tree to the new folder `target`; pictures are hard links where that works.

    `advance` is called with how many more images are done. Raises FolderTakenError where something
    is there already, ExportError where it cannot be written.
    """
    target = target.resolve()
    if has_content(target):
        raise FolderTakenError(f"{target} is not empty; name a new folder.")
    with part_folder(target) as folder:
        try:
            _write(content, folder, form, with_difficult, advance)
            sync_folder(folder)
            publish_folder(folder, target)
        except OSError as error:
            raise ExportError(
                f"{target} cannot be written: {error.strerror}; nothing of it was kept."
            ) from error


def _write(
    content: TreeContent, folder: Path, form: OtherFormat, with_difficult: bool, advance: Advance
) -> None:
    if form is OtherFormat.PARQUET:
        write_file(folder, TABLE, format_tree(content))
        advance(len(content.images))
    elif form is OtherFormat.COCO:
        _write_coco(content, folder, advance)
    else:
        _write_yolo(content, folder, with_difficult, advance)


def _write_coco(content: TreeContent, folder: Path, advance: Advance) -> None:
    for name in content.set_names:
        images = content.of_set(name)
        text = coco.format_instances(images, content.classes)
        write_file(folder, f"annotations/instances_{name}.json", text.encode())
        for image in images:
            _place_picture(image, folder / "images" / name)
            advance(1)


def _write_yolo(content: TreeContent, folder: Path, with_difficult: bool, advance: Advance) -> None:
    write_file(folder, yolo.DATA_FILE, yolo.format_data_file(content).encode())
    for image in content.images:
        text = yolo.format_labels(image, content.classes, with_difficult=with_difficult)
        write_file(folder, f"labels/{image.set_name}/{image.image_id}.txt", text.encode())
        _place_picture(image, folder / "images" / image.set_name)
        advance(1)


def _place_picture(image: TreeImage, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / image.picture.name
    try:
        os.link(image.picture, target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(image.picture, target)
