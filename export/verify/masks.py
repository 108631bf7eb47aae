"""Segmentation masks: palette PNG files whose labels agree with each other and the annotation."""

from __future__ import annotations

import io
from collections.abc import Mapping

from export.voc import tree

from .facts import ImageFacts
from .image_sets import ImageSet
from .labels import list_words
from .png import PngError, read_png_header
from .trees import Tree, list_names, read_bytes
from .violations import Violations

FOLDERS = (tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT)
BITS = 8
VOID = 255
FEWEST_CLASSES = 20
"""VOC's own; a tree may have class files of a few of them alone."""
_ONLY_VOID = [int(label == VOID) for label in range(256)]


def check_listed_masks(tree_: Tree, sets: Mapping[str, ImageSet], violations: Violations) -> None:
    """Each image of a segmentation set but test has both masks."""
    for folder in FOLDERS:
        masks = set(list_names(tree_.root / folder, ".png"))
        for name in ("train", "val"):
            for line in sets[name].lines if name in sets else ():
                if line.image_id not in masks:
                    message = f"expected {tree.mask_path(folder, line.image_id)}"
                    violations.add(sets[name].path, line.line, "mask-missing", message)


def check_masks(tree_: Tree, facts: Mapping[str, ImageFacts], violations: Violations) -> None:
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
    if len(voids) == len(FOLDERS) and None not in voids and voids[0] != voids[1]:
        message = f"expected void pixels (255) just where {FOLDERS[0]} has them"
        violations.add(paths[FOLDERS[1]], 1, "mask-void", message)


_UNKNOWN = ImageFacts(None)


def _check_mask(
    path: str, most: int, size_wh: tuple[int, int] | None, violations: Violations
) -> bytes | None:
    """Where the mask is void, a byte for each pixel; None where that cannot be told."""
    data = read_bytes(path)
    if isinstance(data, str):
        violations.add(path, 1, "unreadable", data)
        return None
    try:
        header = read_png_header(data)
    except PngError as error:
        violations.add(path, 1, "mask", f"expected a whole PNG: {error}")
        return None
    if not header.has_palette or header.bits != BITS:
        message = "expected a PNG of 8-bit numbers of a palette, which are the labels"
        violations.add(path, 1, "mask", message)
        return None
    if size_wh is not None and header.size_wh != size_wh:
        message = f"expected the size of the picture, {_by(size_wh)}, got {_by(header.size_wh)}"
        violations.add(path, 1, "mask-size", message)
        return None
    return _check_labels(path, data, most, violations)


def _check_labels(path: str, data: bytes, most: int, violations: Violations) -> bytes | None:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            counts = image.histogram()
            void = image.convert("P").point(_ONLY_VOID).tobytes()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        violations.add(path, 1, "mask", f"expected a whole PNG: {error}")
        return None
    wrong = [label for label in range(most + 1, VOID) if counts[label]]
    if wrong:
        message = f"expected labels from 0 to {most} and 255, got {', '.join(map(str, wrong[:5]))}"
        violations.add(path, 1, "mask-label", message)
    return void


def _by(size_wh: tuple[int, int]) -> str:
    return f"{size_wh[0]} x {size_wh[1]}"
