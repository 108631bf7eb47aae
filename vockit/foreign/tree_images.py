"""A VOC tree as values, for writing it in another format and for showing it."""

from __future__ import annotations

import stat
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from vockit.errors import TreeError, TreeNotFoundError
from vockit.format import image_sets, tree
from vockit.format.asked import find_unasked
from vockit.format.image_sets import Split
from vockit.format.jpeg import UNDECODABLE
from vockit.format.read import read_annotation
from vockit.format.records import VocImage, VocObject, VocSize
from vockit.format.shortage import refuse_shortage

from .corrections import Change, UncorrectableError, find_refusal, fit_record
from .label_map import find_classes, read_label_map
from .listed_images import ListedImage, TreeSplits, list_images, read_spelling, read_tree_splits
from .manifest import read_manifest
from .tree_files import MOST_ANNOTATION_BYTES, Tree, get_tree, read_bytes

UNLISTED = "unlisted"
"""The set of an image that no list of Main names."""
TASTERS = frozenset({tree.LAYOUT, tree.ACTION})
"""The folders of images of which the chosen people alone need be annotated (VOC2011 and 2012)."""


UNASKED = "it was not asked about every class, and --with-unasked is not given"


@dataclass(frozen=True)
class LoadedImage:
    """One annotated image of a tree; `licence` is the name and address of its photograph's.

    `folders` are those whose lists name it, such as tree.MAIN; of the classes `unasked` nobody was
    asked whether, and where, the image shows them. `groups` are the numbers, from 1, of the objects
    that are a box around several; None where no release says so.
    """

    image_id: str
    set_name: str
    picture: Path
    size: VocSize
    record: VocImage
    object_mask: Path | None = None
    licence: tuple[str, str] = ("unknown", "")
    folders: tuple[str, ...] = ()
    unasked: frozenset[str] = frozenset()
    groups: frozenset[int] | None = None

    @property
    def is_taster(self) -> bool:
        """Whether Layout and Action alone list it."""
        return bool(self.folders) and TASTERS.issuperset(self.folders)

    @property
    def lists(self) -> tuple[str, ...]:
        """The names of the folders whose lists name it, such as Main."""
        return tuple(Path(folder).name for folder in self.folders)

    @property
    def objects(self) -> tuple[VocObject, ...]:
        """The objects in the annotators' order."""
        return self.record.objects


@dataclass(frozen=True)
class TreeContent:
    """What a tree holds; `skipped` says why images are left out, `manifest` is its head.

    `corrections` are by image what of its annotation is taken otherwise than the file has it.
    """

    name: str
    classes: tuple[str, ...]
    images: tuple[LoadedImage, ...]
    skipped: tuple[tuple[str, str], ...]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    corrections: tuple[tuple[str, Change], ...] = ()

    @property
    def set_names(self) -> tuple[str, ...]:
        """The sets that have images: train, val, test, test2, unlisted."""
        held = {image.set_name for image in self.images}
        return tuple(name for name in (*map(str, Split), UNLISTED) if name in held)

    @property
    def is_whole(self) -> bool:
        """Whether every image was asked about every class."""
        return not any(image.unasked for image in self.images)


@dataclass(frozen=True)
class _Lists:
    """What the lists of a tree, and the manifest around it, say of its images, by their ids."""

    splits: TreeSplits
    sets: Mapping[str, Split]
    unasked: Mapping[str, frozenset[str]]
    licences: Mapping[str, Mapping[str, str]]
    groups: Mapping[str, frozenset[int]]

    def complete(self, image: LoadedImage) -> LoadedImage:
        """The image with what is said of it."""
        licence = self.licences.get(image.image_id, {})
        return replace(
            image,
            set_name=str(self.sets.get(image.image_id, UNLISTED)),
            licence=(licence.get("name") or "unknown", licence.get("url") or ""),
            folders=self.splits.find_folders(image.image_id),
            unasked=self.unasked.get(image.image_id, frozenset()),
            groups=self.groups.get(image.image_id),
        )


def load_tree(folder: Path, also: Collection[str] = ()) -> TreeContent:
    """The one tree in the folder; raises TreeNotFoundError and TreeError.

    An image's set is that of Main; that of another folder, such as tree.LAYOUT, where `also` names
    it and Main does not list the image.
    """
    tree_ = get_tree(folder)
    root = tree_.root
    splits = read_tree_splits(root)
    manifest = _read_manifest_around(root)
    released = manifest.pop("images", ())
    lists = _Lists(
        splits=splits,
        sets=splits.find_sets((tree.MAIN, *also)),
        unasked=list_unasked(root),
        licences=_list_licences(released),
        groups=_list_groups(released),
    )
    images: list[LoadedImage] = []
    skipped: list[tuple[str, str]] = []
    corrections: list[tuple[str, Change]] = []
    for source in list_images(root, splits, takes_any_name=True):
        try:
            _refuse_blind(source, splits)
            image, changes = _load_image(tree_, source)
        except UncorrectableError as error:
            skipped.append((source.image_id, str(error)))
            continue
        images.append(lists.complete(image))
        corrections += [(source.image_id, change) for change in changes]
    classes = _order_classes(root, images)
    everything = frozenset(classes)
    return TreeContent(
        name=root.resolve().name,
        classes=classes,
        images=tuple(
            replace(image, unasked=everything) if image.is_taster else image for image in images
        ),
        skipped=tuple(skipped),
        manifest=manifest,
        corrections=tuple(corrections),
    )


