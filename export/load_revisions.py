"""Revisions with their objects, and the verdicts on them, as rows of the catalogue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.tables import Annotation, Object, Part, Person, Review

from .rows import ObjectRow, PartRow, PersonRow, ReviewRow, RevisionRow
from .slices import slices


def load_chains(
    session: Session, annotation_ids: Mapping[int, int]
) -> dict[int, list[RevisionRow]]:
    """For each image the given revision and those it grew from, newest first."""
    loaded: dict[int, RevisionRow] = {}
    wanted = set(annotation_ids.values())
    while wanted:
        found = list(_load_revisions(session, wanted))
        loaded |= {revision.id: revision for revision in found}
        wanted = {row.parent_id for row in found if row.parent_id is not None} - set(loaded)
    return {
        image_id: _chain(loaded, annotation_id)
        for image_id, annotation_id in annotation_ids.items()
    }


def load_reviews(
    session: Session, chains: Mapping[int, Sequence[RevisionRow]]
) -> dict[int, list[ReviewRow]]:
    """For each image the reviews of any revision in its chain, oldest first."""
    image_of = {row.id: image_id for image_id, chain in chains.items() for row in chain}
    reviews: dict[int, list[ReviewRow]] = {image_id: [] for image_id in chains}
    for some_ids in slices(image_of):
        found = session.execute(
            select(Review, Person.name, Person.is_simulated)
            .join(Person, Person.id == Review.person_id)
            .where(Review.annotation_id.in_(some_ids))
        )
        for row, *person in found:
            reviews[image_of[row.annotation_id]].append(_review_row(row, PersonRow(*person)))
    return {key: sorted(rows, key=lambda row: row.id) for key, rows in reviews.items()}


def _review_row(row: Review, person: PersonRow) -> ReviewRow:
    return ReviewRow(
        id=row.id,
        annotation_id=row.annotation_id,
        person=person,
        verdict=row.verdict,
        mended_annotation_id=row.mended_annotation_id,
        reviewed_at=row.reviewed_at,
    )


def _chain(loaded: Mapping[int, RevisionRow], newest_id: int) -> list[RevisionRow]:
    chain = [loaded[newest_id]]
    while (parent_id := chain[-1].parent_id) is not None:
        chain.append(loaded[parent_id])
    return chain


def _load_revisions(session: Session, ids: Iterable[int]) -> Iterator[RevisionRow]:
    for some_ids in slices(ids):
        objects = _load_objects(session, some_ids)
        found = session.execute(
            select(Annotation, Person.name, Person.is_simulated)
            .join(Person, Person.id == Annotation.person_id)
            .where(Annotation.id.in_(some_ids))
        )
        for row, *person in found:
            yield RevisionRow(
                id=row.id,
                parent_id=row.parent_id,
                person=PersonRow(*person),
                saved_at=row.saved_at,
                objects=tuple(objects[row.id]),
            )


def _load_objects(session: Session, annotation_ids: Sequence[int]) -> dict[int, list[ObjectRow]]:
    parts: dict[int, list[PartRow]] = defaultdict(list)
    found_parts = session.scalars(
        select(Part)
        .join(Object, Object.id == Part.object_id)
        .where(Object.annotation_id.in_(annotation_ids))
        .order_by(Part.object_id, Part.number)
    )
    for part in found_parts:
        parts[part.object_id].append(PartRow(part.name, part.box))
    objects: dict[int, list[ObjectRow]] = defaultdict(list)
    found = session.scalars(
        select(Object)
        .where(Object.annotation_id.in_(annotation_ids))
        .order_by(Object.annotation_id, Object.number)
    )
    for item in found:
        objects[item.annotation_id].append(_object_row(item, parts[item.id]))
    return objects


def _object_row(item: Object, parts: Sequence[PartRow]) -> ObjectRow:
    has_point = item.point_x is not None and item.point_y is not None
    return ObjectRow(
        object_key=item.object_key,
        class_name=item.class_name,
        box=item.box,
        view=item.view,
        truncated=item.truncated,
        occluded=item.occluded,
        difficult=item.difficult,
        actions=tuple(sorted(item.actions)),
        point_xy=(item.point_x or 0, item.point_y or 0) if has_point else None,
        parts=tuple(parts),
    )
