"""Every rule of the format, over one tree; those of segmentation masks are told here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voc import tree
from voc.masks import VOID, MaskError, MaskSizeError, read_mask

from .facts import Facts, ImageFacts, check_images
from .image_sets import Sets, check_listed, check_sets
from .labels import check_actions, check_class_files, check_layout, list_words
from .trees import Tree, Violation, Violations, find_trees, list_names, read_bytes

REQUIRED_FOLDERS = (tree.ANNOTATIONS, tree.JPEG_IMAGES, tree.MAIN)
SET_FOLDERS = (tree.MAIN, tree.SEGMENTATION, tree.LAYOUT, tree.ACTION)
"""An image's set is that of the first one that lists it (VOC2011 devkit, section 5)."""


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
    listed = (it for sets in folders.values() for it in sets.values())
    images = {line.image_id for image_set in listed for line in image_set.lines} | facts.keys()
    objects = sum(len(known.objects or ()) for known in facts.values())
    return TreeReport(tree_.root, len(images), objects, tuple(violations.sorted()))


def _check_folders(tree_: Tree, violations: Violations) -> None:
    if tree_.year is None:
        message = "expected a folder named VOC and the year, such as VOC2012"
        violations.add(tree_.root, 1, "tree-name", message)
    for name in REQUIRED_FOLDERS:
        if not (tree_.root / name).is_dir():
            violations.add(tree_.root, 1, "folder-missing", f"expected the folder {name}")


FOLDERS = (tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT)
FEWEST_CLASSES = 20
"""VOC's own; a tree may have class files of a few of them alone."""


def check_listed_masks(tree_: Tree, sets: Sets, violations: Violations) -> None:
    """Each image of a segmentation set but test has both masks."""
    for folder in FOLDERS:
        masks = set(list_names(tree_.root / folder, ".png"))
        for name in ("train", "val"):
            for line in sets[name].lines if name in sets else ():
                if line.image_id not in masks:
                    message = f"expected {tree.mask_path(folder, line.image_id)}"
                    violations.add(sets[name].path, line.line, "mask-missing", message)


def check_masks(tree_: Tree, facts: Facts, violations: Violations) -> None:
    """Each mask is as the format has it, and void where the other mask of its image is."""
    classes = count_classes(tree_)
    names = [frozenset(list_names(tree_.root / folder, ".png")) for folder in FOLDERS]
    for image_id in sorted(names[0] | names[1]):
        known = facts.get(image_id, _UNKNOWN)
        paths = {
            folder: f"{tree_.root}/{tree.mask_path(folder, image_id)}"
            for folder, ids in zip(FOLDERS, names, strict=True)
            if image_id in ids
        }
        most = (classes, VOID - 1 if known.objects is None else len(known.objects))
        check_image_masks(paths, most, known.size_wh, violations)


def count_classes(tree_: Tree) -> int:
    """How many labels a mask of classes may have."""
    return max(FEWEST_CLASSES, len(list_words(tree_.root / tree.MAIN)))


def check_image_masks(
    paths: Mapping[str, str],
    most: tuple[int, int],
    size_wh: tuple[int, int] | None,
    violations: Violations,
) -> None:
    """Hold the masks of an image, by their folders, against the format and each other.

    `most` are the largest numbers of a class and of an object.
    """
    limits = dict(zip(FOLDERS, most, strict=True))
    voids = [_check_mask(path, limits[it], size_wh, violations) for it, path in paths.items()]
    if len(voids) < len(FOLDERS) or voids[0] is None or voids[1] is None:
        return
    if not np.array_equal(voids[0], voids[1]):
        message = f"expected void pixels (255) just where {FOLDERS[0]} has them"
        violations.add(paths[FOLDERS[1]], 1, "mask-void", message)


_UNKNOWN = ImageFacts(None)


def _check_mask(
    path: str, most: int, size_wh: tuple[int, int] | None, violations: Violations
) -> NDArray[np.bool_] | None:
    """Where the mask is void; None where that cannot be told."""
    data = read_bytes(path)
    if isinstance(data, str):
        violations.add(path, 1, "unreadable", data)
        return None
    try:
        labels = read_mask(data, size_wh)
    except MaskError as error:
        rule = "mask-size" if isinstance(error, MaskSizeError) else "mask"
        violations.add(path, 1, rule, str(error))
        return None
    counts = np.bincount(labels.ravel(), minlength=VOID + 1)
    wrong = [label for label in range(most + 1, VOID) if counts[label]]
    if wrong:
        message = f"expected labels from 0 to {most} and 255, got {', '.join(map(str, wrong[:5]))}"
        violations.add(path, 1, "mask-label", message)
    return np.equal(labels, VOID)
