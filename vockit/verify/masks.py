"""Segmentation masks: each file, the two of an image, and what the annotation says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vockit.errors import LabelMapError
from vockit.foreign.label_map import find_classes, read_label_map, read_renumbering
from vockit.foreign.tree_files import MASK_FOLDERS, list_files, read_bytes
from vockit.format import tree
from vockit.format.masks import (
    VOID,
    Labels,
    MaskError,
    MaskSizeError,
    format_mask,
    has_palette,
    read_mask,
)
from vockit.format.records import VocObject

from .image_sets import Content, Sets
from .labels import list_words
from .trees import Violation

MOST_OUTSIDE_PX = 6
"""Of a mask outside its object's box; in VOC's own releases its ends are 0 to 6 pixels off."""


class Mask(NamedTuple):
    """A mask that can be read and holds no wrong label, and its file.

    Where the tree's label map numbers the classes otherwise than masks of VOC do, labels and file
    are renumbered.
    """

    labels: Labels
    data: bytes
    is_renumbered: bool = False


def check_masks(content: Content) -> Iterator[Violation]:
    """Each mask is as the format has it, and says what the annotation says."""
    root = content.tree.root
    files = list_files(root)
    names = {folder: files.get(folder, frozenset()) for folder in MASK_FOLDERS}
    sets = content.folders.get(tree.SEGMENTATION, {})
    yield from _find_missing(sets, names)
    try:
        classes = count_classes(root)
        class_names = find_classes(root, content.class_names)
    except LabelMapError as error:  # nothing says what the labels are
        classes = VOID - 1
        class_names = None
        yield Violation(tree.LABEL_MAP, 1, "encoding", str(error))
    for image_id in sorted(frozenset().union(*names.values())):
        known = content.images.get(image_id)
        objects = None if known is None else known.objects
        most = (classes, VOID - 1 if objects is None else len(objects))
        paths = {
            folder: tree.mask_path(folder, image_id)
            for folder in MASK_FOLDERS
            if image_id in names[folder]
        }
        masks, violations = read_masks(root, paths, most, known.size_wh if known else None)
        yield from violations
        for folder, mask in masks.items():
            if not has_palette(mask.data):
                message = "expected VOC's palette of 256 colours"
                yield Violation(paths[folder], 1, "mask-palette", message)
        if objects is not None and len(masks) == len(MASK_FOLDERS):
            classes_mask, objects_mask = (masks[folder].labels for folder in MASK_FOLDERS)
            yield from check_objects(paths[MASK_FOLDERS[1]], objects_mask, objects)
            for message in _compare(classes_mask, objects_mask, objects, class_names):
                yield Violation(paths[MASK_FOLDERS[0]], 1, "mask-class", message)


def _find_missing(sets: Sets, names: Mapping[str, Set[str]]) -> Iterator[Violation]:
    """Each image of train or val that a folder of masks has no file of, by folder."""
    for folder, (name, image_set) in product(MASK_FOLDERS, sets.items()):
        for line in image_set.lines if name in ("train", "val") else ():
            if line.image_id not in names[folder]:
                message = f"expected {tree.mask_path(folder, line.image_id)}"
                yield image_set.breaks(line.line, "mask-missing", message)


def count_classes(root: Path) -> int:
    """How many labels a mask of classes may have; raises LabelMapError."""
    if listed := read_label_map(root):
        return len(listed)
    # a tree may have class files of a few of VOC's classes alone
    return max(len(tree.VOC_CLASSES), len(list_words(root / tree.MAIN)))


def read_masks(
    root: Path, paths: Mapping[str, str], most: tuple[int, int], size_wh: tuple[int, int] | None
) -> tuple[dict[str, Mask], list[Violation]]:
    """The masks of an image by folder, and what others break; `most` are the largest labels."""
    limits = dict(zip(MASK_FOLDERS, most, strict=True))
    masks: dict[str, Mask] = {}
    violations: list[Violation] = []
    for folder, path in paths.items():
        data = read_bytes(root / path)
        most_label = limits[folder]
        if isinstance(data, str):
            violations.append(Violation(path, 1, "unreadable", data))
            continue
        try:
            labels = read_mask(data, size_wh)
        except MaskError as error:
            rule = "mask-size" if isinstance(error, MaskSizeError) else "mask"
            violations.append(Violation(path, 1, rule, str(error)))
            continue
        values = np.unique(labels)
        if wrong := [str(value) for value in values[(values > most_label) & (values < VOID)]]:
            message = f"expected labels from 0 to {most_label} and 255, got {', '.join(wrong[:5])}"
            violations.append(Violation(path, 1, "mask-label", message))
        else:
            masks[folder] = _renumber(root, folder, Mask(labels, data))
    voids = [mask.labels == VOID for mask in masks.values()]
    if len(voids) == len(MASK_FOLDERS) and not np.array_equal(*voids):
        message = f"expected void pixels (255) just where {MASK_FOLDERS[0]} has them"
        violations.append(Violation(paths[MASK_FOLDERS[1]], 1, "mask-void", message))
    return masks, violations


def _renumber(root: Path, folder: str, mask: Mask) -> Mask:
    """The mask of classes with the labels that the tree's label map gives its numbers."""
    try:
        numbers = read_renumbering(root) if folder == tree.SEGMENTATION_CLASS else None
    except LabelMapError:  # which is named once for the tree
        numbers = None
    if numbers is None:
        return mask
    labels = numbers[mask.labels]
    return Mask(labels, format_mask(labels), is_renumbered=True)


