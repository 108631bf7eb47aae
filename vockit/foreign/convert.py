"""Writing a VOC tree in another format, whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vockit.errors import NothingWrittenError
from vockit.extras import require_module
from vockit.report.comparison import Compared, Outcome, compare
from vockit.report.progress import Advance

from . import open_images
from .coco import format_coco, make_coco, select_masks
from .folder import new_folder, write_file
from .tree_images import LoadedImage, TreeContent
from .yolo import format_yolo_data, format_yolo_labels

NO_ROW = "without objects, of which the table has no row"


def check_form(form: str) -> None:
    """Raises MissingExtraError where a package that writes the format is not installed."""
    if form == "parquet":
        require_module("pyarrow", extra="fast", purpose="Writing Parquet")


@dataclass(frozen=True)
class Written:
    """The images and the objects that a conversion wrote, and those that it passed over.

    `boxes_alone` are objects of images with masks that were written without an outline.
    """

    images: Compared
    objects: Compared
    boxes_alone: int = 0


def convert_tree(
    content: TreeContent,
    target: Path,
    form: str,
    *,
    with_difficult: bool = False,
    advance: Advance = lambda count: None,
) -> Written:
    """Write the tree to the new folder `target` as coco, yolo, yolo-seg, open-images or parquet.

    Returns what was written, counted as it was written. Pictures are hard links if possible.
    Raises NothingWrittenError where no image or no object could be written, MissingExtraError,
    FolderTakenError and WriteError; nothing is left of the folder then.
    """
    check_form(form)
    with new_folder(target) as folder:
        if form == "parquet":
            written = _write_table(folder, content)
            advance(len(content.images))
        else:
            boxes_alone = 0
            if form == "coco":
                objects, boxes_alone = _write_coco(folder, content)
            elif form == "open-images":
                objects = _write_open_images(folder, content, with_difficult=with_difficult)
            else:
                objects = _write_yolo(folder, content, form, with_difficult=with_difficult)
            name_set = open_images.name_subset if form == "open-images" else str
            images = _write_pictures(folder, content, name_set, advance)
            written = Written(images, objects, boxes_alone)
        for part in (written.images, written.objects):
            if not part.compared:
                raise NothingWrittenError(f"Nothing was written as {form}: {part.counts}.")
    return written


def _write_table(folder: Path, content: TreeContent) -> Written:
    """Write the one table, which has a row for each object."""
    from .objects_table import make_rows, write_rows

    rows = make_rows(content)
    write_file(folder, "objects.parquet", write_rows(rows))
    shown = {row["image_id"] for row in rows}
    images = [(image.image_id, image.image_id in shown or NO_ROW) for image in content.images]
    names = [f"{row['image_id']} {row['object_number']}" for row in rows]
    return Written(
        _compare("image", [*images, *content.skipped]),
        _compare("object", [(name, True) for name in names]),
    )


def _write_coco(folder: Path, content: TreeContent) -> tuple[Compared, int]:
    """Write an instances file for each set; the objects, and how many lack their outline.

    A second one holds the images with masks, where the set has any.
    """
    outcomes: list[tuple[str, Outcome]] = []
    boxes_alone = 0
    for name in content.set_names:
        document = make_coco(content, name)
        _write_instances(folder, name, document)
        outcomes += [(f"{name} {entry['id']}", True) for entry in document["annotations"]]
        masks = select_masks(content, name, document)
        if masks["images"]:
            _write_instances(folder, f"{name}_masks", masks)
        numbers = {image["id"] for image in masks["images"]}
        objects = sum(entry["image_id"] in numbers for entry in document["annotations"])
        boxes_alone += objects - len(masks["annotations"])
    return _compare("object", outcomes), boxes_alone


def _write_instances(folder: Path, name: str, document: dict[str, Any]) -> None:
    write_file(folder, f"annotations/instances_{name}.json", format_coco(document).encode())


def _write_yolo(folder: Path, content: TreeContent, form: str, *, with_difficult: bool) -> Compared:
    """Write data.yaml and a file of labels for each image."""
    write_file(folder, "data.yaml", format_yolo_data(content).encode())
    outcomes: list[tuple[str, Outcome]] = []
    for image in content.images:
        text, labels = format_yolo_labels(
            image,
            content.classes,
            with_difficult=with_difficult,
            has_outlines=form == "yolo-seg",
        )
        write_file(folder, f"labels/{image.set_name}/{image.image_id}.txt", text.encode())
        outcomes += [
            (f"{image.image_id} {number}", outcome) for number, outcome in enumerate(labels, 1)
        ]
    return _compare("object", outcomes)


def _write_open_images(folder: Path, content: TreeContent, *, with_difficult: bool) -> Compared:
    """Write tables of boxes and labels for each set, and one of all images."""
    annotations = "annotations"
    classes = open_images.format_classes(content)
    write_file(folder, f"{annotations}/{open_images.CLASSES_FILE}", classes.encode())
    listed = open_images.format_images(content.images)
    write_file(folder, f"{annotations}/{open_images.IMAGES_FILE}", listed.encode())
    for name in content.set_names:
        images = [image for image in content.images if image.set_name == name]
        place = f"{annotations}/{open_images.name_subset(name)}-annotations"
        boxes = open_images.format_boxes(images, with_difficult=with_difficult)
        write_file(folder, f"{place}-bbox.csv", boxes.encode())
        labels = open_images.format_labels(images, content.classes, with_difficult=with_difficult)
        write_file(folder, f"{place}-human-imagelabels.csv", labels.encode())
    outcomes = [
        (f"{image.image_id} {number}", outcome)
        for image in content.images
        for number, outcome in enumerate(
            open_images.choose_objects(image, with_difficult=with_difficult), 1
        )
    ]
    return _compare("object", outcomes)


def _write_pictures(
    folder: Path, content: TreeContent, name_set: Callable[[str], str], advance: Advance
) -> Compared:
    """Link or copy the picture of each image."""
    outcomes: list[tuple[str, Outcome]] = list(content.skipped)
    for image in content.images:
        _link_picture(folder / "images" / name_set(image.set_name), image)
        outcomes.append((image.image_id, True))
        advance(1)
    return _compare("image", outcomes)


def _compare(what: str, outcomes: Iterable[tuple[str, Outcome]]) -> Compared:
    """What was written and what was passed over."""
    return compare(what, outcomes, is_right="written")


def _link_picture(folder: Path, image: LoadedImage) -> None:
    """Put the picture into its set's folder, as a hard link or, failing that, a copy."""
    picture = folder / image.picture.name
    picture.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(image.picture.resolve(), picture)  # a link to a link would lead nowhere
    except OSError:  # another file system, or one without links
        shutil.copyfile(image.picture, picture)
