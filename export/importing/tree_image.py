"""The images of a tree: their files and sets, and what an import has of each and reports of all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from catalog.annotated import AnnotatedObject
from catalog.image_store import digest_of
from catalog.licences import Licence
from catalog.preset import AnnotationStyle
from export.forms import FLICKR_PHOTO, FileForm
from vockit.errors import TreeError
from vockit.foreign.listed_images import ListedImage
from vockit.format import tree
from vockit.format.image_sets import Split
from vockit.format.read import Places
from vockit.format.records import VocImage, VocOwner
from vockit.format.rings import Outline

TREE_FORM = "VOC tree"


class ImportTreeError(TreeError):
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
    is_dry: bool = False
    unlicensed: int = 0
    unused_words: tuple[str, ...] = ()  # of --map, which no object of the tree has
    form: str = TREE_FORM
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
    licence: Licence | None = None
    has_owner: bool = True  # whom the file names took the photograph
    class_words: frozenset[str] = frozenset()  # as the file has them
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

    @classmethod
    def begin(cls, listed: ListedImage) -> TreeImage:
        """An image of which nothing but its files is known yet."""
        return cls(
            image_id=listed.image_id,
            picture=listed.picture,
            masks=listed.masks,
            is_blind=listed.is_blind,
            reason=listed.reason,
        )

    @property
    def annotation(self) -> str:
        """The annotation file; of a blind image the picture stands for it."""
        return self.picture if self.is_blind else tree.annotation_path(self.image_id)

    @property
    def origin(self) -> dict[str, str | None]:
        """Owner and page of the photograph as columns; `?` stands for what is not known."""
        record = self.form.record
        owner = (record.owner if self.has_owner else None) or VocOwner()
        flickrid = record.source and record.source.flickrid
        is_photo_id = bool(re.fullmatch("[0-9]{1,20}", flickrid or ""))
        return {
            "owner_id": _known_text(owner.flickrid, 200),
            "owner_name": _known_text(owner.name, 10_000),
            "page_url": f"{FLICKR_PHOTO}{flickrid}" if is_photo_id else None,
            **self.licence_columns,
        }

    @property
    def licence_columns(self) -> dict[str, str | None]:
        """The licence of the photograph as columns."""
        licence = self.licence
        return {
            "licence_id": licence.id if licence else None,
            "licence_name": licence.name if licence else None,
            "licence_url": licence.url if licence else None,
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
