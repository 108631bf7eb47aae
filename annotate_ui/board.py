"""What the organiser's board shows: where the party stands and who is at work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Function, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.states import ImageState, LeaseKind
from catalog.stats import Standing, load_standing
from catalog.tables import Annotation, Lease, Person, Review

from .people import list_people
from .visit import Visit

_TILES = (
    ("in the pool", ImageState.POOL),
    ("being annotated", ImageState.ANNOTATING),
    ("annotated, to be checked", ImageState.ANNOTATED),
    ("being checked", ImageState.CHECKING),
    ("returned", ImageState.RETURNED),
    ("checked", ImageState.CHECKED),
    ("released", ImageState.RELEASED),
    ("discarded", ImageState.DISCARDED),
)


@dataclass(frozen=True)
class Tile:
    """A number and what it counts."""

    label: str
    count: int


@dataclass(frozen=True)
class PersonRow:
    """A person's part in the party; `active_secs` is over all their saves."""

    person: Person
    holds: Sequence[str]
    drawn: int
    checked: int
    active_secs: float


@dataclass(frozen=True)
class Board:
    """The party at one moment."""

    at: datetime
    tiles: Sequence[Tile]
    people: Sequence[PersonRow]
    classes: Sequence[tuple[str, int]]
    discarded: Sequence[tuple[str, int]]

    @property
    def most_objects(self) -> int:
        """Objects of the most frequent class, at least 1."""
        return max([1, *(count for _, count in self.classes)])


def load_board(visit: Visit) -> Board:
    """The board as it is now."""
    standing = load_standing(visit.session)
    preset = visit.party.preset
    return Board(
        visit.at,
        [Tile(label, standing.images[state]) for label, state in _TILES],
        _load_people(visit.session, visit.at),
        [(item.display, standing.classes.get(item.name, 0)) for item in preset.classes],
        _name_reasons(standing, {item.key: item.display for item in preset.discard_reasons}),
    )


def describe_ago(moment: datetime, at: datetime) -> str:
    """How long ago a moment was, in the largest fitting unit."""
    secs = max((at - moment).total_seconds(), 0)
    for unit, length_secs in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        count = int(secs // length_secs)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def _name_reasons(standing: Standing, displays: dict[str, str]) -> list[tuple[str, int]]:
    return [(displays.get(key, key), count) for key, count in standing.discarded.items()]


def _load_people(session: Session, at: datetime) -> list[PersonRow]:
    is_finished = Annotation.is_finished.is_(True)
    images = func.count(Annotation.image_id.distinct())
    drawn = _by_person(session, Annotation.person_id, images, is_finished)
    checked = _by_person(session, Review.person_id, func.count())
    drawing_secs = _by_person(session, Annotation.person_id, func.sum(Annotation.active_secs))
    checking_secs = _by_person(session, Review.person_id, func.sum(Review.active_secs))
    holds = _load_holds(session, at)
    return [
        PersonRow(
            person,
            holds.get(person.id, []),
            int(drawn.get(person.id, 0)),
            int(checked.get(person.id, 0)),
            drawing_secs.get(person.id, 0.0) + checking_secs.get(person.id, 0.0),
        )
        for person in list_people(session)
    ]


def _by_person(
    session: Session,
    person_id: InstrumentedAttribute[int],
    value: Function[Any],
    *conditions: ColumnElement[bool],
) -> dict[int, float]:
    rows = session.execute(select(person_id, value).where(*conditions).group_by(person_id))
    return {person: total for person, total in rows}  # noqa: C416  a row is no pair to mypy


def _load_holds(session: Session, at: datetime) -> dict[int, list[str]]:
    """What each person has in hand; a lease that ran out only waits to be swept."""
    verbs = {LeaseKind.ANNOTATE: "draws", LeaseKind.CHECK: "checks"}
    holds: dict[int, list[str]] = {}
    leases = select(Lease).where(Lease.expires_at > at).order_by(Lease.id)
    for lease in session.scalars(leases):
        holds.setdefault(lease.person_id, []).append(f"{verbs[lease.kind]} image {lease.image_id}")
    return holds
