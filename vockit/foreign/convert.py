"""Writing a VOC tree in another format, whole or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from vockit.extras import require_module
from vockit.report.progress import Advance

from .coco import format_coco
from .folder import new_folder, write_file
from .tree_images import LoadedImage, TreeContent
from .yolo import format_yolo_data, format_yolo_labels


def check_form(form: str) -> None:
    """Raises MissingExtraError where a package that writes the format is not installed."""
    if form == "parquet":
        require_module("pyarrow", extra="fast", purpose="Writing Parquet")


def convert_tree(
    content: TreeContent,
    target: Path,
    form: str,
    *,
    with_difficult: bool = False,
    advance: Advance = lambda count: None,
) -> None:
    """Write the tree to the new folder `target` as coco, yolo, yolo-seg or parquet.

    Pictures are hard links if possible. Raises MissingExtraError, FolderTakenError and WriteError.
    """
    check_form(form)
    with new_folder(target) as folder:
        if form == "parquet":
            from .objects_table import format_table

            write_file(folder, "objects.parquet", format_table(content))
            advance(len(content.images))
            return
        if form == "coco":
            _write_coco(folder, content)
        else:
            has_outlines = form == "yolo-seg"
            _write_yolo(folder, content, with_difficult=with_difficult, has_outlines=has_outlines)
        for image in content.images:
            _link_picture(folder, image)
            advance(1)


def _write_coco(folder: Path, content: TreeContent) -> None:
    """Write an instances file for each set."""
    for name in content.set_names:
        text = format_coco(content, name)
        write_file(folder, f"annotations/instances_{name}.json", text.encode())


def _write_yolo(
    folder: Path, content: TreeContent, *, with_difficult: bool, has_outlines: bool
) -> None:
    """Write data.yaml and a file of labels for each image."""
    write_file(folder, "data.yaml", format_yolo_data(content).encode())
    for image in content.images:
        text = format_yolo_labels(
            image, content.classes, with_difficult=with_difficult, has_outlines=has_outlines
        )
        write_file(folder, f"labels/{image.set_name}/{image.image_id}.txt", text.encode())


def _link_picture(folder: Path, image: LoadedImage) -> None:
    """Put the picture below its set's folder, as a hard link or, failing that, a copy."""
    picture = folder / "images" / image.set_name / image.picture.name
    picture.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(image.picture.resolve(), picture)  # a link to a link would lead nowhere
    except OSError:  # another file system, or one without links
        shutil.copyfile(image.picture, picture)
