"""The text files of a release, from its plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.states import Split

from .manifest import format_manifest
from .plan import PlannedImage, ReleasePlan
from .rows import ImageRow
from .voc import tree
from .voc.image_sets import format_images, format_labels
from .voc.write import format_annotation

MANIFEST = "release.json"

SET_SPLITS = {
    "train": (Split.TRAIN,),
    "val": (Split.VAL,),
    "trainval": (Split.TRAIN, Split.VAL),
    "test": (Split.TEST,),
}


@dataclass(frozen=True)
class TextFile:
    """A file's path below the folder that is written to, slash-separated, and its text."""

    path: str
    text: str


def iterate_text_files(plan: ReleasePlan) -> Iterator[TextFile]:
    """Every file of the release but its pictures; the same for the same plan."""
    root = tree_path(plan)
    for image in plan.images:
        text = format_annotation(plan.record(image), plan.recipe.voc_style)
        yield TextFile(f"{root}/{tree.annotation_path(image.public_id)}", text)
    labels = {image.public_id: find_labels(image.row) for image in plan.images}
    for set_name, splits in SET_SPLITS.items():
        ids = [image.public_id for image in plan.images if image.split in splits]
        yield TextFile(f"{root}/{tree.set_path(tree.MAIN, set_name)}", format_images(ids))
        for name in plan.recipe.classes:
            text = format_labels((image_id, labels[image_id].get(name, -1)) for image_id in ids)
            yield TextFile(f"{root}/{tree.label_path(tree.MAIN, name, set_name)}", text)
    yield TextFile(MANIFEST, format_manifest(plan))


def tree_path(plan: ReleasePlan) -> str:
    """The folder of the VOC tree below the folder that is written to."""
    return f"{tree.DEVKIT}/{plan.tree_name}"


def jpeg_path(plan: ReleasePlan, image: PlannedImage) -> str:
    """The path of an image's picture below the folder that is written to."""
    return f"{tree_path(plan)}/{tree.jpeg_path(image.public_id)}"


def find_labels(row: ImageRow) -> dict[str, int]:
    """The label of each class that the image shows: 1, or 0 where all its objects are difficult."""
    labels: dict[str, int] = {}
    for item in row.objects:
        labels[item.class_name] = max(labels.get(item.class_name, 0), int(not item.difficult))
    return labels
