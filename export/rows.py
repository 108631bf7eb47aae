"""Images with the revisions, reviews and photos that a release shows: as values, and loaded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, joinedload, selectinload

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.states import ImageState, PhotoState, Source, Split, Verdict
from catalog.tables import Annotation, Image, Object, Person, Photo, Review


@dataclass(frozen=True, slots=True)
class PersonRow:
    """An annotator or checker."""

    name: str
    is_simulated: bool = False


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """One saved revision with its objects in the annotator's order."""

    id: int
    parent_id: int | None
    person: PersonRow
    saved_at: datetime
    objects: tuple[AnnotatedObject, ...]


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A verdict on a revision; `mended_annotation_id` is the revision that the checker saved."""

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
    def objects(self) -> tuple[AnnotatedObject, ...]:
        """The objects that a release shows."""
        return self.revisions[0].objects

    @property
    def has_second_look(self) -> bool:
        """Whether a revision was reviewed by another person than its author."""
        author_of = {revision.id: revision.person.name for revision in self.revisions}
        return any(
            review.person.name != author_of.get(review.annotation_id, review.person.name)
            for review in self.reviews
        )

    @property
    def is_accepted(self) -> bool:
        """Whether a checker let the revision pass."""
        return any(review.accepts(self.annotation_id) for review in self.reviews)


class FrozenImage(NamedTuple):
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


ReleaseJpegs = tuple[dict[str, str], dict[str, str]]
"""Digests of the files that are not as stored, and why some have none, by the stored digest."""


T = TypeVar("T")

MOST_IDS = 2_000
"""In one list of a query; databases limit its length."""


def make_object(it: Object, key: str | None = None) -> AnnotatedObject:
    """The object of a row; `key` stands in for its own."""
    x, y = it.point_x, it.point_y
    return AnnotatedObject(
        it.number,
        key or it.object_key,
        it.class_name,
        it.box,
        it.view,
        it.truncated,
        it.occluded,
        it.difficult,
        tuple(sorted(it.actions)),
        None if x is None or y is None else (x, y),
        tuple([AnnotatedPart(part.name, part.box) for part in it.parts]),
    )


def load_images(session: Session, annotation_ids: Mapping[int, int]) -> list[ImageRow]:
    """The images of these ids, each with the revision given for it, in order of their digests."""
    chains = load_chains(session, annotation_ids)
    reviews = _load_reviews(session, chains)
    found = select(Image).options(selectinload(Image.photos).joinedload(Photo.query))
    rows = [
        ImageRow(
            image.id,
            image.sha256,
            image.width,
            image.height,
            image.state,
            tuple([_photo(it) for it in image.photos if it.state is not PhotoState.WITHDRAWN]),
            tuple(chains[image.id]),
            tuple(reviews[image.id]),
            image.original_sha256,
            _hashes(image),
        )
        for image in iterate_rows(session, found, Image.id, annotation_ids)
    ]
    return sorted(rows, key=lambda row: row.sha256)


def load_chains(
    session: Session, annotation_ids: Mapping[int, int]
) -> dict[int, list[RevisionRow]]:
    """For each image the given revision and those it grew from, newest first."""
    loaded: dict[int, RevisionRow] = {}
    wanted = set(annotation_ids.values())
    objects = selectinload(Annotation.objects).selectinload(Object.parts)
    found = select(Annotation).options(objects, joinedload(Annotation.person))
    while wanted:
        revisions = [_revision(it) for it in iterate_rows(session, found, Annotation.id, wanted)]
        loaded |= {revision.id: revision for revision in revisions}
        parents = {it.parent_id for it in revisions if it.parent_id is not None}
        wanted = parents - loaded.keys()
    chains = {image_id: [loaded[newest]] for image_id, newest in annotation_ids.items()}
    for chain in chains.values():
        while (parent_id := chain[-1].parent_id) is not None:
            chain.append(loaded[parent_id])
    return chains


def iterate_rows(
    session: Session, statement: Select[tuple[T]], column: Any, ids: Iterable[int]
) -> Iterator[T]:
    """What the statement finds where the column is one of the ids, in portions of ascending ids."""
    ordered = sorted(ids)
    for at in range(0, len(ordered), MOST_IDS):
        yield from session.scalars(statement.where(column.in_(ordered[at : at + MOST_IDS])))


def _load_reviews(
    session: Session, chains: Mapping[int, Sequence[RevisionRow]]
) -> Mapping[int, list[ReviewRow]]:
    """For each image the reviews of any revision in its chain, oldest first."""
    image_of = {row.id: image_id for image_id, chain in chains.items() for row in chain}
    found = select(Review).options(joinedload(Review.person))
    reviews: dict[int, list[ReviewRow]] = defaultdict(list)
    for it in iterate_rows(session, found, Review.annotation_id, image_of):
        person, mended_id = _person(it.person), it.mended_annotation_id
        review = ReviewRow(it.id, it.annotation_id, person, it.verdict, mended_id, it.reviewed_at)
        reviews[image_of[it.annotation_id]].append(review)
    for rows in reviews.values():
        rows.sort(key=lambda row: row.id)
    return reviews


def _revision(it: Annotation) -> RevisionRow:
    objects = tuple([make_object(item) for item in it.objects])
    return RevisionRow(it.id, it.parent_id, _person(it.person), it.saved_at, objects)


def _person(it: Person) -> PersonRow:
    return PersonRow(it.name, it.is_simulated)


def _photo(it: Photo) -> PhotoRow:
    columns = {name: getattr(it, name) for name in _PHOTO_COLUMNS}
    query = it.query
    words: Any = {"query_class": query.class_name, "query_keyword": query.keyword} if query else {}
    return PhotoRow(**columns, **words)


_PHOTO_COLUMNS = [it.name for it in fields(PhotoRow) if not it.name.startswith("query_")]


def _hashes(it: Image) -> HashRow | None:
    values: Any = (it.hash_recipe, it.phash_64, it.phash_256, it.quality)
    return None if None in values else HashRow(*values)
