"""Figures of the board: images by state, people's parts, the latest annotations, the classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, case, func, select, true
from sqlalchemy.orm import Session

from catalog.at_rest import rests_in
from catalog.imports import load_imports
from catalog.settings import Settings
from catalog.states import ImageState, LeaseKind, Role, Verdict
from catalog.tables import Annotation, Image, Lease, Object, Person, Review
from vockit.report.intervals import Interval, estimate_share

from .load import LOADED_STATES

TIMED_REVISIONS = 4000


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
    """Everybody's part in the party, in order of names; not those who stand for an import."""
    imports = load_imports(session)
    finished = case((Annotation.is_finished.is_(True), Annotation.image_id))
    images = func.count(finished.distinct())
    secs = func.sum(Annotation.active_secs)
    drawn = _by_person(session, Annotation.person_id, images, secs)
    checked = _by_person(session, Review.person_id, func.count(), func.sum(Review.active_secs))
    corrected = _count_corrected(session)
    people = select(Person).where(Person.id.not_in(imports)).order_by(Person.name)
    return [
        _describe_progress(
            person,
            drawn=drawn.get(person.id, (0, 0.0)),
            checked=checked.get(person.id, (0, 0.0)),
            corrected=corrected.get(person.id, (0, 0)),
        )
        for person in session.scalars(people)
    ]


def _count_corrected(session: Session) -> dict[int, tuple[int, int]]:
    """How many revisions of each author checkers did not accept, and on how many they decided."""
    is_corrected = case((Review.verdict != Verdict.ACCEPT, 1), else_=0)
    rows = session.execute(
        select(Annotation.person_id, func.sum(is_corrected), func.count())
        .join(Review, Review.annotation_id == Annotation.id)
        .where(Review.set_aside_at.is_(None), Review.is_of_pair.is_(False))
        .where(Annotation.set_aside_at.is_(None))
        .group_by(Annotation.person_id)
    )
    return {author_id: (int(hits), count) for author_id, hits, count in rows.tuples()}


def _describe_progress(
    person: Person,
    *,
    drawn: tuple[Any, ...],
    checked: tuple[Any, ...],
    corrected: tuple[int, int],
) -> PersonProgress:
    """A person's part: of images drawn, and of verdicts, each the number and the seconds."""
    images, drawing_secs = drawn
    verdicts, checking_secs = checked
    active_secs = float(drawing_secs or 0) + float(checking_secs or 0)
    return PersonProgress(
        person_id=person.id,
        name=person.name,
        role=person.role,
        images=images,
        checked=verdicts,
        active_secs=active_secs,
        per_hour=(images + verdicts) / active_secs * 3600 if active_secs else None,
        corrected=estimate_share(*corrected),
        seen_at=person.seen_at,
    )


def load_wall(session: Session, *, limit: int = 24, before_id: int | None = None) -> list[WallItem]:
    """The latest finished revisions, the newest first; `before_id` goes on where a page ended."""
    objects = select(func.count()).where(Object.annotation_id == Annotation.id).scalar_subquery()
    is_older = true() if before_id is None else Annotation.id < before_id
    is_done = (Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
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
        .where(*is_done, Image.state != ImageState.TAKEN_DOWN, is_older)
        .order_by(Annotation.id.desc())
        .limit(limit)
    )
    return [WallItem(*row) for row in rows]


def _count(session: Session, column: Any, condition: ColumnElement[bool]) -> dict[Any, int]:
    rows = session.execute(select(column, func.count()).where(condition).group_by(column))
    return dict(rows.tuples().all())


def _by_person(session: Session, person_id: Any, *values: Any) -> dict[int, tuple[Any, ...]]:
    counts = person_id.class_.set_aside_at.is_(None)
    rows = session.execute(select(person_id, *values).where(counts).group_by(person_id))
    return {row[0]: tuple(row[1:]) for row in rows}