def check_objects(path: str, mask: Labels, objects: Sequence[VocObject]) -> Iterator[Violation]:
    """Each object has pixels, in its box; what is difficult or void in its box needs none."""
    for number, item in enumerate(objects[: VOID - 1], start=1):
        rows, columns = np.nonzero(mask == number)
        left = item.box.xmin
        top = item.box.ymin
        right = item.box.xmax
        bottom = item.box.ymax
        if rows.size:
            ends = (columns.min() + 1, rows.min() + 1, -columns.max() - 1, -rows.max() - 1)
            out = max(np.subtract((left, top, -right, -bottom), ends))
            if out > MOST_OUTSIDE_PX:
                message = f"object {number} ({item.name}) has pixels {out:g} px outside its box"
                yield Violation(path, 1, "mask-box", message, is_warning=True)
        elif not item.difficult:
            first_row = max(int(top) - 1, 0)
            first_column = max(int(left) - 1, 0)
            inside = mask[first_row : int(bottom), first_column : int(right)]
            if inside.size and np.mean(inside == VOID) < 0.5:  # else it is in a crowd
                message = f"expected pixels of object {number} ({item.name}), got none"
                yield Violation(path, 1, "mask-object", message)
    if mask.any() and not (mask == VOID).any():
        message = "expected void pixels (255) around the objects"
        yield Violation(path, 1, "mask-no-void", message, is_warning=True)


def _compare(
    classes: Labels, mask: Labels, objects: Sequence[VocObject], class_names: Sequence[str] | None
) -> Iterator[str]:
    """Where pixels lack the label of their object's class, or others have one; five at most."""
    expected = np.zeros(VOID + 1, np.int64)
    expected[VOID] = VOID
    for number, item in enumerate(objects[: VOID - 1], start=1):
        if class_names is not None:
            expected[number] = class_names.index(item.name) + 1
    wrong = (expected[mask] != classes) & (classes != VOID) & (mask != VOID)
    if class_names is None:
        wrong &= (mask == 0) | (classes == 0)
    for number in np.unique(mask[wrong])[:5]:
        got = ", ".join(map(str, np.unique(classes[wrong & (mask == number)])[:5]))
        name = f"object {number} ({objects[number - 1].name})" if number else "no object"
        label = expected[number] if class_names is not None or not number else "a class"
        yield f"expected {label} where the object mask has {name}, got {got}"
