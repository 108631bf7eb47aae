"""What a VOC tree holds: annotation files, pictures, and the set that each image belongs to."""

from __future__ import annotations

import os
import re
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from catalog.states import Split
from export.verify.facts import MASK_FOLDERS
from export.verify.image_sets import SET_FOLDERS, read_listed
from export.verify.trees import Tree, find_trees, list_names
from voc import tree

from .tree_image import ImportTreeError, Skip

PICTURE_SUFFIXES = (".jpg", ".jpeg", ".JPG", ".JPEG")
MOST_ID_CHARS = 40

_SET_SPLITS = (
    ("train", Split.TRAIN),
    ("val", Split.VAL),
    ("test", Split.TEST),
    ("trainval", Split.TRAIN),
)
"""An image that only trainval lists is taken for training."""


@dataclass(frozen=True)
class TreeFiles:
    """The images of a tree that have both files, and those that lack one, by name.

    `blind` are those of the images of which the tree holds the annotation back.
    """

    image_ids: tuple[str, ...]
    folder: str
    suffixes: Mapping[str, str]
    skipped: tuple[Skip, ...]
    blind: frozenset[str] = frozenset()

    def picture(self, image_id: str) -> str:
        """The path of the image's picture."""
        return f"{self.folder}/{image_id}{self.suffixes[image_id]}"


def get_tree(folder: Path) -> Tree:
    """The one tree that the folder holds; raises ImportTreeError where there are several."""
    trees = find_trees(folder)
    if len(trees) > 1:
        names = ", ".join(str(found.root) for found in trees)
        raise ImportTreeError(f"{folder} holds {len(trees)} trees; name one of them: {names}.")
    return trees[0]


def list_files(root: Path, listed: Mapping[str, Split]) -> TreeFiles:
    """The images of a tree by their annotation files, pictures and sets, in ascending order."""
    annotated = set(list_names(root / tree.ANNOTATIONS, ".xml"))
    suffixes = _find_suffixes(root / tree.JPEG_IMAGES)
    whole = annotated & suffixes.keys()
    skipped = [
        Skip(it, _describe_lack(it in annotated, it in suffixes, listed.get(it)))
        for it in sorted((annotated | suffixes.keys() | listed.keys()) - whole)
    ]
    named = sorted(filter(_is_id, whole))
    skipped += [Skip(image_id, _BAD_ID) for image_id in sorted(whole.difference(named))]
    return TreeFiles(tuple(named), str(root / tree.JPEG_IMAGES), suffixes, tuple(skipped))


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


def add_blind(files: TreeFiles, splits: TreeSplits) -> TreeFiles:
    """The same with the images of test sets of which no annotation is released at all.

    As verify has it: the first set that lists an image says whether its annotation may be missing.
    """
    annotated, placed, blind = set(files.image_ids), set[str](), set[str]()
    lacking = files.suffixes.keys() - annotated
    for listed in splits.by_folder.values():
        test = {image_id for image_id, split in listed.items() if split is Split.TEST}
        if test.isdisjoint(annotated):
            blind |= {it for it in test & lacking - placed if splits.own[it] is Split.TEST}
        placed |= test
    blind = {it for it in blind if _is_id(it) and not splits.find_others(it)}
    return replace(
        files,
        image_ids=tuple(sorted([*files.image_ids, *blind])),
        skipped=tuple(skip for skip in files.skipped if skip.image_id not in blind),
        blind=frozenset(blind),
    )


def read_tree_splits(root: Path) -> TreeSplits:
    """The sets that the lists of the tree give its images."""
    return TreeSplits({folder: _read_folder(root, folder) for folder in SET_FOLDERS})


def _read_folder(root: Path, folder: str) -> dict[str, Split]:
    found: dict[str, Split] = {}
    for set_name, split in _SET_SPLITS:
        path = root / tree.set_path(folder, set_name)
        lines = read_listed(path)
        if isinstance(lines, str):
            raise ImportTreeError(f"{path}: {lines}.")
        for line in lines:
            found.setdefault(line.image_id, split)
    return found


def has_masks(root: Path) -> bool:
    """Whether the tree has a folder of segmentation masks."""
    return any((root / folder).is_dir() for folder in MASK_FOLDERS)


def find_masks(root: Path, image_id: str) -> dict[str, str]:
    """The mask files of an image from the root, by their folders."""
    paths = {folder: tree.mask_path(folder, image_id) for folder in MASK_FOLDERS}
    return {folder: path for folder, path in paths.items() if os.path.lexists(f"{root}/{path}")}


_BAD_ID = (
    "its name holds white space or what is no character, or has more than "
    f"{MOST_ID_CHARS} characters"
)


def _find_suffixes(folder: Path) -> dict[str, str]:
    """The ending of each picture's name; of several pictures of a name the first one's."""
    found: dict[str, str] = {}
    for name in list_names(folder, ""):
        stem, dot, ending = name.rpartition(".")
        suffix = f"{dot}{ending}"
        if suffix in _RANKS and _RANKS[suffix] < _RANKS.get(found.get(stem, ""), len(_RANKS)):
            found[stem] = suffix
    return found


_RANKS = {suffix: rank for rank, suffix in enumerate(PICTURE_SUFFIXES)}


def _describe_lack(is_annotated: bool, has_picture: bool, split: Split | None) -> str:
    if is_annotated:
        return "it has no picture"
    if has_picture and split is Split.TEST:
        return "it is in test and has no annotation; import the tree again when that is released"
    return "it has no annotation" if has_picture else "a set lists it, but it has no file"


def _is_id(image_id: str) -> bool:
    return _ID.fullmatch(image_id) is not None and image_id.isprintable()


_ID = re.compile(rf"\S{{1,{MOST_ID_CHARS}}}")
