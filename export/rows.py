"""Images with the revisions, reviews and photos that a release shows, as values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from catalog.annotated import AnnotatedObject
from catalog.origins import ObjectOrigin
from catalog.states import ImageState, Source, Taster, Verdict
from catalog.suggested import SuggestedObject

from .answers import AnswerRow

FLICKR_PAGE = re.compile(r"https://www\.flickr\.com/photos/[^/]+/([0-9]+)/?")
"""The page of a photograph on Flickr."""


class PersonRow(NamedTuple):
    """An annotator or checker."""

    name: str
    is_simulated: bool = False


class RevisionRow(NamedTuple):
    """One saved revision with its objects in the annotator's order."""

    id: int
    parent_id: int | None
    person: PersonRow
    saved_at: datetime
    objects: tuple[AnnotatedObject, ...]
    taster: Taster | None = None


class ReviewRow(NamedTuple):
    """A verdict on a revision; one that was set aside stays on record and accepts nothing."""

    id: int
    annotation_id: int
    person: PersonRow
    verdict: Verdict
    fixed_annotation_id: int | None
    reviewed_at: datetime
    is_set_aside: bool = False
    is_complete: bool | None = None

    def accepts(self, annotation_id: int) -> bool:
        """Whether this verdict lets that revision into a release."""
        accepted = {Verdict.ACCEPT: self.annotation_id, Verdict.FIXED: self.fixed_annotation_id}
        return not self.is_set_aside and accepted.get(self.verdict) == annotation_id


class DrawingRow(NamedTuple):
    """A drawing of a revision's objects; `efforts` are seconds and inputs by object key.

    `outlined` are the outlines of models that were accepted or corrected, by object key too.
    """

    id: int
    annotation_id: int
    person: PersonRow
    saved_at: datetime
    reviews: tuple[ReviewRow, ...]
    efforts: Mapping[str, tuple[float, float]]
    outlined: Mapping[str, SuggestedObject] = MappingProxyType({})


class PhotoRow(NamedTuple):
    """A photo and the search that found it, by the date of `sampling`: upload, taken or none."""

    source: Source
    source_id: str
    owner_id: str | None = None
    owner_name: str | None = None
    title: str | None = None
    licence_id: str | None = None
    licence_name: str | None = None
    licence_url: str | None = None
    page_url: str | None = None
    window_start_at: datetime | None = None
    window_end_at: datetime | None = None
    query_class: str | None = None
    query_keyword: str | None = None
    uploaded_at: datetime | None = None
    taken_at: str | None = None
    sampling: str | None = None
    result_page: int | None = None
    found_at: datetime | None = None


class HashRow(NamedTuple):
    """An image's perceptual hashes; those of two recipes cannot be compared."""

    recipe: str
    phash_64: str
    phash_256: str
    quality: float


@dataclass(frozen=True, slots=True)
class ImageRow:
    """One image; its first revision is the released one, the others those that it grew from."""

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
    origins: Mapping[str, ObjectOrigin] = field(default_factory=dict, hash=False)
    """Where the objects that were imported with labels of another tool come from, by their keys."""
    suggested: Mapping[str, SuggestedObject] = field(default_factory=dict, hash=False)
    """Which objects of the released revision were made of suggestions, by their keys."""
    answers: tuple[AnswerRow, ...] = ()
    """What people answered whether it shows classes and groups."""

    @property
    def annotation_id(self) -> int:
        """The revision that a release freezes."""
        return self.revisions[0].id

    @property
    def objects(self) -> tuple[AnnotatedObject, ...]:
        """The objects that a release shows."""
        return self.revisions[0].objects

    @property
    def taster(self) -> Taster | None:
        """The one task that the author of those objects was asked about, if it was not all."""
        return self.revisions[0].taster

    def find_drawn_in(self, item: AnnotatedObject) -> int:
        """The revision in which an object got its released class and box."""
        drawn_in = self.revisions[0].id
        for revision in self.revisions[1:]:
            earlier = {item.key: item for item in revision.objects}.get(item.key)
            if earlier is None or (earlier.class_name, earlier.box) != (item.class_name, item.box):
                break
            drawn_in = revision.id
        return drawn_in

    def is_from(self, source: str) -> bool:
        """Whether all its photographs are of a source such as `commons` or `table:NAME`."""
        names = [f"{photo.source}:{photo.source_id}" for photo in self.photos]
        return bool(names) and all(name.startswith(f"{source}:") for name in names)

    def find_attributes(self, item: AnnotatedObject) -> Mapping[str, str]:
        """What the files of another tool say of an object that VOC has no field for."""
        origin = self.origins.get(item.key)
        return origin.attributes if origin is not None else {}

    @property
    def has_second_look(self) -> bool:
        """Whether another person than the author of what was judged let the revision pass."""
        author_of = {revision.id: revision.person.name for revision in self.revisions}
        return any(
            review.person.name != author_of.get(review.annotation_id, review.person.name)
            for review in self.reviews
            if review.accepts(self.annotation_id)
        )

    @property
    def is_complete(self) -> bool:
        """Whether the last checker who let the revision pass said that nothing is missing."""
        passing = [review for review in self.reviews if review.accepts(self.annotation_id)]
        return bool(passing and passing[-1].is_complete)

    @property
    def is_accepted(self) -> bool:
        """Whether a checker let the revision pass."""
        return any(review.accepts(self.annotation_id) for review in self.reviews)


@dataclass(frozen=True)
class ReleaseJpegs:
    """What becomes of stored files in a release, by their digests.

    `encoded` has the digests of files that are released otherwise than stored, `faults` why some
    cannot be released, `missing` those of them that the store lacks or holds damaged.
    """

    encoded: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    missing: Set[str] = frozenset()
