"""Reads the facts of a release from the catalogue."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import (
    Annotation,
    Duplicate,
    Finding,
    Image,
    Measurement,
    Person,
    Photo,
    Query,
    Review,
)

from .facts import CheckFact, Facts, PeopleFact, QueryFact

SECS_PER_HOUR = 3600
AGREEMENT = "agreement"
"""The name under which qa keeps its last measurement."""
OPEN = "open"


def load_facts(session: Session, party: Party) -> Facts:
    """What the datasheet of a release made now would say."""
    found = session.execute(
        select(
            func.min(Photo.found_at),
            func.max(Photo.found_at),
            func.min(Photo.uploaded_at),
            func.max(Photo.uploaded_at),
        )
    ).one()
    found_from, found_to, uploaded_from, uploaded_to = (_moment(it) for it in found)
    return Facts(
        party=party.settings.name,
        preset_title=party.preset.title,
        queries=_load_queries(session),
        photos=_count(session, select(Photo.state, func.count()).group_by(Photo.state)),
        images=_count(session, select(Image.state, func.count()).group_by(Image.state)),
        discarded=_count(
            session,
            select(Annotation.discard_reason, func.count())
            .join(Image, Image.annotation_id == Annotation.id)
            .where(Image.state == ImageState.DISCARDED, Annotation.discard_reason.is_not(None))
            .group_by(Annotation.discard_reason),
        ),
        duplicates=_count(
            session,
            select(Duplicate.relation, func.count())
            .where(Duplicate.undone_at.is_(None))
            .group_by(Duplicate.relation),
        ),
        verdicts=_count(session, select(Review.verdict, func.count()).group_by(Review.verdict)),
        annotators=_load_people(session, Annotation),
        checkers=_load_people(session, Review),
        checks=_load_checks(session),
        found_from=found_from,
        found_to=found_to,
        uploaded_from=uploaded_from,
        uploaded_to=uploaded_to,
        agreement=_load_agreement(session),
    )


def _load_queries(session: Session) -> tuple[QueryFact, ...]:
    rows = session.scalars(select(Query).order_by(Query.class_name, Query.keyword, Query.id))
    return tuple(
        QueryFact(
            row.source.value,
            row.class_name,
            row.keyword,
            row.searches,
            row.matches,
            row.draws,
            row.kept,
        )
        for row in rows
    )


def _load_people(session: Session, table: type[Annotation] | type[Review]) -> PeopleFact:
    rows, secs = session.execute(
        select(func.count(), func.coalesce(func.sum(table.active_secs), 0.0))
    ).one()
    people = dict(
        session.execute(
            select(Person.is_simulated, func.count())
            .where(Person.id.in_(select(table.person_id)))
            .group_by(Person.is_simulated)
        )
        .tuples()
        .all()
    )
    hours = round(float(secs) / SECS_PER_HOUR, 2)
    return PeopleFact(sum(people.values()), people.get(True, 0), rows, hours)


def _load_checks(session: Session) -> tuple[CheckFact, ...]:
    rows = session.execute(
        select(Finding.check_name, Finding.severity, Finding.verdict, func.count())
        .group_by(Finding.check_name, Finding.severity, Finding.verdict)
        .order_by(Finding.check_name, Finding.severity)
    )
    found: dict[tuple[str, str], dict[str, int]] = {}
    for name, severity, verdict, count in rows:
        counts = found.setdefault((name, severity), {})
        counts[OPEN if verdict is None else verdict.value] = count
    return tuple(
        CheckFact(name, severity, dict(sorted(verdicts.items())))
        for (name, severity), verdicts in found.items()
    )


def _load_agreement(session: Session) -> dict[str, Any] | None:
    measured = session.get(Measurement, AGREEMENT)
    return (
        None
        if measured is None
        else {"measured at": _moment(measured.measured_at)} | measured.value
    )


def _count(session: Session, statement: Select[Any]) -> dict[str, int]:
    counted = {str(getattr(key, "value", key)): count for key, count in session.execute(statement)}
    return dict(sorted(counted.items()))


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
