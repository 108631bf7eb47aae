"""Every rule of the format, over one tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from export.voc import tree

from .facts import check_images
from .image_sets import ImageSet, check_sets
from .labels import check_class_files
from .listed import check_listed
from .masks import check_listed_masks, check_masks
from .objects import check_actions, check_layout
from .trees import Tree, find_trees
from .violations import Violation, Violations

REQUIRED_FOLDERS = (tree.ANNOTATIONS, tree.JPEG_IMAGES, tree.MAIN)
SET_FOLDERS = (tree.MAIN, tree.SEGMENTATION, tree.LAYOUT, tree.ACTION)


@dataclass(frozen=True)
class TreeReport:
    """What a tree holds, and its violations by file and line."""

    root: Path
    images: int
    objects: int
    violations: tuple[Violation, ...]


def verify_tree(folder: Path) -> list[Violation]:
    """Every violation in the VOC trees of the folder: a tree, a VOCdevkit, or one with it inside.

    Raises TreeNotFoundError where there is no tree.
    """
    return [violation for report in check_folder(folder) for violation in report.violations]


def check_folder(folder: Path) -> list[TreeReport]:
    """A report on each VOC tree of the folder; raises TreeNotFoundError where there is none."""
    return [check_tree(found) for found in find_trees(folder)]


def check_tree(tree_: Tree) -> TreeReport:
    """The report on one tree; it changes nothing there."""
    violations = Violations()
    _check_folders(tree_, violations)
    facts = check_images(tree_, violations)
    folders = {
        folder: check_sets(tree_, folder, violations)
        for folder in SET_FOLDERS
        if (tree_.root / folder).is_dir()
    }
    check_listed(tree_, folders, facts, violations)
    check_class_files(tree_, folders.get(tree.MAIN, {}), facts, violations)
    check_layout(folders.get(tree.LAYOUT, {}), facts, violations)
    check_actions(tree_, folders.get(tree.ACTION, {}), facts, violations)
    check_listed_masks(tree_, folders.get(tree.SEGMENTATION, {}), violations)
    check_masks(tree_, facts, violations)
    images = _listed_images(folders.values()) | facts.keys()
    objects = sum(len(known.objects or ()) for known in facts.values())
    return TreeReport(tree_.root, len(images), objects, tuple(violations.sorted()))


def _check_folders(tree_: Tree, violations: Violations) -> None:
    if tree_.year is None:
        message = "expected a folder named VOC and the year, such as VOC2012"
        violations.add(tree_.root, 1, "tree-name", message)
    for name in REQUIRED_FOLDERS:
        if not (tree_.root / name).is_dir():
            violations.add(tree_.root, 1, "folder-missing", f"expected the folder {name}")


def _listed_images(folders: Iterable[Mapping[str, ImageSet]]) -> set[str]:
    return {
        line.image_id for sets in folders for image_set in sets.values() for line in image_set.lines
    }
