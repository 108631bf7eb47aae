"""Each person's part in the party."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Integer, case, func, literal_column, select
from sqlalchemy.orm import Session

from catalog.states import Role, Verdict
from catalog.tables import Annotation, Person, Review

from .intervals import Interval, estimate_share


@dataclass(frozen=True)
class PersonProgress:
    """A person's part; `per_hour` is images finished or checked in an hour of active time.

    `corrected` is the share of their images that a checker looked at which had to be mended or went
    back.
    """

    person_id: int
    name: str
    role: Role
    images: int
    checked: int
    active_secs: float
    per_hour: float | None
    corrected: Interval
    seen_at: datetime | None


def load_people_progress(session: Session) -> list[PersonProgress]:
    """Everybody's part in the party, in order of names."""
    drawn = _load_drawn(session)
    checked = _by_person(session, Review.person_id, func.count(), func.sum(Review.active_secs))
    corrected = _load_corrected(session)
    progress = []
    for person in session.scalars(select(Person).order_by(Person.name)):
        images, secs = drawn.get(person.id, (0, 0.0))
        verdicts, checking_secs = checked.get(person.id, (0, 0.0))
        active_secs = float(secs or 0) + float(checking_secs or 0)
        hits, looked_at = corrected.get(person.id, (0, 0))
        progress.append(
            PersonProgress(
                person.id,
                person.name,
                person.role,
                images,
                verdicts,
                active_secs,
                (images + verdicts) / active_secs * 3600 if active_secs else None,
                estimate_share(hits, looked_at),
                person.seen_at,
            )
        )
    return progress


def _load_drawn(session: Session) -> dict[int, tuple[Any, ...]]:
    """Images finished and active seconds, by person."""
    finished = case((Annotation.is_finished.is_(True), Annotation.image_id))
    images, secs = func.count(finished.distinct()), func.sum(Annotation.active_secs)
    return _by_person(session, Annotation.person_id, images, secs)


def _load_corrected(session: Session) -> dict[int, tuple[int, int]]:
    """By author: verdicts that mended or returned their work, and all verdicts."""
    is_corrected = case((Review.verdict != Verdict.ACCEPT, 1), else_=0)
    author = _unindexed(Annotation.person_id)
    rows = session.execute(
        select(author, func.sum(is_corrected), func.count())
        .select_from(Review)
        .join(Annotation, Annotation.id == Review.annotation_id)
        .group_by(author)
    )
    return {person: (int(hits), count) for person, hits, count in rows.tuples()}


def _by_person(session: Session, person_id: Any, *values: Any) -> dict[int, tuple[Any, ...]]:
    key = _unindexed(person_id)
    rows = session.execute(select(key, *values).group_by(key))
    return {row[0]: tuple(row[1:]) for row in rows}


def _unindexed(person_id: Any) -> ColumnElement[int]:
    """The id as a value to group by: going through the table once is quicker than by its index."""
    value: ColumnElement[int] = literal_column("0", Integer) + person_id
    return value
