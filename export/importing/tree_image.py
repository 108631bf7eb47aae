"""One image of a tree, ready for its rows, and what the images of one import share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from catalog.image_store import digest_of
from export.rows import ObjectRow
from export.voc.records import VocImage

MOST_OWNER_CHARS = 200


@dataclass(frozen=True)
class Import:
    """What all images of one import share: the release's name, its person, query and moment."""

    name: str
    person_id: int
    query_id: int
    at: datetime

    def key(self, what: str, image_id: str) -> str:
        """A name for a save that is this image's in this import and no other's."""
        return f"{what}-{digest_of(f'{self.name}/{image_id}'.encode())[:40]}"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A picture in the image store; `original_sha256` where it is not the file of the tree."""

    sha256: str
    width: int
    height: int
    bytes: int
    original_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class TreeImage:
    """One image of a tree, its picture in the store."""

    image_id: str
    record: VocImage
    file: StoredFile
    objects: tuple[ObjectRow, ...]

    @property
    def owner_id(self) -> str | None:
        """Who took the photograph, None where the file does not say."""
        owner = self.record.owner
        return None if owner is None else known_text(owner.flickrid, MOST_OWNER_CHARS)


@dataclass(frozen=True, slots=True)
class Stored:
    """The rows that stand for an image of the tree; `is_new` where this call made them."""

    image_id: int
    annotation_id: int
    is_new: bool


def known_text(text: str | None, max_chars: int) -> str | None:
    """The text, None where the file says that it is not known (`?`)."""
    return None if text in (None, "", "?") else str(text).replace("\0", "")[:max_chars]
