"""Loading images with the revisions, reviews and photos that a release shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, case, select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject, AnnotatedPart, replace_words
from catalog.at_rest import STATE_AT_REST
from catalog.box import Box
from catalog.origins import load_origins
from catalog.session import in_parts
from catalog.states import SEARCHED, PhotoState, WordKind
from catalog.suggested import load_suggested
from catalog.tables import Annotation, Image, Object, Part, Person, Photo, Query, Review, Search
from catalog.words import NamesOfKinds, load_names

from .answers import load_answers
from .rows import HashRow, ImageRow, PersonRow, PhotoRow, ReviewRow, RevisionRow

MOST_IDS = 2_000
"""In one list of a query; databases limit its length."""


def load_images(
    session: Session,
    annotation_ids: Mapping[int, int],
    classes_number: int | None = None,
    *,
    known_at: datetime | None = None,
) -> list[ImageRow]:
    """The images with these revisions, by digest; words are named as of `classes_number`.

    Which boxes two people confirmed, and what people answered, is said as of `known_at`, for a
    release that was made then.
    """
    chains = _load_chains(session, annotation_ids, classes_number)
    image_of = {revision.id: image_id for image_id, chain in chains.items() for revision in chain}
    reviews = _load_reviews(session, image_of)
    photos = _load_photos(session, annotation_ids, classes_number)
    origins = load_origins(session, annotation_ids)
    suggested = load_suggested(session, annotation_ids.values(), known_at)
    answers = load_answers(session, annotation_ids, known_at)
    hash_columns = Image.hash_recipe, Image.phash_64, Image.phash_256, Image.quality
    statement = select(
        Image.id,
        Image.sha256,
        Image.width,
        Image.height,
        STATE_AT_REST.label("state"),
        Image.original_sha256,
        *hash_columns,
    )
    images = list[ImageRow]()
    for row in iterate_rows(session, statement, Image.id, annotation_ids):
        hashes = row[-len(hash_columns) :]
        image = ImageRow(
            id=row.id,
            sha256=row.sha256,
            width=row.width,
            height=row.height,
            state=row.state,
            photos=tuple(photos[row.id]),
            revisions=tuple(chains[row.id]),
            reviews=tuple(reviews[row.id]),
            original_sha256=row.original_sha256,
            hashes=None if None in hashes else HashRow(*hashes),
            origins=origins.get(row.id, {}),
            suggested=suggested.get(annotation_ids[row.id], {}),
            answers=answers.get(row.id, ()),
        )
        images.append(image)
    return sorted(images, key=lambda image: image.sha256)


def _load_reviews(session: Session, image_of: Mapping[int, int]) -> dict[int, list[ReviewRow]]:
    """The reviews of these revisions by their images, the earliest first."""
    statement = select(
        Review.id,
        Review.annotation_id,
        Person.name,
        Person.is_simulated,
        Review.verdict,
        Review.fixed_annotation_id,
        Review.reviewed_at,
        Review.set_aside_at,
        Review.is_complete,
    ).join(Person, Person.id == Review.person_id)
    rows = iterate_rows(session, statement, Review.annotation_id, image_of)
    reviews: dict[int, list[ReviewRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.id):
        review = ReviewRow(
            id=row.id,
            annotation_id=row.annotation_id,
            person=PersonRow(row.name, row.is_simulated),
            verdict=row.verdict,
            fixed_annotation_id=row.fixed_annotation_id,
            reviewed_at=row.reviewed_at,
            is_set_aside=row.set_aside_at is not None,
            is_complete=row.is_complete,
        )
        reviews[image_of[row.annotation_id]].append(review)
    return reviews


_OBJECT_COLUMNS = (
    Object.annotation_id,
    Object.id,
    Object.number,
    Object.object_key,
    Object.class_id,
    Object.xmin,
    Object.ymin,
    Object.xmax,
    Object.ymax,
    Object.view,
    Object.truncated,
    Object.occluded,
    Object.difficult,
    Object.group_of,
    Object.actions,
    Object.point_x,
    Object.point_y,
)


def load_objects(
    session: Session, annotation_ids: Iterable[int], classes_number: int | None = None
) -> Mapping[int, tuple[AnnotatedObject, ...]]:
    """The objects of these revisions by their ids, in the annotator's order; as load_images."""
    wanted = set(annotation_ids)
    parts = _load_parts(session, wanted)
    names = load_names(session, classes_number)
    statement = select(*_OBJECT_COLUMNS).order_by(Object.number)
    objects: dict[int, list[AnnotatedObject]] = defaultdict(list)
    for row in iterate_rows(session, statement, Object.annotation_id, wanted):
        item = _make_object(row, tuple(parts.get(row.id, ())), names)
        objects[row.annotation_id].append(item)
    return defaultdict(tuple, {key: tuple(items) for key, items in objects.items()})


