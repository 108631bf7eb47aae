"""A tree that was loaded, as the pages show it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from vockit.foreign.listed_images import read_listed, read_spelling
from vockit.foreign.tree_images import UNLISTED, TreeContent
from vockit.format import tree
from vockit.format.image_sets import SETS

from .app import ShownImage, ShownTree


def show_tree(content: TreeContent, root: Path) -> ShownTree:
    """What `vocparty browse` shows of a tree that was loaded from `root`: images, all its lists."""
    images = tuple(
        ShownImage(image.image_id, image.set_name, image.picture, image.size, image.objects)
        for image in content.images
    )
    sets = dict[str, frozenset[str]]()
    spelling = read_spelling(root)
    for folder, name in product((tree.MAIN, tree.LAYOUT, tree.ACTION, tree.SEGMENTATION), SETS):
        lines = read_listed(root / tree.set_path(folder, name))
        if lines and not isinstance(lines, str):
            key = name if folder == tree.MAIN else f"{Path(folder).name}/{name}"
            sets[key] = frozenset(spelling.find(line.image_id) for line in lines)
    if unlisted := frozenset(image.image_id for image in images).difference(*sets.values()):
        sets[UNLISTED] = unlisted
    return ShownTree(content.name, root, content.classes, images, sets)
