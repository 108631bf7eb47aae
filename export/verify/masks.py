"""Segmentation masks: each file, the two of an image, and what the annotation says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from voc import tree
from voc.masks import VOID, Labels, MaskError, MaskSizeError, has_palette, read_mask
from voc.records import VocObject

from .facts import Facts, ImageFacts
from .image_sets import Sets
from .labels import list_words
from .trees import Tree, Violations, list_names, read_bytes

FOLDERS = (tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT)
FEWEST_CLASSES = 20
"""VOC's own; a tree may have class files of a few of them alone."""
MOST_OUTSIDE_PX = 6
"""Of a mask outside its object's box; in VOC's own releases its ends are 0 to 6 pixels off."""
MOST_VOID = 0.5
"""The part of a box that is void where its object need not have pixels: it is in a crowd."""


def check_listed_masks(tree_: Tree, sets: Sets, violations: Violations) -> None:
    """Each image of a segmentation set but test has both masks."""
    for folder in FOLDERS:
        masks = set(list_names(tree_.root / folder, ".png"))
        for name in ("train", "val"):
            for line in sets[name].lines if name in sets else ():
                if line.image_id not in masks:
                    message = f"expected {tree.mask_path(folder, line.image_id)}"
                    violations.add(sets[name].path, line.line, "mask-missing", message)


def check_masks(
    tree_: Tree, facts: Facts, class_names: Sequence[str] | None, violations: Violations
) -> None:
    """Each mask is as the format has it, and says what the annotation says.

    `class_names` are the classes in label order, None where that is not known.
    """
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
        labels = check_image_masks(paths, most, known.size_wh, violations)
        for folder in labels:
            data = read_bytes(paths[folder])
            if isinstance(data, bytes) and not has_palette(data):
                message = "expected VOC's palette of 256 colours"
                violations.add(paths[folder], 1, "mask-palette", message)
        if known.objects is not None and len(labels) == len(FOLDERS):
            image = _MaskedImage(paths, labels, known.objects)
            image.check_objects(violations)
            image.check_classes(class_names, violations)


@dataclass(frozen=True)
class _MaskedImage:
    """The two masks of an image and its objects, which must agree."""

    paths: Mapping[str, str]
    labels: Mapping[str, Labels]
    objects: Sequence[VocObject]

    def check_objects(self, violations: Violations) -> None:
        """Each object has pixels, in its box; what is difficult or void in its box needs none."""
        mask, path = self.labels[tree.SEGMENTATION_OBJECT], self.paths[tree.SEGMENTATION_OBJECT]
        for number, item in enumerate(self.objects[: VOID - 1], start=1):
            rows, columns = np.nonzero(mask == number)
            left, top, right, bottom = item.box.xmin, item.box.ymin, item.box.xmax, item.box.ymax
            if rows.size:
                ends = (columns.min() + 1, rows.min() + 1, -columns.max() - 1, -rows.max() - 1)
                out = max(np.subtract((left, top, -right, -bottom), ends))
                if out > MOST_OUTSIDE_PX:
                    message = f"object {number} ({item.name}) has pixels {out:g} px outside its box"
                    violations.warn(path, "mask-box", message)
            elif not item.difficult:
                first_row, first_column = max(int(top) - 1, 0), max(int(left) - 1, 0)
                inside = mask[first_row : int(bottom), first_column : int(right)]
                if inside.size and np.mean(inside == VOID) < MOST_VOID:
                    message = f"expected pixels of object {number} ({item.name}), got none"
                    violations.add(path, 1, "mask-object", message)
        if mask.any() and not (mask == VOID).any():
            violations.warn(path, "mask-no-void", "expected void pixels (255) around the objects")

    def check_classes(self, class_names: Sequence[str] | None, violations: Violations) -> None:
        """Each object's pixels have the label of its class, and no others have one."""
        mask, path = self.labels[tree.SEGMENTATION_OBJECT], self.paths[tree.SEGMENTATION_CLASS]
        classes = self.labels[tree.SEGMENTATION_CLASS]
        expected = np.zeros(VOID + 1, np.int64)
        expected[VOID] = VOID
        for number, item in enumerate(self.objects[: VOID - 1], start=1):
            if class_names is not None:
                expected[number] = class_names.index(item.name) + 1
        wrong = (expected[mask] != classes) & (classes != VOID) & (mask != VOID)
        if class_names is None:
            wrong &= (mask == 0) | (classes == 0)
        for number in np.unique(mask[wrong])[:5]:
            got = ", ".join(map(str, np.unique(classes[wrong & (mask == number)])[:5]))
            name = f"object {number} ({self.objects[number - 1].name})" if number else "no object"
            label = expected[number] if class_names is not None or not number else "a class"
            message = f"expected {label} where the object mask has {name}, got {got}"
            violations.add(path, 1, "mask-class", message)


def count_classes(tree_: Tree) -> int:
    """How many labels a mask of classes may have."""
    return max(FEWEST_CLASSES, len(list_words(tree_.root / tree.MAIN)))


def check_image_masks(
    paths: Mapping[str, str],
    most: tuple[int, int],
    size_wh: tuple[int, int] | None,
    violations: Violations,
) -> dict[str, Labels]:
    """Hold the masks of an image, by their folders, against the format and each other.

    `most` are the largest numbers of a class and of an object. What comes back are the masks that
    can be read and hold no other numbers.
    """
    limits = dict(zip(FOLDERS, most, strict=True))
    labels = {
        folder: mask
        for folder, path in paths.items()
        if (mask := _check_mask(path, limits[folder], size_wh, violations)) is not None
    }
    if len(labels) == len(FOLDERS):
        voids = [mask == VOID for mask in labels.values()]
        if not np.array_equal(*voids):
            message = f"expected void pixels (255) just where {FOLDERS[0]} has them"
            violations.add(paths[FOLDERS[1]], 1, "mask-void", message)
    return labels


_UNKNOWN = ImageFacts(None)


def _check_mask(
    path: str, most: int, size_wh: tuple[int, int] | None, violations: Violations
) -> Labels | None:
    """The mask; None where it cannot be read or has labels that it must not have."""
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
    return None if wrong else labels
