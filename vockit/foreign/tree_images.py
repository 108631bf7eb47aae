"""A VOC tree as values, for writing it in another format and for showing it."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from vockit.errors import TreeNotFoundError
from vockit.format import tree
from vockit.format.image_sets import Split
from vockit.format.jpeg import UNDECODABLE
from vockit.format.read import read_annotation
from vockit.format.records import VocImage, VocObject, VocSize
from vockit.format.shortage import refuse_shortage

from .corrections import Change, UncorrectableError, find_refusal, fit_record
from .label_map import find_classes, read_label_map
from .listed_images import ListedImage, list_images, read_tree_splits
from .manifest import read_manifest
from .tree_files import MOST_ANNOTATION_BYTES, Tree, get_tree, read_bytes

UNLISTED = "unlisted"
"""The set of an image that no list of the tree names."""


@dataclass(frozen=True)
class LoadedImage:
    """One annotated image of a tree; `licence` is the name and address of its photograph's."""

    image_id: str
    set_name: str
    picture: Path
    size: VocSize
    record: VocImage
    object_mask: Path | None = None
    licence: tuple[str, str] = ("unknown", "")

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


def load_tree(folder: Path) -> TreeContent:
    """The one tree in the folder; raises TreeNotFoundError and TreeError."""
    tree_ = get_tree(folder)
    root = tree_.root
    splits = read_tree_splits(root)
    manifest = _read_manifest_around(root)
    licences = _list_licences(manifest.pop("images", ()))
    images: list[LoadedImage] = []
    skipped: list[tuple[str, str]] = []
    corrections: list[tuple[str, Change]] = []
    for source in list_images(root, splits, takes_any_name=True):
        set_name = str(splits.main.get(source.image_id, UNLISTED))
        try:
            image, changes = _load_image(tree_, source, set_name)
        except UncorrectableError as error:
            skipped.append((source.image_id, str(error)))
            continue
        licence = licences.get(source.image_id, {})
        named = (licence.get("name") or "unknown", licence.get("url") or "")
        images.append(replace(image, licence=named))
        corrections += [(source.image_id, change) for change in changes]
    return TreeContent(
        name=root.resolve().name,
        classes=_order_classes(root, images),
        images=tuple(images),
        skipped=tuple(skipped),
        manifest=manifest,
        corrections=tuple(corrections),
    )


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


def _load_image(
    tree_: Tree, source: ListedImage, set_name: str
) -> tuple[LoadedImage, tuple[Change, ...]]:
    """The image with its annotation, and what of it was corrected; UncorrectableError."""
    if source.reason:
        raise UncorrectableError(source.reason)
    if source.is_blind:
        raise UncorrectableError(f"it is in {set_name} and has no annotation")
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
        set_name=set_name,
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