def _load_parts(session: Session, annotation_ids: set[int]) -> dict[int, list[AnnotatedPart]]:
    """The parts of all objects of these revisions, by the objects' ids, in their order."""
    corners = Part.xmin, Part.ymin, Part.xmax, Part.ymax
    statement = select(Part.object_id, Part.word, *corners).join(Object).order_by(Part.number)
    parts: dict[int, list[AnnotatedPart]] = defaultdict(list)
    for object_id, word, *xyxy in iterate_rows(
        session, statement, Object.annotation_id, annotation_ids
    ):
        parts[object_id].append(AnnotatedPart(word, Box(*xyxy)))
    return parts


def _make_object(
    row: Row[Any], parts: tuple[AnnotatedPart, ...], names: NamesOfKinds
) -> AnnotatedObject:
    """The object with the names that its words have among these."""
    has_point = row.point_x is not None and row.point_y is not None
    item = AnnotatedObject(
        number=row.number,
        key=row.object_key,
        class_name=names[WordKind.CLASS].get(row.class_id, row.class_id),
        class_id=row.class_id,
        box=Box(row.xmin, row.ymin, row.xmax, row.ymax),
        view=row.view,
        truncated=row.truncated,
        occluded=row.occluded,
        difficult=row.difficult,
        group_of=row.group_of,
        actions=tuple(row.actions),
        point_xy=(row.point_x, row.point_y) if has_point else None,
        parts=parts,
    )
    named = replace_words(item, names)
    return replace(named, actions=tuple(sorted(named.actions)))


def iterate_rows(
    session: Session, statement: Select[Any], column: Any, ids: Iterable[int] | Iterable[str]
) -> Iterator[Row[Any]]:
    """The rows whose column is one of the ids, in portions of ascending ids."""
    for some_ids in in_parts(sorted(ids), MOST_IDS):
        yield from session.execute(statement.where(column.in_(some_ids)))


def _load_chains(
    session: Session, annotation_ids: Mapping[int, int], classes_number: int | None
) -> dict[int, list[RevisionRow]]:
    """For each image the given revision and those it grew from, newest first."""
    loaded: dict[int, RevisionRow] = {}
    wanted = set(annotation_ids.values())
    of_person = Person.name, Person.is_simulated
    columns = Annotation.id, Annotation.parent_id, Annotation.saved_at, Annotation.taster
    statement = select(*columns, *of_person).join(Person, Person.id == Annotation.person_id)
    while wanted:
        objects = load_objects(session, wanted, classes_number)
        for row in iterate_rows(session, statement, Annotation.id, wanted):
            loaded[row.id] = RevisionRow(
                id=row.id,
                parent_id=row.parent_id,
                person=PersonRow(row.name, row.is_simulated),
                saved_at=row.saved_at,
                objects=objects[row.id],
                taster=row.taster,
            )
        parents = {loaded[key].parent_id for key in wanted} - loaded.keys()
        wanted = {key for key in parents if key is not None}
    chains = {image_id: [loaded[newest]] for image_id, newest in annotation_ids.items()}
    for chain in chains.values():
        while (parent_id := chain[-1].parent_id) is not None:
            chain.append(loaded[parent_id])
    return chains


def _load_photos(
    session: Session, image_ids: Iterable[int], classes_number: int | None
) -> Mapping[int, list[PhotoRow]]:
    """For each image its photos that were not withdrawn, the first one found first."""
    searched = select(Search.dates).where(
        Search.query_id == Photo.query_id,
        Search.window_start_at == Photo.window_start_at,
        Search.window_end_at == Photo.window_end_at,
        Search.page == Photo.result_page,
    )
    newest = searched.order_by(Search.id.desc()).limit(1).scalar_subquery()
    is_undated = Query.source.in_(SEARCHED) & Photo.window_start_at.is_(None)
    others = {
        "query_class": Query.class_id,
        "query_keyword": Query.keyword,
        "taken_at": case((Photo.taken_at_unknown.is_(False), Photo.taken_at_text)),
        "sampling": case((is_undated, "none"), else_=newest),
    }
    columns = [
        others[name] if name in others else getattr(Photo, name) for name in PhotoRow._fields
    ]
    statement = (
        select(Photo.image_id, *columns)
        .outerjoin(Query, Query.id == Photo.query_id)
        .where(Photo.state != PhotoState.WITHDRAWN)
        .order_by(Photo.id)
    )
    photos: dict[int, list[PhotoRow]] = defaultdict(list)
    names = load_names(session, classes_number)[WordKind.CLASS]
    for image_id, *values in iterate_rows(session, statement, Photo.image_id, image_ids):
        photo = PhotoRow(*values)
        name = names.get(photo.query_class or "", photo.query_class)
        photos[image_id].append(photo._replace(query_class=name))
    return photos
