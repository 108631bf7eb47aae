"""A VOC tree as values, for writing it in another format and for showing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vockit.errors import TreeNotFoundError
from vockit.format import tree
from vockit.format.image_sets import Split
from vockit.format.read import read_annotation
from vockit.format.records import VocImage, VocObject, VocSize

from .label_map import find_classes, read_label_map
from .listed_images import list_images, read_tree_splits
from .manifest import read_manifest
from .tree_files import MOST_ANNOTATION_BYTES, get_tree, read_bytes

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
    """What a tree holds; `skipped` says why images are left out, `manifest` is its head."""

    name: str
    classes: tuple[str, ...]
    images: tuple[LoadedImage, ...]
    skipped: tuple[tuple[str, str], ...]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def set_names(self) -> tuple[str, ...]:
        """The sets that have images: train, val, test, unlisted."""
        held = {image.set_name for image in self.images}
        return tuple(name for name in (*map(str, Split), UNLISTED) if name in held)


def load_tree(folder: Path) -> TreeContent:
    """The one tree in the folder; raises TreeNotFoundError and TreeError."""
    found = get_tree(folder)
    splits = read_tree_splits(found.root)
    try:  # where a release's folder is around the tree
        manifest = read_manifest(found.root.resolve().parent.parent)
    except TreeNotFoundError:
        manifest = {}
    listed = manifest.pop("images", ())  # of each image its first photograph counts
    licences = {it["id"]: it["photos"][0].get("licence") or {} for it in listed if it.get("photos")}
    images, skipped = [], []
    for source in list_images(found.root, splits):
        reason = source.reason or ("it is in test and has no annotation" * source.is_blind)
        data = reason or read_bytes(found.root / source.annotation, MOST_ANNOTATION_BYTES)
        record = None if isinstance(data, str) else read_annotation(data, year=found.kit_year).image
        if record is None or record.size is None:
            unread = "its annotation file has no objects, boxes or size to read"
            skipped.append((source.image_id, reason or unread))
            continue
        mask = source.masks.get(tree.SEGMENTATION_OBJECT)
        licence = licences.get(source.image_id, {})
        images.append(
            LoadedImage(
                source.image_id,
                str(splits.own.get(source.image_id, UNLISTED)),
                found.root / source.picture,
                record.size,
                record,
                object_mask=found.root / mask if mask else None,
                licence=(licence.get("name") or "unknown", licence.get("url") or ""),
            )
        )
    held = {item.name for image in images for item in image.objects}
    listed = read_label_map(found.root)  # else by name
    classes = find_classes(found.root, held) or (*listed, *sorted(held - listed.keys()))
    name = found.root.resolve().name
    return TreeContent(name, classes, tuple(images), tuple(skipped), manifest)
