"""Who is signed in: a signed cookie that holds a person and the link they came by.

The cookie names the digest of the link's digest, so that ending or renewing the link ends every
session that it began.
"""

from __future__ import annotations

from datetime import datetime

from flask import Flask, request, session
from flask.sessions import SecureCookieSessionInterface
from sqlalchemy import or_, update
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.tables import Person

from .errors import SignedOutError

SEEN_EVERY_SECS = 60
_SIGNED_OUT = "You are signed out; open your personal link again."


class PartySessions(SecureCookieSessionInterface):
    """Flask's signed cookies, sent back over https only where they came by https."""

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether this request came by https."""
        return request.is_secure


def begin_session(person: Person, *, at: datetime) -> None:
    """Make the answer carry a fresh session of this person."""
    session.clear()
    session.permanent = True
    session.update(person_id=person.id, link=_link_of(person), seen_at=at.timestamp())


def end_session() -> None:
    """Make the answer take the session away."""
    session.clear()


def require_session() -> None:
    """Raise SignedOutError where the request brings no session."""
    if not session.keys() >= {"person_id", "link", "seen_at"}:
        raise SignedOutError(_SIGNED_OUT)


def is_seen_long_ago(at: datetime) -> bool:
    """Whether it is time to note again that the person of the session is here."""
    return bool(abs(at.timestamp() - session["seen_at"]) >= SEEN_EVERY_SECS)


def get_visitor(catalogue: Session) -> Person:
    """The person of the session; raises SignedOutError where the link was ended or renewed."""
    person = catalogue.get(Person, session["person_id"])
    if person is None or person.ended_at is not None or _link_of(person) != session["link"]:
        raise SignedOutError(_SIGNED_OUT)
    return person


def note_seen(catalogue: Session, person: Person, *, at: datetime) -> None:
    """Note that the person is here, in the catalogue and in the cookie, which lives on anew."""
    statement = update(Person).where(
        Person.id == person.id, or_(Person.seen_at.is_(None), Person.seen_at < at)
    )
    catalogue.execute(statement.values(seen_at=at))
    session["seen_at"] = at.timestamp()


def _link_of(person: Person) -> str:
    return digest_of(person.credential_sha256.encode())
