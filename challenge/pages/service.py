"""What a request to the challenge works with: it, and the visit of a team or an organiser."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from flask import current_app, session
from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from catalog.refusals import ForbiddenError, RefusedError, SignedOutError
from catalog.sentences import say
from catalog.session import Catalogue
from challenge.folder import Challenge
from challenge.tables import EndedSession, Organiser, Team
from vockit.format.whole_file import digest_of
from web import sessions
from web.access import Access
from web.opened_for import OpenedFor, require_same
from web.service import SERVICE, Service


class Role(StrEnum):
    """Who signs in: a team, or one who runs the challenge."""

    TEAM = "team"
    ORGANISER = "organiser"


Owner = Team | Organiser
_TABLES: dict[str, type[Team] | type[Organiser]] = {Role.TEAM: Team, Role.ORGANISER: Organiser}
_NOT_FOR = {
    Role.TEAM: say("This page is for organisers."),
    Role.ORGANISER: say("This page is for teams."),
}
_UNKNOWN_LINK = say("This link is not known, or it was renewed or ended.")
_OTHER_CHALLENGE = say(
    "This page was opened for another challenge, which was at this address before. Nothing was "
    "changed. Reload the page."
)
_OTHER_TEAM = say(
    "Another team signed in in this browser since this page was opened. Nothing was changed. "
    "Reload the page."
)


@dataclass(frozen=True)
class ChallengeVisit:
    """Who asks, of which challenge, when, in which transaction."""

    challenge: Challenge
    session: Session
    owner: Owner
    at: datetime
    tokens: Callable[[], str]

    @property
    def team_id(self) -> int:
        """The number of the team that asks."""
        assert isinstance(self.owner, Team)
        return self.owner.id


@dataclass(frozen=True, kw_only=True)
class ChallengeService(Service):
    """A challenge being served; `challenge_id` tells it from others at the same address."""

    challenge: Challenge
    challenge_id: str

    @property
    def catalogue(self) -> Catalogue:
        """The challenge's database."""
        return self.challenge.catalogue

    @property
    def url(self) -> str:
        """The url of challenge.toml."""
        return self.challenge.settings.url

    @property
    def metrics_from(self) -> Collection[str]:
        """The machine itself alone."""
        return ("127.0.0.1", "::1")

    @contextmanager
    def visiting(
        self, access: Access, opened_for: OpenedFor | RefusedError | None, *, is_change: bool
    ) -> Iterator[ChallengeVisit]:
        """The visit of an admitted team or organiser; only a change takes the write lock."""
        at = self.now()
        link = sessions.find_link() if access.takes_link else None
        with self.catalogue.writing() if is_change else self.catalogue.reading() as database:
            owner = get_visitor(database) if link is None else get_owner(database, link)
            if link is None:
                require_same(
                    owner.id,
                    self.challenge_id,
                    opened_for,
                    other_party=_OTHER_CHALLENGE,
                    other_person=_OTHER_TEAM,
                )
            if owner.role not in access.roles:
                raise ForbiddenError(_NOT_FOR[Role(owner.role)])
            is_due = link is None and sessions.note_seen(owner, at=at)
            yield ChallengeVisit(self.challenge, database, owner, at, self.tokens)
            if is_due and is_change:
                owner.seen_at = at

    def finish(self, visit: ChallengeVisit) -> None:
        """Nothing is left to do."""


def current_service() -> ChallengeService:
    """The service of the application that answers this request."""
    service: ChallengeService = current_app.extensions[SERVICE]
    return service


def get_visitor(database: Session) -> Owner:
    """Whose session it is; raises SignedOutError where it or its link was ended."""
    table = _TABLES.get(session.get("role", ""))
    if table is None:
        raise SignedOutError(_UNKNOWN_LINK)
    is_ended = exists().where(EndedSession.token == sessions.get_session_token())
    query = select(table).where(
        table.id == sessions.get_person_id(), table.credential_sha256.is_not(None), ~is_ended
    )
    owner: Any = database.scalar(query)
    visitor: Owner = sessions.require_owner(owner)
    return visitor


def find_visitor(database: Session) -> Owner | None:
    """Who is signed in, on a page that everyone may read; or None."""
    try:
        sessions.require_session()
        return get_visitor(database)
    except SignedOutError:
        return None


def get_owner(database: Session, token: str) -> Owner:
    """Whose link carries the token; raises SignedOutError for any other text."""
    digest = digest_of(token.encode())
    for table in _TABLES.values():
        owner: Any = database.scalar(select(table).where(table.credential_sha256 == digest))
        if owner is not None:
            visitor: Owner = owner
            return visitor
    raise SignedOutError(_UNKNOWN_LINK)


def end_session(database: Session, *, at: datetime) -> None:
    """End the session here, so that a copy of its cookie opens nothing, and in the answer."""
    over = at - current_app.permanent_session_lifetime
    database.execute(delete(EndedSession).where(EndedSession.ended_at < over))
    token = sessions.end_session()
    known = select(EndedSession.id).where(EndedSession.token == token)
    if token and database.scalar(known) is None:
        database.add(EndedSession(token=token, ended_at=at))
