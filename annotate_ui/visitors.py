"""The rows of who visits: the person of a session, sessions that were ended, when people came."""

from __future__ import annotations

from datetime import datetime

from flask import current_app
from sqlalchemy import bindparam, delete, exists, func, select, update
from sqlalchemy.orm import Session

from catalog.tables import EndedSession, Person, WordChange
from web import sessions

_VISITOR = select(  # with every request, so made once
    Person, select(func.coalesce(func.max(WordChange.id), 0)).scalar_subquery()
).where(
    Person.id == bindparam("person_id"),
    Person.ended_at.is_(None),
    ~exists().where(EndedSession.token == bindparam("token")),
)


def get_visitor(catalogue: Session) -> tuple[Person, int]:
    """The person of the session, and the number of the newest change of classes, 0 without one.

    Raises SignedOutError where the session or the link was ended, or the role changed since.
    """
    asked = {"person_id": sessions.get_person_id(), "token": sessions.get_session_token()}
    row = catalogue.execute(_VISITOR, asked).one_or_none()
    person, classes_number = (None, 0) if row is None else (row[0], row[1])
    return sessions.require_owner(person), classes_number


def end_session(catalogue: Session, *, at: datetime) -> None:
    """End the session here, so that a copy of its cookie opens nothing, and in the answer."""
    over = at - current_app.permanent_session_lifetime
    catalogue.execute(delete(EndedSession).where(EndedSession.ended_at < over))
    token = sessions.end_session()
    ended = select(EndedSession.id).where(EndedSession.token == token)
    if token and catalogue.scalar(ended) is None:
        catalogue.add(EndedSession(token=token, ended_at=at))


def keep_seen_at(catalogue: Session, person_id: int, at: datetime) -> None:
    """Write when the person was here, unless another transaction is busy with their row."""
    free = select(Person.id).where(Person.id == person_id)
    free = free.with_for_update(key_share=True, skip_locked=True)
    seen = update(Person).where(Person.id == free.scalar_subquery()).values(seen_at=at)
    catalogue.execute(seen.execution_options(synchronize_session=False))
