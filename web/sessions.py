"""Who is signed in, the headers of every answer, and the party's key.

A signed cookie holds a person, their role and the digest of their link's digest. So ending or
renewing the link, or changing the role, ends every session that began before.
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
from sqlalchemy import bindparam, delete, exists, func, select, update
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
_NEW_ROLE = say("Your role was changed. Open your personal link again.")


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
    session.update(
        person_id=person.id,
        role=person.role.value,
        link=_link_of(person),
        seen_at=at.timestamp(),
        token=token,
    )


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
    if not session.keys() >= {"person_id", "role", "link", "seen_at", "token"}:
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

    Raises SignedOutError where the session or the link was ended, or the role changed since.
    """
    asked = {"person_id": session["person_id"], "token": session["token"]}
    row = catalogue.execute(_VISITOR, asked).one_or_none()
    if row is None or _link_of(row[0]) != session["link"]:
        raise SignedOutError(_SIGNED_OUT)
    person: Person = row[0]
    if person.role.value != session["role"]:
        raise SignedOutError(_NEW_ROLE)
    return person, row[1]


def get_person_id() -> int:
    """The number of the person whose session it is."""
    return int(session["person_id"])


def note_seen(person: Person, *, at: datetime) -> bool:
    """Note once a minute that the person is here, in the cookie, which lives on anew.

    Returns whether it is time to note it in the catalogue too, which a request that only reads does
    not, as it takes no lock.
    """
    secs = at.timestamp() - session["seen_at"]
    if _is_to_note(secs):
        session["seen_at"] = at.timestamp()
    return person.seen_at is None or _is_to_note((at - person.seen_at).total_seconds())


def _is_to_note(secs: float) -> bool:
    """Whether a note that old is renewed; so is one of a clock that was ahead."""
    return secs >= SEEN_EVERY_SECS or secs < -CLOCKS_DIFFER_SECS


def keep_seen_at(catalogue: Session, person_id: int, at: datetime) -> None:
    """Write when the person was here, unless another transaction is busy with their row."""
    free = select(Person.id).where(Person.id == person_id)
    free = free.with_for_update(key_share=True, skip_locked=True)
    seen = update(Person).where(Person.id == free.scalar_subquery()).values(seen_at=at)
    catalogue.execute(seen.execution_options(synchronize_session=False))


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
