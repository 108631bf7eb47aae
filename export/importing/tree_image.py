"""One image of a tree, ready for its rows, and what the images of one import share.

The values are tuples, which go from process to process and into statements as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from catalog.image_store import digest_of
from catalog.states import View
from export.form import FileForm
from export.rows import ObjectRow
from export.voc.records import VocImage

MOST_OWNER_CHARS = 200
_MOST_TEXT_CHARS = 10_000
_FLICKR_PHOTO = "https://www.flickr.com/photo.gne?id="


@dataclass(frozen=True)
class Import:
    """What all images of one import share: the release's name, its person, query and moment."""

    name: str
    person_id: int
    query_id: int
    at: datetime

    def key(self, image_id: str) -> str:
        """What ends the names of this image's saves in this import, and of no other's.

        They ascend with the images, so that an index takes each behind the one before.
        """
        return f"{self._name_key}-{image_id}"

    @cached_property
    def _name_key(self) -> str:
        return digest_of(self.name.encode())[:16]


class StoredFile(NamedTuple):
    """A picture in the image store; `original_sha256` where it is not the file of the tree."""

    sha256: str
    width: int
    height: int
    bytes: int
    original_sha256: str | None = None


class TreePart(NamedTuple):
    """A part of an object."""

    name: str
    xmin: int
    ymin: int
    xmax: int
    ymax: int


class TreeObject(NamedTuple):
    """An object of a tree, whole and inside its image."""

    class_name: str
    xmin: int
    ymin: int
    xmax: int
    ymax: int
    view: View
    truncated: bool
    occluded: bool
    difficult: bool
    actions: tuple[str, ...]
    point_x: int | None
    point_y: int | None
    parts: tuple[TreePart, ...]


class Origin(NamedTuple):
    """Who took the photograph and where it is shown, as far as the file says."""

    owner_id: str | None = None
    owner_name: str | None = None
    page_url: str | None = None


class TreeImage(NamedTuple):
    """One image of a tree, its picture in the store.

    `annotation` is the path of its file, which had the order of elements and the fields of `form`;
    that does not say yet in which sets the image is. `masks` are the digests of its masks, by their
    folders. One whose form is blind has no objects that anybody knows.
    """

    image_id: str
    annotation: str
    file: StoredFile
    objects: tuple[TreeObject, ...]
    form: FileForm
    origin: Origin
    masks: Mapping[str, str]
    is_segmented: bool | None


class Stored(NamedTuple):
    """The rows that stand for an image of the tree; `is_new` where this call made them.

    `sha256` is the digest of the image's own file, where that of the tree is another one.
    """

    image_id: int
    annotation_id: int
    is_new: bool
    sha256: str | None = None


class Opened(NamedTuple):
    """An image that came without its annotation, which the tree of this import has."""

    image_id: int
    sha256: str | None


def find_origin(record: VocImage) -> Origin:
    """Owner and page of a photograph; `?` stands for what is not known."""
    source, owner = record.source, record.owner
    if owner is None and (source is None or source.flickrid is None):
        return NOWHERE
    flickrid = (source and source.flickrid) or ""
    is_photo_id = flickrid.isascii() and flickrid.isdigit() and len(flickrid) <= 20
    return Origin(
        None if owner is None else known_text(owner.flickrid, MOST_OWNER_CHARS),
        None if owner is None else known_text(owner.name, _MOST_TEXT_CHARS),
        f"{_FLICKR_PHOTO}{flickrid}" if is_photo_id else None,
    )


NOWHERE = Origin()


def known_text(text: str | None, max_chars: int) -> str | None:
    """The text, None where the file says that it is not known (`?`)."""
    return None if text in (None, "", "?") else str(text).replace("\0", "")[:max_chars]


def blind_key(image_id: str) -> str:
    """The name of the revision that stands for an annotation which a tree holds back."""
    return f"blind-{digest_of(image_id.encode())[:40]}"


def object_key(number: int) -> str:
    """The name of the object of that number in its image."""
    return f"voc-{number}"


def as_tree_objects(rows: tuple[ObjectRow, ...]) -> tuple[TreeObject, ...]:
    """The same objects as an import has them."""
    return tuple([_as_tree_object(row) for row in rows])


def _as_tree_object(row: ObjectRow) -> TreeObject:
    return TreeObject(
        row.class_name,
        *row.box.xyxy,
        row.view,
        row.truncated,
        row.occluded,
        row.difficult,
        row.actions,
        row.point_xy[0] if row.point_xy else None,
        row.point_xy[1] if row.point_xy else None,
        tuple([TreePart(part.name, *part.box.xyxy) for part in row.parts]),
    )
