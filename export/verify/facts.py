"""What one image's annotation and picture say, as far as other files must agree with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from export.jpeg import BITS, COMPONENTS, JpegError, read_jpeg_header
from export.voc import tree
from export.voc.read import Reading, read_annotation
from export.voc.records import VocImage, VocObject

from .trees import Tree, list_names, read_bytes
from .violations import Violations


@dataclass(frozen=True)
class ImageFacts:
    """What the rest of a tree must agree with; `objects` is None where the file is unreadable."""

    objects: tuple[ObjectFacts, ...] | None

    def label(self, class_name: str) -> int | None:
        """The label of the class: 1, 0 with only difficult objects, -1 with none; None unknown."""
        if self.objects is None:
            return None
        difficult = [item.is_difficult for item in self.objects if item.name == class_name]
        return -1 if not difficult else int(not all(difficult))


@dataclass(frozen=True)
class ObjectFacts:
    """An object's class, whether it is difficult, and its actions where it has any."""

    name: str
    is_difficult: bool
    actions: Mapping[str, bool] = field(default_factory=dict)


def check_images(tree_: Tree, violations: Violations) -> dict[str, ImageFacts]:
    """The facts of every annotated image, by id; each file is held against the format."""
    ids = list_names(tree_.root / tree.ANNOTATIONS, ".xml")
    return {image_id: _check_image(tree_, image_id, violations) for image_id in ids}


def check_picture(
    tree_: Tree, image_id: str, violations: Violations, reading: Reading | None = None
) -> None:
    """Hold the picture of an image against the format, and the size in `reading` against it."""
    path = tree_.root / tree.jpeg_path(image_id)
    data = read_bytes(path)
    if isinstance(data, str):
        violations.add(path, 1, "unreadable", data)
        return
    try:
        header = read_jpeg_header(data)
    except JpegError as error:
        violations.add(path, 1, "jpeg", f"expected a whole JPEG: {error}")
        return
    if not header.fits_voc:
        message = (
            f"expected a JPEG of {COMPONENTS} components of {BITS} bits in a common coding, "
            f"got {header.components} of {header.bits}"
        )
        violations.add(path, 1, "jpeg-colour", message)
    size = reading.image.size if reading and reading.image else None
    if reading is None or size is None:
        return
    declared = (size.width, size.height, size.depth)
    found = (header.width, header.height, COMPONENTS)
    if declared != found:
        message = f"expected the size of the picture, {_by(found)}, got {_by(declared)}"
        file = tree_.root / tree.annotation_path(image_id)
        violations.add(file, reading.line_of("size"), "size", message)


def _by(values: tuple[object, ...]) -> str:
    return " x ".join(map(str, values))


def _check_image(tree_: Tree, image_id: str, violations: Violations) -> ImageFacts:
    path = tree_.root / tree.annotation_path(image_id)
    data = read_bytes(path)
    if isinstance(data, str):
        violations.add(path, 1, "unreadable", data)
        return ImageFacts(None)
    reading = read_annotation(data, year=tree_.kit_year)
    violations.add_remarks(path, reading.remarks)
    if (tree_.root / tree.jpeg_path(image_id)).exists():
        check_picture(tree_, image_id, violations, reading)
    if reading.image is None:
        return ImageFacts(None)
    _check_names(tree_, path, image_id, reading, violations)
    _check_segmented(tree_, path, image_id, reading, violations)
    return ImageFacts(tuple(_object_facts(item) for item in reading.image.objects))


def _check_names(
    tree_: Tree, path: Path, image_id: str, reading: Reading, violations: Violations
) -> None:
    """A later release may keep the folder of an earlier one (the action images of 2011 do)."""
    image = reading.image
    assert image is not None
    if image.filename != f"{image_id}.jpg":
        message = f"expected {image_id}.jpg as the file name, got {image.filename!r}"
        violations.add(path, reading.line_of("filename"), "filename", message)
    match = tree.TREE_NAME.fullmatch(image.folder or "")
    if image.folder and not (match and int(match[1]) <= (tree_.year or int(match[1]))):
        message = f"expected {tree_.root.resolve().name} as the folder, got {image.folder!r}"
        violations.add(path, reading.line_of("folder"), "folder", message)


def _check_segmented(
    tree_: Tree, path: Path, image_id: str, reading: Reading, violations: Violations
) -> None:
    """Only in a tree that has masks at all."""
    folders = [tree_.root / name for name in (tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT)]
    image: VocImage | None = reading.image
    if image is None or image.segmented is None or not any(it.is_dir() for it in folders):
        return
    has_masks = all((folder / f"{image_id}.png").is_file() for folder in folders)
    if image.segmented != has_masks:
        message = f"expected {int(has_masks)}, which says whether the two mask files exist"
        violations.add(path, reading.line_of("segmented"), "segmented", message)


def _object_facts(item: VocObject) -> ObjectFacts:
    actions = {action.name: action.is_performed for action in item.actions or ()}
    return ObjectFacts(item.name, bool(item.difficult), actions)
