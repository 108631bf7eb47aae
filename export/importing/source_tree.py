"""What a VOC tree holds: annotation files, pictures, masks, and the set of each image."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from catalog.states import Split
from export.verify.facts import MASK_FOLDERS
from export.verify.image_sets import SET_FOLDERS, read_listed
from export.verify.trees import Tree, find_trees, list_names
from voc import tree

from .tree_image import ImportTreeError, TreeImage

PICTURE_SUFFIXES = (".jpg", ".jpeg", ".JPG", ".JPEG")
"""Of several pictures of a name the first one is taken."""
MOST_ID_CHARS = 40
_ID = re.compile(rf"\S{{1,{MOST_ID_CHARS}}}")
_BAD_ID = (
    "its name holds white space or what is no character, or has more than "
    f"{MOST_ID_CHARS} characters"
)
_SET_SPLITS = (
    ("train", Split.TRAIN),
    ("val", Split.VAL),
    ("test", Split.TEST),
    ("trainval", Split.TRAIN),
)
"""An image that only trainval lists is taken for training."""


@dataclass(frozen=True)
class TreeSplits:
    """The set of each image in each folder that lists it; the folders are as in SET_FOLDERS."""

    by_folder: Mapping[str, Mapping[str, Split]]

    @cached_property
    def own(self) -> Mapping[str, Split]:
        """The set of each listed image, in the first folder that lists it."""
        return dict(ChainMap(*map(dict, self.by_folder.values())))

    def find_others(self, image_id: str) -> dict[str, Split]:
        """The sets of the folders that have the image in another set than its own."""
        own = self.own.get(image_id)
        found = {folder: splits.get(image_id, own) for folder, splits in self.by_folder.items()}
        return {folder: split for folder, split in found.items() if split and split is not own}


def get_tree(folder: Path) -> Tree:
    """The one tree that the folder holds; raises ImportTreeError where there are several."""
    trees = find_trees(folder)
    if len(trees) > 1:
        names = ", ".join(str(found.root) for found in trees)
        raise ImportTreeError(f"{folder} holds {len(trees)} trees; name one of them: {names}.")
    return trees[0]


def read_tree_splits(root: Path) -> TreeSplits:
    """The sets that the lists of the tree give its images; raises ImportTreeError."""
    by_folder: dict[str, dict[str, Split]] = {folder: {} for folder in SET_FOLDERS}
    for folder, found in by_folder.items():
        for set_name, split in _SET_SPLITS:
            path = root / tree.set_path(folder, set_name)
            lines = read_listed(path)
            if isinstance(lines, str):
                raise ImportTreeError(f"{path}: {lines}.")
            for line in lines:
                found.setdefault(line.image_id, split)
    return TreeSplits(by_folder)


def list_images(root: Path, splits: TreeSplits) -> list[TreeImage]:
    """The images of a tree in ascending order; those that lack a file or a name have a reason."""
    annotated = set(list_names(root / tree.ANNOTATIONS, ".xml"))
    names = list_names(root / tree.JPEG_IMAGES, "")
    pictures = {
        name.removesuffix(suffix): f"{tree.JPEG_IMAGES}/{name}"
        for suffix in reversed(PICTURE_SUFFIXES)
        for name in names
        if name.endswith(suffix)
    }
    masks = list_masks(root)
    blind = _find_blind(splits, annotated, pictures.keys())
    images = list[TreeImage]()
    for image_id in sorted(annotated | pictures.keys() | splits.own.keys()):
        if image_id not in blind and not (image_id in annotated and image_id in pictures):
            lack = "it has no picture" if image_id in annotated else "it has no annotation"
            if image_id not in annotated and image_id not in pictures:
                lack = "a set lists it, but it has no file"
            elif image_id not in annotated and splits.own.get(image_id) is Split.TEST:
                lack = "it is in test and has no annotation; import the tree again when that is "
                lack += "released"
            images.append(TreeImage(image_id, reason=lack))
        elif not _ID.fullmatch(image_id) or not image_id.isprintable():
            images.append(TreeImage(image_id, reason=_BAD_ID))
        else:
            own = {it: tree.mask_path(it, image_id) for it in masks if image_id in masks[it]}
            images.append(TreeImage(image_id, pictures[image_id], own, image_id in blind))
    return images


def list_masks(root: Path) -> dict[str, frozenset[str]]:
    """The images that have a mask in each folder of masks that is there."""
    folders = (it for it in MASK_FOLDERS if (root / it).is_dir())
    return {folder: frozenset(list_names(root / folder, ".png")) for folder in folders}


def _find_blind(
    splits: TreeSplits, annotated: Collection[str], pictured: Collection[str]
) -> set[str]:
    """The images of test sets without any annotation, as verify has it."""
    blind, placed = set[str](), set[str]()
    for listed in splits.by_folder.values():
        test = {image_id for image_id, split in listed.items() if split is Split.TEST}
        if test.isdisjoint(annotated):
            blind |= {it for it in test - placed if splits.own[it] is Split.TEST}
        placed |= test
    return {it for it in blind if it in pictured and not splits.find_others(it)}
