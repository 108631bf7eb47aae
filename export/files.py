"""The text files of a release, from its plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from catalog.states import Split

from .manifest import format_manifest
from .plan import PlannedImage, ReleasePlan
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
    for set_name, splits in SET_SPLITS.items():
        images = [image for image in plan.images if image.split in splits]
        text = format_images(image.public_id for image in images)
        yield TextFile(f"{root}/{tree.set_path(tree.MAIN, set_name)}", text)
        for name in plan.recipe.classes:
            text = format_labels(_labels(images, name))
            yield TextFile(f"{root}/{tree.label_path(tree.MAIN, name, set_name)}", text)
    yield TextFile(MANIFEST, format_manifest(plan))


def tree_path(plan: ReleasePlan) -> str:
    """The folder of the VOC tree below the folder that is written to."""
    return f"{tree.DEVKIT}/{plan.tree_name}"


def jpeg_path(plan: ReleasePlan, image: PlannedImage) -> str:
    """The path of an image's picture below the folder that is written to."""
    return f"{tree_path(plan)}/{tree.jpeg_path(image.public_id)}"


def _labels(images: Sequence[PlannedImage], name: str) -> Iterator[tuple[str, int]]:
    """1 with an object that is not difficult, 0 with only difficult ones, -1 with none."""
    for image in images:
        difficult = [it.difficult for it in image.row.objects if it.class_name == name]
        yield image.public_id, -1 if not difficult else int(not all(difficult))