def list_unasked(root: Path) -> defaultdict[str, frozenset[str]]:
    """By image the classes about which nobody was asked; raises TreeError."""
    unasked = defaultdict[str, frozenset[str]](frozenset)
    spelling = read_spelling(root)
    for set_name in image_sets.SETS:
        try:
            lacking = find_unasked(root, set_name)
        except OSError as error:
            raise TreeError(f"{error.filename} cannot be read: {error.strerror}.") from error
        for class_name, image_ids in lacking.items():
            for image_id in map(spelling.find, image_ids):
                unasked[image_id] |= {class_name}
    return unasked


def select_asked(content: TreeContent) -> TreeContent:
    """The sets with those images alone that were asked about every class; the others are skipped.

    Unlisted images stay: they are in no set that anyone trains on.
    """
    left_out = {
        image.image_id for image in content.images if image.unasked and image.set_name != UNLISTED
    }
    images = tuple(image for image in content.images if image.image_id not in left_out)
    skipped = ((image_id, UNASKED) for image_id in sorted(left_out))
    return replace(content, images=images, skipped=(*content.skipped, *skipped))


def _read_manifest_around(root: Path) -> dict[str, Any]:
    """The manifest of the release's folder around the tree; empty where there is none."""
    try:
        return read_manifest(root.resolve().parent.parent)
    except TreeNotFoundError:
        return {}


def _list_licences(images: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, str]]:
    """The licence of each image of a manifest; that of its first photograph counts."""
    return {
        image["id"]: image["photos"][0].get("licence") or {}
        for image in images
        if image.get("photos")
    }


def _list_groups(images: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[int]]:
    """By image of a manifest the numbers of the objects that are a box around a group."""
    return {
        image["id"]: frozenset(item["number"] for item in image["objects"] if item.get("group_of"))
        for image in images
        if image.get("objects")
    }


def _refuse_blind(source: ListedImage, splits: TreeSplits) -> None:
    """Raise UncorrectableError for an image whose annotation its makers hold back."""
    if source.is_blind:
        set_name = splits.main[source.image_id]
        raise UncorrectableError(f"it is in {set_name} and has no annotation")


def _load_image(tree_: Tree, source: ListedImage) -> tuple[LoadedImage, tuple[Change, ...]]:
    """The image with its annotation, and what of it was corrected; UncorrectableError."""
    if source.reason:
        raise UncorrectableError(source.reason)
    data = read_bytes(tree_.root / source.annotation, MOST_ANNOTATION_BYTES)
    if isinstance(data, str):
        raise UncorrectableError(f"its annotation file: {data}")
    reading = read_annotation(data, year=tree_.kit_year)
    refusal = find_refusal(reading)
    if refusal is not None or reading.image is None:
        raise UncorrectableError(f"its annotation file cannot be read: {refusal}")
    picture = tree_.root / source.picture
    record, changes = fit_record(reading.image, read_size(picture), is_whole=False)
    assert record.size is not None
    mask = source.masks.get(tree.SEGMENTATION_OBJECT)
    image = LoadedImage(
        image_id=source.image_id,
        set_name=UNLISTED,
        picture=picture,
        size=record.size,
        record=record,
        object_mask=tree_.root / mask if mask else None,
    )
    return image, changes


def read_size(path: Path) -> tuple[int, int]:
    """Width and height of a picture, of which the header alone is read; UncorrectableError."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe must not be waited for
            raise UncorrectableError("its picture is no file")
        with Image.open(path) as image:
            return image.size
    except UnidentifiedImageError as error:
        raise UncorrectableError("its picture is of no known format, or damaged") from error
    except UNDECODABLE as error:
        refuse_shortage(error)
        raise UncorrectableError(f"its picture cannot be read: {error}") from error


def _order_classes(root: Path, images: Iterable[LoadedImage]) -> tuple[str, ...]:
    """The classes in the order of their labels; those without one follow by name."""
    drawn = {item.name for image in images for item in image.objects}
    listed = read_label_map(root)
    return find_classes(root, drawn) or (*listed, *sorted(drawn - listed.keys()))
