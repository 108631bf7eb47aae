"""What the organiser's board shows, read in few queries; each function answers in milliseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Integer, case, cast, func, select
from sqlalchemy.orm import Session

from catalog.settings import Settings
from catalog.states import ImageState, LeaseKind, Role, Verdict
from catalog.tables import Annotation, Image, Lease, Object, Person, Review

from .forecasts import Forecast, forecast_target
from .intervals import Interval, estimate_share
from .load import LOADED_STATES

PACE_HOURS = 24
"""The pace of the party is taken over as many of its last hours in which anything was finished."""

PACE_REVISIONS = 4000


@dataclass(frozen=True)
class Standing:
    """How many images are in each state, are leased for what, and were discarded for what."""

    images: dict[ImageState, int]
    leased: dict[LeaseKind, int]
    discarded: dict[str, int]


@dataclass(frozen=True)
class ClassProgress:
    """How far a class is; `target` counts images, as collect.class_targets does."""

    class_name: str
    images: int
    objects: int
    target: int
    forecast: Forecast


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


@dataclass(frozen=True)
class ClassSecs:
    """How long objects of a class take to draw, over `objects` that were measured."""

    class_name: str
    objects: int
    quarter_secs: float
    median_secs: float
    three_quarter_secs: float


@dataclass(frozen=True)
class HourProgress:
    """What was finished within one hour; `hour` is its start ("2026-01-31 12", UTC)."""

    hour: str
    annotated: int
    discarded: int
    checked: int
    returned: int


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


def load_standing(session: Session, *, at: datetime) -> Standing:
    """The party at this moment; a lease that ran out only waits to be swept and is not counted."""
    images = _count(session, Image.state, Image.state.is_not(None))
    leased = _count(session, Lease.kind, Lease.expires_at > at)
    discarded = _count(session, Image.reason, Image.state == ImageState.DISCARDED)
    return Standing(
        {state: images.get(state, 0) for state in ImageState},
        {kind: leased.get(kind, 0) for kind in LeaseKind},
        {reason or "": count for reason, count in sorted(discarded.items(), key=str)},
    )


def plan_class_targets(settings: Settings, class_names: Sequence[str]) -> dict[str, int]:
    """How many images are wanted of each class: those set, and equal shares of the rest."""
    wanted = settings.collect.class_targets
    others = [name for name in class_names if name not in wanted]
    left = max(settings.collect.target_images - sum(wanted.values()), 0)
    share, more = divmod(left, len(others)) if others else (0, 0)
    shares = {name: share + (place < more) for place, name in enumerate(others)}
    return {name: wanted[name] if name in wanted else shares[name] for name in class_names}


def load_class_progress(
    session: Session, targets: Mapping[str, int], *, at: datetime
) -> list[ClassProgress]:
    """Images and objects of each class in finished work, and when its target is met.

    Images come at random, so a class comes at the party's pace times its share of finished images.
    """
    rows = session.execute(
        select(
            Object.class_name,
            func.count(),
            func.count(Object.annotation_id.distinct()),
        )
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Image.state.in_(LOADED_STATES))
        .group_by(Object.class_name)
    )
    counts = {name: (objects, images) for name, objects, images in rows.tuples()}
    finished = session.scalar(select(func.count()).where(Image.state.in_(LOADED_STATES))) or 0
    pace = load_pace(session, at=at)
    return [
        ClassProgress(
            name,
            counts.get(name, (0, 0))[1],
            counts.get(name, (0, 0))[0],
            target,
            forecast_target(counts.get(name, (0, 0))[1], target, finished, pace),
        )
        for name, target in targets.items()
    ]


def load_pace(session: Session, *, at: datetime) -> float:
    """Images that come to be annotated in an hour of the party, by its last PACE_HOURS hours.

    Hours in which nothing was finished do not count, so nights and breaks do not either.
    """
    hour = hour_of(session, Annotation.saved_at)
    rows = session.execute(
        select(func.count(Annotation.image_id.distinct()))
        .where(
            Annotation.is_finished.is_(True),
            Annotation.is_stale.is_(False),
            Annotation.parent_id.is_(None),
            Annotation.discard_reason.is_(None),
            Annotation.saved_at <= at,
        )
        .group_by(hour)
        .order_by(hour.desc())
        .limit(PACE_HOURS)
    )
    counts = [count for (count,) in rows]
    return sum(counts) / len(counts) if counts else 0.0


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


def load_class_secs(session: Session) -> list[ClassSecs]:
    """How long objects take to draw, to a tenth of a second, where it was measured; by names.

    Taken over the latest PACE_REVISIONS finished revisions, as people get quicker.
    """
    tenths = cast(Object.drawn_secs * 10, Integer)
    latest = (
        select(Annotation.id)
        .where(Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
        .order_by(Annotation.id.desc())
        .limit(PACE_REVISIONS)
        .subquery()
    )
    rows = session.execute(
        select(Object.class_name, tenths, func.count())
        .join(latest, latest.c.id == Object.annotation_id)
        .where(Object.drawn_secs > 0)
        .group_by(Object.class_name, tenths)
        .order_by(Object.class_name, tenths)
    )
    counts: dict[str, list[tuple[int, int]]] = {}
    for name, value, count in rows.tuples():
        counts.setdefault(name, []).append((value, count))
    return [_make_class_secs(name, np.array(counts[name])) for name in sorted(counts)]


def load_hours(session: Session, *, since: datetime | None = None) -> list[HourProgress]:
    """What was finished in each hour in which anything was, in order of time."""
    saved, reviewed = (
        hour_of(session, column) for column in (Annotation.saved_at, Review.reviewed_at)
    )
    is_discarded = Annotation.discard_reason.is_not(None)
    first = (Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
    mended = select(Review.mended_annotation_id).where(Review.mended_annotation_id.is_not(None))
    annotated = session.execute(
        select(
            saved,
            func.count(Annotation.image_id.distinct()),
            func.count(case((is_discarded, Annotation.image_id)).distinct()),
        )
        .where(*first, Annotation.id.not_in(mended), *_since(Annotation.saved_at, since))
        .group_by(saved)
    )
    is_returned = Review.verdict == Verdict.RETURNED
    judged = session.execute(
        select(reviewed, func.count(), func.sum(case((is_returned, 1), else_=0)))
        .where(*_since(Review.reviewed_at, since))
        .group_by(reviewed)
    )
    drawn = {hour: (all_ - gone, gone) for hour, all_, gone in annotated.tuples()}
    checked = {hour: (all_ - back, back) for hour, all_, back in judged.tuples()}
    return [
        HourProgress(str(hour), *drawn.get(hour, (0, 0)), *checked.get(hour, (0, 0)))
        for hour in sorted({*drawn, *checked})
    ]


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


def _make_class_secs(name: str, tenths_counts: NDArray[np.int64]) -> ClassSecs:
    tenths, counts = tenths_counts.T
    objects = int(counts.sum())
    reached = np.cumsum(counts)
    places = [np.searchsorted(reached, share * objects) for share in (0.25, 0.5, 0.75)]
    return ClassSecs(name, objects, *(float(tenths[place]) / 10 for place in places))


def hour_of(session: Session, column: Any) -> ColumnElement[str]:
    """The column's hour as text, on either database."""
    if session.get_bind().dialect.name == "sqlite":
        return func.substr(column, 1, 13)
    return func.to_char(func.timezone("UTC", column), "YYYY-MM-DD HH24")


