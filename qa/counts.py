"""Counts for the board: images by state, each person's part, and the latest annotations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, case, func, select, true
from sqlalchemy.orm import Session

from catalog.states import ImageState, LeaseKind, Role, Verdict
from catalog.tables import Annotation, Image, Lease, Object, Person, Review
from present.intervals import Interval, estimate_share


@dataclass(frozen=True)
class StateCounts:
    """How many images are in each state, are leased for what, and were discarded for what."""

    images: dict[ImageState, int]
    leased: dict[LeaseKind, int]
    discarded: dict[str, int]


@dataclass(frozen=True)
class PersonProgress:
    """A person's part; `corrected` is the share of their checked images that had to be changed."""

    person_id: int
    name: str
    role: Role
    images: int
    checked: int
    active_secs: float
    per_hour: float | None
    corrected: Interval
    seen_at: datetime | None


@dataclass(frozen=True)
class WallItem:
    """One finished revision to look at."""

    annotation_id: int
    image_id: int
    person_id: int
    name: str
    saved_at: datetime
    objects: int
    is_discarded: bool
    state: ImageState


def load_state_counts(session: Session, *, at: datetime) -> StateCounts:
    """The party at this moment; a lease that ran out only waits to be swept and is not counted."""
    images = _count(session, Image.state, Image.state.is_not(None))
    leased = _count(session, Lease.kind, Lease.expires_at > at)
    discarded = _count(session, Image.reason, Image.state == ImageState.DISCARDED)
    return StateCounts(
        {state: images.get(state, 0) for state in ImageState},
        {kind: leased.get(kind, 0) for kind in LeaseKind},
        {reason or "": count for reason, count in sorted(discarded.items(), key=str)},
    )


def load_people_progress(session: Session) -> list[PersonProgress]:
    """Everybody's part in the party, in order of names."""
    finished = case((Annotation.is_finished.is_(True), Annotation.image_id))
    images, secs = func.count(finished.distinct()), func.sum(Annotation.active_secs)
    drawn = _by_person(session, Annotation.person_id, images, secs)
    checked = _by_person(session, Review.person_id, func.count(), func.sum(Review.active_secs))
    corrected = _load_corrected(session)
    progress = []
    for it in session.scalars(select(Person).order_by(Person.name)):
        finished_images, drawing_secs = drawn.get(it.id, (0, 0.0))
        verdicts, checking_secs = checked.get(it.id, (0, 0.0))
        active_secs = float(drawing_secs or 0) + float(checking_secs or 0)
        per_hour = (finished_images + verdicts) / active_secs * 3600 if active_secs else None
        share = estimate_share(*corrected.get(it.id, (0, 0)))
        worked = (finished_images, verdicts, active_secs, per_hour, share)
        progress.append(PersonProgress(it.id, it.name, it.role, *worked, it.seen_at))
    return progress


def load_wall(session: Session, *, limit: int = 24, before_id: int | None = None) -> list[WallItem]:
    """The latest finished revisions, the newest first; `before_id` goes on where a page ended."""
    objects = select(func.count()).where(Object.annotation_id == Annotation.id).scalar_subquery()
    is_older = true() if before_id is None else Annotation.id < before_id
    is_done = (Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
    rows = session.execute(
        select(
            *(Annotation.id, Annotation.image_id, Annotation.person_id, Person.name),
            *(Annotation.saved_at, objects, Annotation.discard_reason.is_not(None), Image.state),
        )
        .join(Person, Person.id == Annotation.person_id)
        .join(Image, Image.id == Annotation.image_id)
        .where(*is_done, Image.state != ImageState.TAKEN_DOWN, is_older)
        .order_by(Annotation.id.desc())
        .limit(limit)
    )
    return [WallItem(*row) for row in rows]


def _count(session: Session, column: Any, condition: ColumnElement[bool]) -> dict[Any, int]:
    rows = session.execute(select(column, func.count()).where(condition).group_by(column))
    return dict(rows.tuples().all())


def _load_corrected(session: Session) -> dict[int, tuple[int, int]]:
    """By author: verdicts that corrected or returned their work, and all verdicts."""
    is_corrected = case((Review.verdict != Verdict.ACCEPT, 1), else_=0)
    rows = session.execute(
        select(Annotation.person_id, func.sum(is_corrected), func.count())
        .join(Review, Review.annotation_id == Annotation.id)
        .where(Review.set_aside_at.is_(None), Annotation.set_aside_at.is_(None))
        .group_by(Annotation.person_id)
    )
    return {person: (int(hits), count) for person, hits, count in rows.tuples()}


def _by_person(session: Session, person_id: Any, *values: Any) -> dict[int, tuple[Any, ...]]:
    counts = person_id.class_.set_aside_at.is_(None)
    rows = session.execute(select(person_id, *values).where(counts).group_by(person_id))
    return {row[0]: tuple(row[1:]) for row in rows}
