"""The images of a tree as its lists and its files name them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from vockit.errors import TreeError
from vockit.format import image_sets, tree
from vockit.format.image_sets import TESTS, Split

from .tree_files import (
    MASK_FOLDERS,
    list_files,
    list_names,
    read_bytes,
)

SET_FOLDERS = (tree.MAIN, tree.SEGMENTATION, tree.LAYOUT, tree.ACTION)
"""An image's set is that of the first one that lists it (VOC2011 devkit, section 5)."""


def read_listed(path: Path) -> tuple[image_sets.SetLine, ...] | str:
    """The lines of a list, unchecked, or why it cannot be read."""
    data = read_bytes(path) if path.is_file() else b""
    if isinstance(data, str):
        return data
    for form in (image_sets.IMAGES_FORM, image_sets.OBJECTS_FORM):
        lines, _faults = image_sets.parse_set(data, form)
        if lines:
            return tuple(lines)
    return ()


_SET_SPLITS = {**{split.value: split for split in Split}, "trainval": Split.TRAIN}
"""An image that only trainval lists is taken for training."""


@dataclass(frozen=True)
class TreeSplits:
    """The set of each image in each folder that lists it; the folders are as in SET_FOLDERS."""

    by_folder: Mapping[str, Mapping[str, Split]]

    @cached_property
    def main(self) -> Mapping[str, Split]:
        """The set of each listed image, in the first folder that lists it."""
        sets: dict[str, Split] = {}
        for splits in self.by_folder.values():
            sets = {**splits, **sets}  # the first folder counts
        return sets

    def find_sets(self, folders: Collection[str]) -> dict[str, Split]:
        """The set of each image that one of these folders lists, by the first that does.

        By any folder where these list no image at all.
        """
        chosen = {folder: sets for folder, sets in self.by_folder.items() if folder in folders}
        return dict(TreeSplits(chosen).main or self.main)

    def find_folders(self, image_id: str) -> tuple[str, ...]:
        """The folders that list the image in any set."""
        return tuple(folder for folder, sets in self.by_folder.items() if image_id in sets)

    def find_others(self, image_id: str) -> dict[str, Split]:
        """The sets of the folders that have the image in another set than its own."""
        main_split = self.main.get(image_id)
        split_of = {
            folder: splits.get(image_id, main_split) for folder, splits in self.by_folder.items()
        }
        return {
            folder: split for folder, split in split_of.items() if split and split is not main_split
        }

    def find_blind(self, annotated: Collection[str]) -> set[str]:
        """The images of test sets without any annotation, which verify takes for held back.

        A test set that has one annotation is not blind, nor is an image that another folder has in
        training.
        """
        blind = set[str]()
        seen = set[str]()
        for listed in self.by_folder.values():
            for test in TESTS:
                images = {image_id for image_id, split in listed.items() if split is test}
                if images.isdisjoint(annotated):
                    blind |= images - seen
                seen |= images
        return {
            image_id
            for image_id in blind
            if self.main[image_id].is_test and not self.find_others(image_id)
        }


@dataclass(frozen=True)
class Spelling:
    """The ids of a tree as its annotations spell them, else its pictures."""

    ids: Collection[str]
    id_of_composed: Mapping[str, str]

    def find(self, name: str) -> str:
        """The id that a list or a file means by this name; the name itself where there is none.

        It may have a picture's ending, and letters with accents may be composed or decomposed, as
        macOS and other systems write them.
        """
        if name in self.ids:
            return name
        for suffix in ("", *PICTURE_SUFFIXES):
            composed = unicodedata.normalize("NFC", name.removesuffix(suffix))
            if composed in self.id_of_composed:
                return self.id_of_composed[composed]
        return name


def read_spelling(root: Path) -> Spelling:
    """How the tree spells its ids."""
    annotated = list_names(root / tree.ANNOTATIONS, ".xml")
    ids = list(dict.fromkeys([*annotated, *_list_pictures(root)]))
    composed = {unicodedata.normalize("NFC", name): name for name in reversed(ids)}
    return Spelling(frozenset(annotated) | frozenset(composed.values()), composed)


def read_tree_splits(root: Path) -> TreeSplits:
    """The sets that the lists of the tree give its images; raises TreeError."""
    by_folder: dict[str, dict[str, Split]] = {folder: {} for folder in SET_FOLDERS}
    spelling = read_spelling(root)
    for folder, splits in by_folder.items():
        for set_name, split in _SET_SPLITS.items():
            path = root / tree.set_path(folder, set_name)
            for image_id in _list_ids(path, spelling):
                splits.setdefault(image_id, split)
    return TreeSplits(by_folder)


