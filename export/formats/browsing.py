"""What `vocparty browse` shows of a VOC tree: its images and all of its lists."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path

from export.verify.image_sets import read_listed
from present.browse.app import Sets, ShownImage, ShownTree
from voc import tree
from voc.image_sets import SETS

from .tree_images import UNLISTED, TreeContent


def show_tree(content: TreeContent, root: Path) -> ShownTree:
    """The pages' view of a tree that was loaded from `root`."""
    images = tuple(
        ShownImage(it.image_id, it.set_name, it.picture, it.size, it.objects)
        for it in content.images
    )
    sets = load_sets(root, [it.image_id for it in images])
    return ShownTree(content.name, root, content.classes, images, sets)


def load_sets(root: Path, image_ids: Iterable[str]) -> Sets:
    """The images of each list that names any; last those of `image_ids` that no list names.

    Lists of Main go by their names, others have their folder in front.
    """
    sets: dict[str, frozenset[str]] = {}
    for folder, name in product((tree.MAIN, tree.LAYOUT, tree.ACTION, tree.SEGMENTATION), SETS):
        lines = read_listed(root / tree.set_path(folder, name))
        if lines and not isinstance(lines, str):
            key = name if folder == tree.MAIN else f"{Path(folder).name}/{name}"
            sets[key] = frozenset(line.image_id for line in lines)
    unlisted = frozenset(image_ids).difference(*sets.values())
    return sets | ({UNLISTED: unlisted} if unlisted else {})
