"""The same picture, or the same annotation, under two identifiers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from voc import tree

from .facts import Digests, Facts, ImageFacts
from .image_sets import Sets
from .trees import Tree, Violations

DISJOINT_SETS = ("train", "val", "test")
FEWEST_FREE_SIDES = 5
"""Sides of boxes off the border by which an annotation is known to be a copy: boxes of the whole
picture are alike in many images, as are their classes."""


def check_twins(
    tree_: Tree,
    folders: Mapping[str, Sets],
    facts: Facts,
    digests: Digests,
    violations: Violations,
) -> None:
    """Each picture and each annotation has one identifier; worst is a copy in another set."""
    set_of: dict[str, str] = {}
    for sets in folders.values():
        for name in (it for it in DISJOINT_SETS if it in sets):
            for image_id in sets[name].line_of:
                set_of.setdefault(image_id, name)
    copies = _find_copies(digests)
    for image_id, first in copies.items():
        message = f"expected one id for a picture, but {_describe(first, image_id, set_of)}"
        violations.add(tree_.root / tree.jpeg_path(image_id), 1, "image-twice", message)
    keys = {it: key for it, known in facts.items() if (key := _make_key(known)) is not None}
    for image_id, first in _find_copies(keys).items():
        if image_id not in copies:
            message = f"expected one id for an annotation, but {_describe(first, image_id, set_of)}"
            path = tree_.root / tree.annotation_path(image_id)
            violations.add(path, 1, "annotation-twice", message)


def _find_copies(keys: Mapping[str, Hashable]) -> dict[str, str]:
    """For each image with the key of an earlier one that one, in ascending order."""
    first: dict[Hashable, str] = {}
    found = ((image_id, first.setdefault(keys[image_id], image_id)) for image_id in sorted(keys))
    return {image_id: other for image_id, other in found if other != image_id}


def _describe(first: str, image_id: str, set_of: Mapping[str, str]) -> str:
    one, other = set_of.get(first), set_of.get(image_id)
    if one is None or other is None or one == other:
        return f"{first} has the same"
    return f"{first} in {one} has the same as this one in {other}: the sets are not independent"


def _make_key(known: ImageFacts) -> Hashable | None:
    """What the annotation says of its objects; None where other images may say so by chance."""
    if not known.objects or known.size_wh is None:
        return None
    width, height = known.size_wh
    boxes = {item.box for item in known.objects}
    free = sum(
        (box.xmin > 1) + (box.ymin > 1) + (box.xmax < width) + (box.ymax < height) for box in boxes
    )
    return (known.size_wh, known.objects) if free >= FEWEST_FREE_SIDES else None