def _list_ids(path: Path, spelling: Spelling) -> Iterator[str]:
    """The images of a list, whose names may hold blanks; raises TreeError."""
    lines = read_listed(path)
    if isinstance(lines, str):
        raise TreeError(f"{path}: {lines}.")
    yield from (spelling.find(line.image_id) for line in lines)
    if path.is_file():
        text = path.read_bytes().decode("utf-8", "replace")
        with_blanks = (line.strip() for line in text.splitlines() if " " in line.strip())
        yield from (name for line in with_blanks if (name := spelling.find(line)) in spelling.ids)


PICTURE_SUFFIXES = tuple(
    spelled
    for suffix in (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".avif")
    for spelled in (suffix, suffix.upper())
)
"""Of several pictures of a name the first one is taken. What a file holds its bytes say."""
_ID = re.compile(r"\S{1,40}")
_BAD_ID = (
    "its name holds white space or what is no character, or has more than 40 characters; "
    "--format voc takes it under an id of ours"
)


@dataclass(frozen=True)
class ListedImage:
    """One image of a tree and its files from the root; `reason` says why it cannot be read."""

    image_id: str
    picture: str = ""
    masks: Mapping[str, str] = field(default_factory=dict)
    is_blind: bool = False  # without an annotation
    reason: str | None = None

    @property
    def annotation(self) -> str:
        """The annotation file; of a blind image the picture stands for it."""
        return self.picture if self.is_blind else tree.annotation_path(self.image_id)


def list_images(
    root: Path, splits: TreeSplits, *, takes_any_name: bool = False
) -> list[ListedImage]:
    """The images of a tree in ascending order; those that lack a file or a name have a reason.

    `takes_any_name` is for readers that need no name as the development kit has it.
    """
    files = list_files(root)
    spelling = read_spelling(root)
    annotated = files.get(tree.ANNOTATIONS, frozenset())
    pictures = {spelling.find(name): path for name, path in _list_pictures(root).items()}
    others = _list_others(root, spelling)
    blind = splits.find_blind(annotated) & pictures.keys()
    images = list[ListedImage]()
    for image_id in sorted(annotated | pictures.keys() | splits.main.keys()):
        is_annotated = image_id in annotated
        has_picture = image_id in pictures
        if image_id not in blind and not (is_annotated and has_picture):
            other = others.get(image_id)
            lack = _describe_lack(is_annotated, has_picture, splits.main.get(image_id), other)
            images.append(ListedImage(image_id, reason=lack))
        elif not image_id.isprintable() or not (takes_any_name or _ID.fullmatch(image_id)):
            images.append(ListedImage(image_id, reason=_BAD_ID))
        else:
            folders = (name for name in MASK_FOLDERS if image_id in files.get(name, ()))
            masks = {name: tree.mask_path(name, image_id) for name in folders}
            images.append(ListedImage(image_id, pictures[image_id], masks, image_id in blind))
    return images


def _list_pictures(root: Path) -> dict[str, str]:
    """The path of each picture from the root, by its image's id."""
    names = list_names(root / tree.JPEG_IMAGES, "")
    return {
        name.removesuffix(suffix): f"{tree.JPEG_IMAGES}/{name}"
        for suffix in reversed(PICTURE_SUFFIXES)
        for name in names
        if name.endswith(suffix)
    }


def _list_others(root: Path, spelling: Spelling) -> dict[str, str]:
    """By its image's id each file beside the pictures that has another ending than theirs."""
    names = list_names(root / tree.JPEG_IMAGES, "")
    others = (name for name in names if not name.endswith(PICTURE_SUFFIXES))
    return {spelling.find(name.rpartition(".")[0]): name for name in others}


def _describe_lack(
    is_annotated: bool, has_picture: bool, split: Split | None, other: str | None
) -> str:
    if is_annotated:
        if other is not None:
            return f"its picture {other} has an ending that no format has which is taken"
        return "it has no picture"
    if not has_picture:
        return "a set lists it, but it has no file"
    if split is not None and split.is_test:
        return (
            f"it is in {split} and has no annotation; import the tree again when that is released"
        )
    return "it has no annotation"