@dataclass(frozen=True)
class Forecast:
    """Hours of the party until a target is met; 0 where it is, infinite where it never will be.

    `low_hours` to `high_hours` is 95 % certain as far as the luck of the draw goes; people's pace
    may change.
    """

    hours: float
    low_hours: float
    high_hours: float


@dataclass(frozen=True)
class ClassProgress:
    """How far a class is; `target` counts images, as collect.class_targets does."""

    class_name: str
    images: int
    objects: int
    target: int
    forecast: Forecast


@dataclass(frozen=True)
class ClassSecs:
    """How long objects of a class take to draw, over `objects` that were measured."""

    class_id: str
    class_name: str
    objects: int
    quarter_secs: float
    median_secs: float
    three_quarter_secs: float


def plan_class_targets(settings: Settings, class_names: Sequence[str]) -> dict[str, int]:
    """How many images are wanted of each class: those set, and equal shares of the rest."""
    wanted = settings.collect.class_targets
    others = [name for name in class_names if name not in wanted]
    left = max(settings.collect.target_images - sum(wanted.values()), 0)
    share, more = divmod(left, len(others)) if others else (0, 0)
    shares = {name: share + (place < more) for place, name in enumerate(others)}
    return {name: wanted[name] if name in wanted else shares[name] for name in class_names}


def load_class_progress(
    session: Session, targets: Mapping[str, int], *, per_hour: float
) -> list[ClassProgress]:
    """Images and objects of each class in finished work, and when its target is met."""
    rows = session.execute(
        select(Object.class_name, func.count(), func.count(Object.annotation_id.distinct()))
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(rests_in(LOADED_STATES))
        .group_by(Object.class_name)
    )
    counts = {name: (images, objects) for name, objects, images in rows.tuples()}
    finished = session.scalar(select(func.count()).where(rests_in(LOADED_STATES))) or 0
    progress = []
    for name, target in targets.items():
        images, objects = counts.get(name, (0, 0))
        forecast = forecast_target(images, target, finished, per_hour)
        progress.append(ClassProgress(name, images, objects, target, forecast))
    return progress


def load_class_secs(session: Session) -> list[ClassSecs]:
    """How long objects take to draw, by class, over the latest TIMED_REVISIONS revisions."""
    latest = (
        select(Annotation.id)
        .where(Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
        .order_by(Annotation.id.desc())
        .limit(TIMED_REVISIONS)
        .subquery()
    )
    rows = session.execute(
        select(Object.class_name, Object.class_today, Object.drawn_secs)
        .join(latest, latest.c.id == Object.annotation_id)
        .where(Object.drawn_secs > 0)
    )
    secs: dict[tuple[str, str], list[float]] = {}
    for name, class_id, drawn_secs in rows.tuples():
        secs.setdefault((name, class_id), []).append(int(drawn_secs * 10) / 10)
    return [
        _take_quartiles(class_id, name, some) for (name, class_id), some in sorted(secs.items())
    ]


def _take_quartiles(class_id: str, name: str, secs: Sequence[float]) -> ClassSecs:
    quarters = np.quantile(secs, (0.25, 0.5, 0.75), method="inverted_cdf").tolist()
    return ClassSecs(class_id, name, len(secs), *quarters)


def forecast_target(with_class: int, target: int, finished: int, per_hour: float) -> Forecast:
    """How long until `target` images show a class, of which `with_class` of `finished` do now.

    `per_hour` images are finished in an hour. The class's share of images is known from those that
    came so far, as a Poisson count (its exact interval).
    """
    left = target - with_class
    if left <= 0:
        return Forecast(0.0, 0.0, 0.0)
    if per_hour <= 0 or not finished:
        return Forecast(math.inf, math.inf, math.inf)
    from scipy.special import gammaincinv  # takes long, and a server starts without it

    fewest = gammaincinv(with_class, 0.025) if with_class else 0.0
    counts = (with_class, fewest, gammaincinv(with_class + 1, 0.975))
    rates = (float(count) / finished * per_hour for count in counts)
    hours, high, low = (left / rate if rate > 0 else math.inf for rate in rates)
    return Forecast(hours, low, high)
