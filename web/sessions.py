"""Who is signed in, the headers of every answer, and the key of sessions.

A signed cookie holds a person, their role and the digest of their link's digest. So ending or
renewing the link, or changing the role, ends every session that began before.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from flask import Flask, request, session
from flask.sessions import SecureCookieSessionInterface
from flask.wrappers import Response
from itsdangerous import SignatureExpired, TimestampSigner, URLSafeTimedSerializer

from catalog.image_store import digest_of
from catalog.refusals import SignedOutError
from catalog.sentences import say
from vockit.browse.headers import HEADERS
from vockit.errors import ServeError
from vockit.format.whole_file import write_whole

KEY_FILE = "session.key"
KEY_VARIABLE = "VOCPARTY_SESSION_KEY"
KEY_BYTES = 32

SEEN_EVERY_SECS = 60
CLOCKS_DIFFER_SECS = 600  # of machines that serve one database
_SIGNED_OUT = say("You are signed out. Open your personal link again.")
_NO_KEY = say(
    "You are signed out. Open your personal link again. A program sends the header Authorization: "
    "Bearer TOKEN, with what stands behind /enter/ in the link."
)
_NEW_ROLE = say("Your role was changed. Open your personal link again.")


class LinkOwner(Protocol):
    """Whose session it is: a row that a personal link opens."""

    @property
    def id(self) -> Any:
        """Its number."""

    @property
    def role(self) -> Any:
        """What it may do."""

    @property
    def credential_sha256(self) -> Any:
        """The digest of the token in its link."""

    @property
    def seen_at(self) -> Any:
        """When it last came, or None."""


T = TypeVar("T", bound=LinkOwner)


class SignedSessions(SecureCookieSessionInterface):
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


def begin_session(owner: LinkOwner, *, at: datetime) -> None:
    """Make the answer carry a fresh session of this person."""
    session.clear()
    session.permanent = True
    token = secrets.token_urlsafe(16)
    session.update(
        person_id=owner.id,
        role=str(owner.role),
        link=_link_of(owner),
        seen_at=at.timestamp(),
        token=token,
    )


def end_session() -> str | None:
    """End the session in the answer; returns its token, which the server shall open no more."""
    token: str | None = session.get("token")
    session.clear()
    return token


def require_session(*, takes_link: bool = False) -> None:
    """Raise SignedOutError where the request brings no session.

    Where the address `takes_link`, it says what a program sends.
    """
    if not session.keys() >= {"person_id", "role", "link", "seen_at", "token"}:
        raise SignedOutError(_NO_KEY if takes_link else _SIGNED_OUT)


def get_session_token() -> str:
    """The name of this session, by which it was ended or not."""
    return str(session["token"])


def require_owner(owner: T | None) -> T:
    """The person whose session it is.

    Raises SignedOutError unless the session began by this link and in this role.
    """
    if owner is None or _link_of(owner) != session["link"]:
        raise SignedOutError(_SIGNED_OUT)
    if str(owner.role) != session["role"]:
        raise SignedOutError(_NEW_ROLE)
    return owner


def find_link() -> str | None:
    """The personal link's token of a program's request (RFC 6750), or None.

    The whole link is taken too; no token has a slash.
    """
    given = request.authorization
    if given is None or given.type != "bearer" or not given.token:
        return None
    return given.token.rstrip("/").rpartition("/")[2] or None


def get_person_id() -> int:
    """The number of the person whose session it is."""
    return int(session["person_id"])


def note_seen(owner: LinkOwner, *, at: datetime) -> bool:
    """Note once a minute that the person is here, in the cookie, which lives on anew.

    Returns whether it is time to note it in the catalogue too, which a request that only reads does
    not, as it takes no lock.
    """
    secs = at.timestamp() - session["seen_at"]
    if _is_to_note(secs):
        session["seen_at"] = at.timestamp()
    return owner.seen_at is None or _is_to_note((at - owner.seen_at).total_seconds())


def _is_to_note(secs: float) -> bool:
    """Whether a note that old is renewed; so is one of a clock that was ahead."""
    return secs >= SEEN_EVERY_SECS or secs < -CLOCKS_DIFFER_SECS


def _link_of(owner: LinkOwner) -> str:
    return digest_of(owner.credential_sha256.encode())


def load_secret_key(folder: Path, variable: str = KEY_VARIABLE) -> str:
    """The key that this variable of the environment has, else the folder's.

    The file is made at the first start; processes that make it at once get the same.
    """
    path = folder / KEY_FILE
    key = os.environ.get(variable, "").strip()
    if key and len(key) < KEY_BYTES:
        raise ServeError(f"{variable} is too short. Use at least {KEY_BYTES} characters.")
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
