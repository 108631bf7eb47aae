"""The text files of a release's tree, from its plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .image_sets import iterate_set_files
from .label_map import NAME as LABEL_MAP
from .label_map import format_label_map
from .plan import PlannedImage, ReleasePlan
from .recipe import FORMAT
from .split_report import NAME as SPLITS
from .split_report import format_splits
from .voc import tree

MANIFEST = "release.json"


@dataclass(frozen=True)
class TextFile:
    """A file's path below the folder that is written to, slash-separated, and its text."""

    path: str
    text: str


def iterate_text_files(plan: ReleasePlan) -> Iterator[TextFile]:
    """Every file but the pictures and the manifest; the same for the same plan."""
    root = tree_path(plan)
    for image in plan.annotated:
        text = plan.annotation(image)
        yield TextFile(f"{root}/{tree.annotation_path(image.public_id)}", text)
    for path, text in iterate_set_files(plan):
        yield TextFile(f"{root}/{path}", text)
    if plan.recipe.has_label_map:
        yield TextFile(f"{root}/{LABEL_MAP}", format_label_map(plan.recipe))
    if plan.recipe.format >= FORMAT and not plan.is_blind:
        yield TextFile(SPLITS, format_splits(plan))


def tree_path(plan: ReleasePlan) -> str:
    """The folder of the VOC tree below the folder that is written to."""
    return f"{tree.DEVKIT}/{plan.tree_name}"


def jpeg_path(plan: ReleasePlan, image: PlannedImage) -> str:
    """The path of an image's picture below the folder that is written to."""
    return f"{tree_path(plan)}/{tree.jpeg_path(image.public_id)}"
