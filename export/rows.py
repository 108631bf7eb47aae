"""What export reads from the catalogue, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.box import Box
from catalog.states import ImageState, Source, Split, Verdict, View


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of an object."""

    name: str
    box: Box


@dataclass(frozen=True, slots=True)
class ObjectRow:
    """One object of a revision."""

    object_key: str
    class_name: str
    box: Box
    view: View = View.UNSPECIFIED
    truncated: bool = False
    occluded: bool = False
    difficult: bool = False
    actions: tuple[str, ...] = ()
    point_xy: tuple[int, int] | None = None
    parts: tuple[PartRow, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody who took part."""

    name: str
    is_simulated: bool = False


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """One saved revision with its objects in the annotator's order."""

    id: int
    parent_id: int | None
    person: PersonRow
    saved_at: datetime
    objects: tuple[ObjectRow, ...]


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A verdict on a revision; `mended_annotation_id` is the checker's own revision."""

    id: int
    annotation_id: int
    person: PersonRow
    verdict: Verdict
    mended_annotation_id: int | None
    reviewed_at: datetime

    def accepts(self, annotation_id: int) -> bool:
        """Whether this verdict lets that revision into a release."""
        if self.verdict is Verdict.ACCEPT:
            return self.annotation_id == annotation_id
        return self.verdict is Verdict.MENDED and self.mended_annotation_id == annotation_id


@dataclass(frozen=True, slots=True)
class PhotoRow:
    """A photo of an image, and the query and date window that found it."""

    source: Source
    source_id: str
    owner_id: str | None = None
    owner_name: str | None = None
    title: str | None = None
    licence_id: str | None = None
    licence_name: str | None = None
    licence_url: str | None = None
    page_url: str | None = None
    query_class: str | None = None
    query_keyword: str | None = None
    window_start_at: datetime | None = None
    window_end_at: datetime | None = None


@dataclass(frozen=True, order=True, slots=True)
class HashRow:
    """An image's perceptual hashes; those of two recipes cannot be compared."""

    recipe: str
    phash_64: str
    phash_256: str
    quality: float


@dataclass(frozen=True, slots=True)
class ImageRow:
    """One image with the revision that a release would freeze.

    `revisions` are that one and all that it grew from, newest first; `reviews` are those of any of
    them, oldest first; `photos` the first one found first.
    """

    id: int
    sha256: str
    width: int
    height: int
    state: ImageState
    photos: tuple[PhotoRow, ...]
    revisions: tuple[RevisionRow, ...]
    reviews: tuple[ReviewRow, ...]
    original_sha256: str | None = None
    hashes: HashRow | None = None

    @property
    def annotation_id(self) -> int:
        """The revision that a release freezes."""
        return self.revisions[0].id

    @property
    def objects(self) -> tuple[ObjectRow, ...]:
        """The objects that a release shows."""
        return self.revisions[0].objects

    @property
    def has_second_look(self) -> bool:
        """Whether somebody else than its author reviewed a revision."""
        for review in self.reviews:
            for revision in self.revisions:
                is_of = revision.id == review.annotation_id
                if is_of and revision.person.name != review.person.name:
                    return True
        return False

    @property
    def is_accepted(self) -> bool:
        """Whether a checker let the revision pass."""
        return any(review.accepts(self.annotation_id) for review in self.reviews)


@dataclass(frozen=True, slots=True)
class FrozenImage:
    """One row of release_image."""

    image_id: int
    annotation_id: int
    split: Split
    public_id: str
    form: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class FrozenRelease:
    """A release as it was recorded; `settings` is what decided its content."""

    name: str
    year: int
    settings: dict[str, object]
    images: tuple[FrozenImage, ...]
