"""The latest annotations, to look at over somebody's shoulder."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from catalog.states import ImageState
from catalog.tables import Annotation, Image, Object, Person


@dataclass(frozen=True)
class WallItem:
    """One finished revision to look at over somebody's shoulder."""

    annotation_id: int
    image_id: int
    person_id: int
    name: str
    saved_at: datetime
    objects: int
    is_discarded: bool
    state: ImageState


def load_wall(session: Session, *, limit: int = 24, before_id: int | None = None) -> list[WallItem]:
    """The latest finished revisions, the newest first; `before_id` goes on where a page ended."""
    objects = select(func.count()).where(Object.annotation_id == Annotation.id).scalar_subquery()
    conditions: list[ColumnElement[bool]] = [
        Annotation.is_finished.is_(True),
        Annotation.is_stale.is_(False),
        Image.state != ImageState.TAKEN_DOWN,
    ]
    if before_id is not None:
        conditions.append(Annotation.id < before_id)
    rows = session.execute(
        select(
            Annotation.id,
            Annotation.image_id,
            Annotation.person_id,
            Person.name,
            Annotation.saved_at,
            objects,
            Annotation.discard_reason.is_not(None),
            Image.state,
        )
        .join(Person, Person.id == Annotation.person_id)
        .join(Image, Image.id == Annotation.image_id)
        .where(*conditions)
        .order_by(Annotation.id.desc())
        .limit(limit)
    )
    return [WallItem(*row) for row in rows.tuples()]
