"""The images of a tree: their files and sets, and what an import has of each and reports of all."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from catalog.annotated import AnnotatedObject
from catalog.errors import SettingsError
from catalog.image_store import digest_of
from catalog.preset import AnnotationStyle
from catalog.rings import Outline
from catalog.states import Split
from export.recipe import FLICKR_PHOTO, FileForm
from export.verify.image_sets import SET_FOLDERS, read_listed
from export.verify.trees import MASK_FOLDERS, Tree, find_trees, list_files, list_names
from voc import tree
from voc.read import Places
from voc.records import VocImage, VocOwner


class ImportTreeError(SettingsError):
    """The tree cannot be imported, or not under that name or with that preset."""


@dataclass(frozen=True)
class Correction:
    """A value that was read or stored otherwise than the file has it; the line is from 1."""

    file: str
    line: int
    rule: str
    message: str


@dataclass(frozen=True)
class Skip:
    """An image of the tree that was not imported, and why."""

    image_id: str
    reason: str


@dataclass(frozen=True)
class ImportReport:
    """What an import took, skipped and corrected; `unreleased` are in no set, or came later."""

    name: str
    year: int
    imported: int
    were_there: int
    objects: int
    splits: Mapping[Split, int]
    unreleased: tuple[str, ...]
    skipped: tuple[Skip, ...]
    corrections: tuple[Correction, ...]
    masks: int
    blind: int
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By image what its picture has that may name people or places."""


class StoredFile(NamedTuple):
    """A picture in the image store; `original_sha256` where it is not the file of the tree."""

    sha256: str
    width: int
    height: int
    bytes: int
    original_sha256: str | None = None


_NOT_READ = FileForm(AnnotationStyle.VOC2012, VocImage("", ()))
_NOT_STORED = StoredFile("", 0, 0, 0)


@dataclass
class TreeImage:
    """One image of a tree: its files from the root, what they say, and at last its rows."""

    image_id: str
    picture: str = ""
    masks: Mapping[str, str] = field(default_factory=dict)
    is_blind: bool = False  # without an annotation
    reason: str | None = None  # why it is left out
    form: FileForm = _NOT_READ
    places: Places = field(default_factory=Places)
    corrections: list[Correction] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # words that the preset lacks
    file: StoredFile = _NOT_STORED
    encoded_sha256: str | None = None
    metadata: tuple[str, ...] = ()  # what may name people or places in the picture as released
    objects: tuple[AnnotatedObject, ...] = ()
    outlines: Sequence[Outline] = ()  # what its masks show
    row_id: int = 0
    annotation_id: int = 0  # while its row waits for one
    is_new: bool = False

    @property
    def annotation(self) -> str:
        """The annotation file; of a blind image the picture stands for it."""
        return self.picture if self.is_blind else tree.annotation_path(self.image_id)

    @property
    def origin(self) -> dict[str, str | None]:
        """Owner and page of the photograph as columns; `?` stands for what is not known."""
        record = self.form.record
        owner, flickrid = record.owner or VocOwner(), record.source and record.source.flickrid
        is_photo_id = bool(re.fullmatch("[0-9]{1,20}", flickrid or ""))
        return {
            "owner_id": _known_text(owner.flickrid, 200),
            "owner_name": _known_text(owner.name, 10_000),
            "page_url": f"{FLICKR_PHOTO}{flickrid}" if is_photo_id else None,
        }

    def tell(self, rule: str, message: str, number: int = 0) -> None:
        """Note what a release has otherwise than the annotation says of that object."""
        line = self.places.find_line(rule, number)
        self.corrections.append(Correction(self.annotation, line, rule, message))

    def tell_file(self, file: str, rule: str, message: str) -> None:
        """Note what a release has otherwise than this file of the image."""
        self.corrections.append(Correction(file, 1, rule, message))


def _known_text(text: str | None, max_chars: int) -> str | None:
    return None if text in (None, "", "?") else str(text).replace("\0", "")[:max_chars]


def blind_key(image_id: str) -> str:
    """The name of the revision that stands for an annotation which a tree holds back."""
    return f"blind-{digest_of(image_id.encode())[:40]}"


def object_key(number: int) -> str:
    """The name of the object of that number in its image."""
    return f"voc-{number}"


PICTURE_SUFFIXES = (".jpg", ".jpeg", ".JPG", ".JPEG")
"""Of several pictures of a name the first one is taken."""
_ID = re.compile(r"\S{1,40}")
_BAD_ID = "its name holds white space or what is no character, or has more than 40 characters"
_SET_SPLITS = {**{split.value: split for split in Split}, "trainval": Split.TRAIN}
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

    def find_blind(self, annotated: Collection[str]) -> set[str]:
        """The images of test sets without any annotation, as verify has it."""
        blind, placed = set[str](), set[str]()
        for listed in self.by_folder.values():
            test = {image_id for image_id, split in listed.items() if split is Split.TEST}
            if test.isdisjoint(annotated):
                blind |= {it for it in test - placed if self.own[it] is Split.TEST}
            placed |= test
        return {it for it in blind if not self.find_others(it)}


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
        for set_name, split in _SET_SPLITS.items():
            path = root / tree.set_path(folder, set_name)
            lines = read_listed(path)
            if isinstance(lines, str):
                raise ImportTreeError(f"{path}: {lines}.")
            for line in lines:
                found.setdefault(line.image_id, split)
    return TreeSplits(by_folder)


def list_images(root: Path, splits: TreeSplits) -> list[TreeImage]:
    """The images of a tree in ascending order; those that lack a file or a name have a reason."""
    files = list_files(root)
    annotated = files.get(tree.ANNOTATIONS, frozenset())
    names = list_names(root / tree.JPEG_IMAGES, "")
    pictures = {
        name.removesuffix(suffix): f"{tree.JPEG_IMAGES}/{name}"
        for suffix in reversed(PICTURE_SUFFIXES)
        for name in names
        if name.endswith(suffix)
    }
    blind = splits.find_blind(annotated) & pictures.keys()
    images = list[TreeImage]()
    for image_id in sorted(annotated | pictures.keys() | splits.own.keys()):
        is_annotated, has_picture = image_id in annotated, image_id in pictures
        if image_id not in blind and not (is_annotated and has_picture):
            lack = "it has no picture" if is_annotated else "it has no annotation"
            if not is_annotated and not has_picture:
                lack = "a set lists it, but it has no file"
            elif not is_annotated and splits.own.get(image_id) is Split.TEST:
                lack = "it is in test and has no annotation; import the tree again when that is "
                lack += "released"
            images.append(TreeImage(image_id, reason=lack))
        elif not _ID.fullmatch(image_id) or not image_id.isprintable():
            images.append(TreeImage(image_id, reason=_BAD_ID))
        else:
            held = (it for it in MASK_FOLDERS if image_id in files.get(it, ()))
            masks = {it: tree.mask_path(it, image_id) for it in held}
            images.append(TreeImage(image_id, pictures[image_id], masks, image_id in blind))
    return images