def _count(session: Session, column: Any, condition: ColumnElement[bool]) -> dict[Any, int]:
    rows = session.execute(select(column, func.count()).where(condition).group_by(column))
    return dict(rows.tuples().all())


def _by_person(session: Session, person_id: Any, *values: Any) -> dict[int, tuple[Any, ...]]:
    rows = session.execute(select(person_id, *values).group_by(person_id))
    return {row[0]: tuple(row[1:]) for row in rows}


def _load_drawn(session: Session) -> dict[int, tuple[Any, ...]]:
    """Images finished and active seconds, by person."""
    finished = case((Annotation.is_finished.is_(True), Annotation.image_id))
    images, secs = func.count(finished.distinct()), func.sum(Annotation.active_secs)
    return _by_person(session, Annotation.person_id, images, secs)


def _load_corrected(session: Session) -> dict[int, tuple[int, int]]:
    """By author: verdicts that mended or returned their work, and all verdicts."""
    is_corrected = case((Review.verdict != Verdict.ACCEPT, 1), else_=0)
    rows = session.execute(
        select(Annotation.person_id, func.sum(is_corrected), func.count())
        .join(Annotation, Annotation.id == Review.annotation_id)
        .group_by(Annotation.person_id)
    )
    return {person: (int(hits), count) for person, hits, count in rows.tuples()}


def _since(column: Any, since: datetime | None) -> list[ColumnElement[bool]]:
    return [] if since is None else [column >= since]
