"""A VOC tree as values, for writing it in another format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from catalog.states import Split
from export.importing.source_tree import get_tree, list_files, read_tree_splits
from export.recipe import VOC_CLASSES
from export.tree_files import LABEL_MAP
from export.verify.trees import MOST_ANNOTATION_BYTES, read_bytes
from voc import tree
from voc.read import read_annotation
from voc.records import VocImage, VocObject, VocSize

UNLISTED = "unlisted"
"""The set of an image that no list of the tree names."""


@dataclass(frozen=True)
class TreeImage:
    """One annotated image of a tree: its set, its picture and what its annotation says."""

    image_id: str
    set_name: str
    picture: Path
    size: VocSize
    record: VocImage

    @property
    def objects(self) -> tuple[VocObject, ...]:
        """The objects in the annotators' order."""
        return self.record.objects


@dataclass(frozen=True)
class TreeContent:
    """What a tree holds; `skipped` says of each image that cannot be taken over why."""

    name: str
    classes: tuple[str, ...]
    images: tuple[TreeImage, ...]
    skipped: tuple[tuple[str, str], ...]

    @property
    def set_names(self) -> tuple[str, ...]:
        """The sets that have images: train, val, test, unlisted."""
        held = {image.set_name for image in self.images}
        return tuple(name for name in (*map(str, Split), UNLISTED) if name in held)

    def of_set(self, name: str) -> tuple[TreeImage, ...]:
        """The images of a set in ascending order of their ids."""
        return tuple(image for image in self.images if image.set_name == name)


def load_tree(folder: Path) -> TreeContent:
    """The one tree in the folder; boxes and fields as the files have them.

    Raises TreeNotFoundError or ImportTreeError where there is not exactly one.
    """
    found = get_tree(folder)
    splits = read_tree_splits(found.root).own
    files = list_files(found.root, splits)
    images, skipped = [], [(skip.image_id, skip.reason) for skip in files.skipped]
    for image_id in files.image_ids:
        path = found.root / tree.annotation_path(image_id)
        data = read_bytes(path, MOST_ANNOTATION_BYTES)
        reading = None if isinstance(data, str) else read_annotation(data, year=found.kit_year)
        record = reading.image if reading else None
        if record is None or record.size is None:
            skipped.append((image_id, "its annotation file has no objects, boxes or size to read"))
            continue
        set_name = str(splits.get(image_id, UNLISTED))
        images.append(
            TreeImage(image_id, set_name, Path(files.picture(image_id)), record.size, record)
        )
    classes = _find_classes(found.root, images)
    return TreeContent(found.root.resolve().name, classes, tuple(images), tuple(skipped))


def _find_classes(root: Path, images: list[TreeImage]) -> tuple[str, ...]:
    """The classes in label order: VOC's own, else those of the label map, else by name."""
    held = {item.name for image in images for item in image.objects}
    if held <= set(VOC_CLASSES):
        return VOC_CLASSES
    label_map = root / LABEL_MAP
    lines = label_map.read_text().splitlines() if label_map.is_file() else []
    names = [line.partition(":")[0] for line in lines if line and not line.startswith("#")]
    listed = [name for name in names if name != "background"]
    return (*listed, *sorted(held - set(listed)))
