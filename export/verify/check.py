"""Every rule of the format, over one tree."""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from voc import tree
from voc.image_sets import SETS

from .facts import Digests, check_images
from .image_sets import check_listed, check_sets, check_union
from .labels import (
    check_action_names,
    check_actions,
    check_class_files,
    check_layout,
    find_actions,
    find_classes,
)
from .masks import FOLDERS, check_listed_masks, check_masks
from .trees import Tree, Violation, Violations, find_trees, list_names
from .twins import check_twins

REQUIRED_FOLDERS = (tree.ANNOTATIONS, tree.JPEG_IMAGES, tree.MAIN)
SET_FOLDERS = (tree.MAIN, tree.SEGMENTATION, tree.LAYOUT, tree.ACTION)
"""An image's set is that of the first one that lists it (VOC2011 devkit, section 5)."""


CONTENT_RULES = frozenset(
    {
        *("object-twice", "image-twice", "annotation-twice", "action-name", "actions-missing"),
        *("point-missing", "layout-points", "mask-palette", "mask-object", "mask-class"),
    }
)
"""What annotators did. A release of an imported tree has it as that tree has."""


@dataclass(frozen=True)
class TreeReport:
    """What a tree holds, and its violations by file and line."""

    root: Path
    images: int
    objects: int
    violations: tuple[Violation, ...]

    @property
    def errors(self) -> tuple[Violation, ...]:
        """The violations that are no warnings."""
        return tuple(it for it in self.violations if not it.is_warning)


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
    digests: Digests = {}
    facts = check_images(tree_, violations, digests)
    folders = {
        folder: check_sets(tree_, folder, violations)
        for folder in SET_FOLDERS
        if (tree_.root / folder).is_dir()
    }
    check_listed(tree_, folders, facts, violations, digests)
    held = {item.name for known in facts.values() for item in known.objects or ()}
    main, action = folders.get(tree.MAIN, {}), folders.get(tree.ACTION, {})
    told = {
        tree.MAIN: check_class_files(tree_, main, facts, violations),
        tree.ACTION: check_actions(tree_, action, facts, violations),
    }
    for folder, sets in folders.items():
        check_union(sets, told.get(folder, ()), violations)
    check_layout(folders.get(tree.LAYOUT, {}), facts, violations)
    check_action_names(tree_, find_actions(tree_.root, held), facts, violations)
    check_listed_masks(tree_, folders.get(tree.SEGMENTATION, {}), violations)
    check_masks(tree_, facts, find_classes(tree_.root, held), violations)
    check_twins(tree_, folders, facts, digests, violations)
    listed = (it for sets in folders.values() for it in sets.values())
    listed_ids = {line.image_id for image_set in listed for line in image_set.lines}
    images = listed_ids | facts.keys()
    _check_stray(tree_, listed_ids, violations)
    objects = sum(len(known.objects or ()) for known in facts.values())
    return TreeReport(tree_.root, len(images), objects, tuple(violations.sorted()))


def _check_folders(tree_: Tree, violations: Violations) -> None:
    if tree_.year is None:
        message = "expected a folder named VOC and the year, such as VOC2012"
        violations.add(tree_.root, 1, "tree-name", message)
    for name in REQUIRED_FOLDERS:
        if not (tree_.root / name).is_dir():
            violations.add(tree_.root, 1, "folder-missing", f"expected the folder {name}")


_ENDINGS = {
    tree.ANNOTATIONS: (".xml",),
    tree.JPEG_IMAGES: (".jpg", ".jpeg"),
    **dict.fromkeys(FOLDERS, (".png",)),
}


def _check_stray(tree_: Tree, listed: Container[str], violations: Violations) -> None:
    """Nothing lies in the tree but what the format has, and what belongs to an image."""
    folders = {tree.IMAGE_SETS, *_ENDINGS, tree.LABEL_MAP}
    stray = [it for it in list_names(tree_.root, "") if it not in folders]
    in_sets = (f"{tree.IMAGE_SETS}/{it}" for it in list_names(tree_.root / tree.IMAGE_SETS, ""))
    for folder in in_sets:
        if folder not in SET_FOLDERS:
            stray.append(folder)
            continue
        has_words = folder in (tree.MAIN, tree.ACTION)
        for name in list_names(tree_.root / folder, ""):
            word, _, last = name.removesuffix(".txt").rpartition("_")
            if not name.endswith(".txt") or last not in SETS or (word and not has_words):
                stray.append(f"{folder}/{name}")
    pictures = {Path(it).stem for it in list_names(tree_.root / tree.JPEG_IMAGES, "")}
    for folder, endings in _ENDINGS.items():
        for name in list_names(tree_.root / folder, ""):
            stem, ending = os.path.splitext(name)  # noqa: PTH122  names alone
            is_known = stem in pictures or stem in listed
            if ending.lower() not in endings or not is_known:
                stray.append(f"{folder}/{name}")
    for path in stray:
        message = "expected nothing here that the format does not have, or that is of no image"
        violations.add(tree_.root / path, 1, "stray", message)
