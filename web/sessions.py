"""Who is signed in, the headers of every answer, and the party's key.

A signed cookie holds a person and the digest of their link's digest, so that ending or renewing
the link ends every session that it began.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

from flask import Flask, current_app, request, session
from flask.sessions import SecureCookieSessionInterface
from flask.wrappers import Response
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer
from sqlalchemy import bindparam, delete, exists, func, select
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.refusals import SignedOutError
from catalog.sentences import say
from catalog.tables import EndedSession, Person, WordChange
from vockit.browse.headers import HEADERS
from vockit.errors import ServeError
from vockit.format.whole_file import write_whole

KEY_FILE = "session.key"
KEY_VARIABLE = "VOCPARTY_SESSION_KEY"
KEY_BYTES = 32

SEEN_EVERY_SECS = 60
CLOCKS_DIFFER_SECS = 600  # of machines that serve one party
_SIGNED_OUT = say("You are signed out. Open your personal link again.")


class PartySessions(SecureCookieSessionInterface):
    """Flask's signed cookies, sent back over https only where they came by https.

    `__Host-` keeps other hosts of the same domain from setting them (RFC 6265bis, section 4.1.3).
    """

    def get_cookie_name(self, app: Flask) -> str:
        """The cookie's name for this request."""
        name = super().get_cookie_name(app)
        return f"__Host-{name}" if request.is_secure else name

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Flask's own, which lets clocks of serving machines differ."""
        serializer = super().get_signing_serializer(app)
        if serializer is not None:
            serializer.signer = _LenientSigner
        return serializer

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether this request came by https."""
        return request.is_secure


class _LenientSigner(TimestampSigner):
    """A signer that takes what was signed by a clock ahead of this one, or before it jumped."""

    def unsign(
        self, signed_value: Any, max_age: int | None = None, return_timestamp: bool = False
    ) -> Any:
        """The value, and its time where asked for; raises SignatureExpired, BadSignature."""
        value, signed_at = super().unsign(signed_value, None, True)
        age_secs = self.get_timestamp() - signed_at.timestamp()
        if max_age is not None and age_secs > max_age:
            raise SignatureExpired("The session is over.", value, signed_at)
        return (value, signed_at) if return_timestamp else value


def begin_session(person: Person, *, at: datetime) -> None:
    """Make the answer carry a fresh session of this person."""
    session.clear()
    session.permanent = True
    token = secrets.token_urlsafe(16)
    session.update(person_id=person.id, link=_link_of(person), seen_at=at.timestamp(), token=token)


def end_session(catalogue: Session, *, at: datetime) -> None:
    """End the session here, so that a copy of its cookie opens nothing, and in the answer."""
    over = at - current_app.permanent_session_lifetime
    catalogue.execute(delete(EndedSession).where(EndedSession.ended_at < over))
    token = session.get("token")
    ended = select(EndedSession.id).where(EndedSession.token == token)
    if token and catalogue.scalar(ended) is None:
        catalogue.add(EndedSession(token=token, ended_at=at))
    session.clear()


def require_session() -> None:
    """Raise SignedOutError where the request brings no session."""
    if not session.keys() >= {"person_id", "link", "seen_at", "token"}:
        raise SignedOutError(_SIGNED_OUT)


_VISITOR = select(  # with every request, so made once
    Person, select(func.coalesce(func.max(WordChange.id), 0)).scalar_subquery()
).where(
    Person.id == bindparam("person_id"),
    Person.ended_at.is_(None),
    ~exists().where(EndedSession.token == bindparam("token")),
)


def get_visitor(catalogue: Session) -> tuple[Person, int]:
    """The person of the session, and the number of the newest change of classes, 0 without one.

    Raises SignedOutError where the session or the link was ended.
    """
    asked = {"person_id": session["person_id"], "token": session["token"]}
    row = catalogue.execute(_VISITOR, asked).one_or_none()
    if row is None or _link_of(row[0]) != session["link"]:
        raise SignedOutError(_SIGNED_OUT)
    person: Person = row[0]
    return person, row[1]


def note_seen(person: Person, *, at: datetime, is_change: bool) -> None:
    """Note once a minute that the person is here, in the cookie, which lives on anew.

    A request that changes something notes it in the catalogue too; one that reads takes no lock.
    """
    secs = at.timestamp() - session["seen_at"]
    if secs >= SEEN_EVERY_SECS or secs < -CLOCKS_DIFFER_SECS:
        session["seen_at"] = at.timestamp()
    is_due = person.seen_at is None or (at - person.seen_at).total_seconds() >= SEEN_EVERY_SECS
    if is_change and is_due:
        person.seen_at = at


def _link_of(person: Person) -> str:
    return digest_of(person.credential_sha256.encode())


def load_secret_key(folder: Path) -> str:
    """The party's key, made at the first start; processes that make it at once get the same."""
    path = folder / KEY_FILE
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if key and len(key) < KEY_BYTES:
        raise ServeError(f"{KEY_VARIABLE} is too short. Use at least {KEY_BYTES} characters.")
    if not key:
        if not path.exists():  # a whole new file goes under the name, unless there is one by now
            new_path = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
            write_whole(new_path, f"{secrets.token_hex(KEY_BYTES)}\n".encode(), mode=0o600)
            with contextlib.suppress(FileExistsError):
                os.link(new_path, path)
            new_path.unlink()
        key = path.read_text(encoding="ascii", errors="replace").strip()
    if len(key) < KEY_BYTES:
        raise ServeError(
            f"{path} contains no session key. Delete it; everyone then signs in again."
        )
    return key


def add_headers(response: Response) -> Response:
    """The answer with the headers of every answer; not to be stored unless its view says so."""
    response.headers.update(HEADERS)
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = "max-age=31536000"
    response.headers.setdefault("Cache-Control", "no-store")
    return response
