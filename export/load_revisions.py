"""Revisions with their objects, and the verdicts on them, as rows of the catalogue."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from operator import attrgetter
from sys import intern
from typing import Any

from sqlalchemy import Connection, Row, String, cast, select, type_coerce
from sqlalchemy.orm import Session

from catalog.box import Box
from catalog.states import View
from catalog.tables import Annotation, Object, Part, Person, Review

from .rows import ObjectRow, PartRow, PersonRow, ReviewRow, RevisionRow
from .slices import slices, within

MOST_LISTS = 10_000


def load_chains(
    session: Session, annotation_ids: Mapping[int, int]
) -> dict[int, list[RevisionRow]]:
    """For each image the given revision and those it grew from, newest first."""
    loaded: dict[int, RevisionRow] = {}
    people = _load_people(session)
    wanted = set(annotation_ids.values())
    while wanted:
        parents: set[int] = set()
        for revision in _load_revisions(session, wanted, people):
            loaded[revision.id] = revision
            if revision.parent_id is not None:
                parents.add(revision.parent_id)
        wanted = parents - loaded.keys()
    return {
        image_id: _chain(loaded, annotation_id)
        for image_id, annotation_id in annotation_ids.items()
    }


def load_reviews(
    session: Session, chains: Mapping[int, Sequence[RevisionRow]]
) -> dict[int, list[ReviewRow]]:
    """For each image the reviews of any revision in its chain, oldest first."""
    image_of = {row.id: image_id for image_id, chain in chains.items() for row in chain}
    people = _load_people(session)
    reviews: dict[int, list[ReviewRow]] = {image_id: [] for image_id in chains}
    connection = session.connection()
    for some_ids in slices(image_of):
        found = connection.execute(
            select(*_REVIEW_COLUMNS).where(within(Review.annotation_id, some_ids))
        ).all()
        for review_id, annotation_id, person_id, verdict, mended_id, reviewed_at in found:
            image_id = image_of.get(annotation_id)
            if image_id is not None:
                person = people[person_id]
                review = ReviewRow(
                    review_id, annotation_id, person, verdict, mended_id, reviewed_at
                )
                reviews[image_id].append(review)
    for rows in reviews.values():
        rows.sort(key=attrgetter("id"))
    return reviews


_REVIEW_COLUMNS = (
    Review.id,
    Review.annotation_id,
    Review.person_id,
    Review.verdict,
    Review.mended_annotation_id,
    Review.reviewed_at,
)


def _load_people(session: Session) -> dict[int, PersonRow]:
    """Everybody by id."""
    found = session.connection().execute(select(Person.id, Person.name, Person.is_simulated))
    return {person_id: PersonRow(name, simulated) for person_id, name, simulated in found}


def _chain(loaded: Mapping[int, RevisionRow], newest_id: int) -> list[RevisionRow]:
    chain = [loaded[newest_id]]
    while (parent_id := chain[-1].parent_id) is not None:
        chain.append(loaded[parent_id])
    return chain


def _load_revisions(
    session: Session, ids: Set[int], people: Mapping[int, PersonRow]
) -> Iterator[RevisionRow]:
    connection = session.connection()
    for some_ids in slices(ids):
        objects = _load_objects(connection, some_ids)
        found = connection.execute(
            select(
                Annotation.id, Annotation.parent_id, Annotation.person_id, Annotation.saved_at
            ).where(within(Annotation.id, some_ids))
        ).all()
        for annotation_id, parent_id, person_id, saved_at in found:
            if annotation_id in ids:
                drawn = tuple(objects.get(annotation_id, ()))
                yield RevisionRow(annotation_id, parent_id, people[person_id], saved_at, drawn)


def _load_objects(
    connection: Connection, annotation_ids: Sequence[int]
) -> dict[int, list[ObjectRow]]:
    """The objects of these revisions, and perhaps of others between them."""
    parts: dict[int, list[PartRow]] = defaultdict(list)
    found_parts = connection.execute(
        select(Part.object_id, Part.name, Part.xmin, Part.ymin, Part.xmax, Part.ymax)
        .join(Object, Object.id == Part.object_id)
        .where(within(Object.annotation_id, annotation_ids))
        .order_by(Part.object_id, Part.number)
    ).all()
    for object_id, name, xmin, ymin, xmax, ymax in found_parts:
        parts[object_id].append(PartRow(name, Box(xmin, ymin, xmax, ymax)))
    objects: dict[int, list[ObjectRow]] = defaultdict(list)
    found = connection.execute(
        select(*_OBJECT_COLUMNS)
        .where(within(Object.annotation_id, annotation_ids))
        .order_by(Object.annotation_id, Object.number)
    ).all()
    for row in found:
        objects[row[1]].append(_object_row(row, parts))
    return objects


_OBJECT_COLUMNS = (
    Object.id,
    Object.annotation_id,
    Object.object_key,
    Object.class_name,
    type_coerce(Object.view, String),
    Object.truncated,
    Object.occluded,
    Object.difficult,
    cast(Object.actions, String),
    Object.point_x,
    Object.point_y,
    Object.xmin,
    Object.ymin,
    Object.xmax,
    Object.ymax,
)
"""Columns alone: whole objects of the mapper take three times as long. Words and lists come as
texts, of which there are few; what they mean is looked up once for each."""


def _object_row(row: Row[Any], parts: Mapping[int, Sequence[PartRow]]) -> ObjectRow:
    object_id, _, key, name, view, truncated, occluded, difficult, actions, x, y, *xyxy = row
    return ObjectRow(
        key,
        intern(name),
        Box(*xyxy),
        _VIEWS[view],
        truncated,
        occluded,
        difficult,
        _parse_actions(actions),
        None if x is None or y is None else (x, y),
        tuple(parts[object_id]) if object_id in parts else (),
    )


_VIEWS = {view.value: view for view in View}


@lru_cache(MOST_LISTS)
def _parse_actions(text: str) -> tuple[str, ...]:
    return tuple(sorted(json.loads(text)))
