"""Revisions with their objects, and the verdicts on them, as rows of the catalogue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.box import Box
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
            select(*_REVIEW_COLUMNS, Person.name, Person.is_simulated)
            .join(Person, Person.id == Review.person_id)
            .where(Review.annotation_id.in_(some_ids))
        )
        for review_id, annotation_id, verdict, mended_id, reviewed_at, *person in found:
            reviews[image_of[annotation_id]].append(
                ReviewRow(
                    id=review_id,
                    annotation_id=annotation_id,
                    person=PersonRow(*person),
                    verdict=verdict,
                    mended_annotation_id=mended_id,
                    reviewed_at=reviewed_at,
                )
            )
    return {key: sorted(rows, key=lambda row: row.id) for key, rows in reviews.items()}


_REVIEW_COLUMNS = (
    Review.id,
    Review.annotation_id,
    Review.verdict,
    Review.mended_annotation_id,
    Review.reviewed_at,
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
            select(
                Annotation.id,
                Annotation.parent_id,
                Annotation.saved_at,
                Person.name,
                Person.is_simulated,
            )
            .join(Person, Person.id == Annotation.person_id)
            .where(Annotation.id.in_(some_ids))
        )
        for annotation_id, parent_id, saved_at, *person in found:
            yield RevisionRow(
                id=annotation_id,
                parent_id=parent_id,
                person=PersonRow(*person),
                saved_at=saved_at,
                objects=tuple(objects[annotation_id]),
            )


def _load_objects(session: Session, annotation_ids: Sequence[int]) -> dict[int, list[ObjectRow]]:
    parts: dict[int, list[PartRow]] = defaultdict(list)
    found_parts = session.execute(
        select(Part.object_id, Part.name, Part.xmin, Part.ymin, Part.xmax, Part.ymax)
        .join(Object, Object.id == Part.object_id)
        .where(Object.annotation_id.in_(annotation_ids))
        .order_by(Part.object_id, Part.number)
    )
    for object_id, name, *xyxy in found_parts:
        parts[object_id].append(PartRow(name, Box(*xyxy)))
    objects: dict[int, list[ObjectRow]] = defaultdict(list)
    found = session.execute(
        select(*_OBJECT_COLUMNS)
        .where(Object.annotation_id.in_(annotation_ids))
        .order_by(Object.annotation_id, Object.number)
    )
    for object_id, annotation_id, *values in found:
        objects[annotation_id].append(_object_row(values, parts.get(object_id, ())))
    return objects


_OBJECT_COLUMNS = (
    Object.id,
    Object.annotation_id,
    Object.object_key,
    Object.class_name,
    Object.view,
    Object.truncated,
    Object.occluded,
    Object.difficult,
    Object.actions,
    Object.point_x,
    Object.point_y,
    Object.xmin,
    Object.ymin,
    Object.xmax,
    Object.ymax,
)
"""Columns alone: whole objects of the mapper take three times as long."""


def _object_row(values: Sequence[Any], parts: Sequence[PartRow]) -> ObjectRow:
    key, name, view, truncated, occluded, difficult, actions, x, y, *xyxy = values
    return ObjectRow(
        object_key=key,
        class_name=name,
        box=Box(*xyxy),
        view=view,
        truncated=truncated,
        occluded=occluded,
        difficult=difficult,
        actions=tuple(sorted(actions)),
        point_xy=None if x is None or y is None else (x, y),
        parts=tuple(parts),
    )
