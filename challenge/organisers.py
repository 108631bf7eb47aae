"""Organisers: they sign in by a personal link, as teams do."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.refusals import NotFoundError
from catalog.sentences import say
from vockit.format.whole_file import digest_of

from .tables import Organiser
from .teams import MOST_NAME, clean_line


def add(session: Session, name: str, *, token: str, now: datetime) -> Organiser:
    """The organiser of this name, whose link has the token; an earlier link of theirs ends."""
    name = clean_line(name, "name", MOST_NAME)
    organiser = session.scalar(select(Organiser).where(Organiser.name == name))
    if organiser is None:
        organiser = Organiser(name=name, added_at=now)
        session.add(organiser)
    organiser.credential_sha256 = digest_of(token.encode())
    session.flush()
    return organiser


def end(session: Session, name: str) -> None:
    """Let the link of an organiser open nothing; raises NotFoundError for a name that is none."""
    organiser = session.scalar(select(Organiser).where(Organiser.name == name))
    if organiser is None:
        raise NotFoundError(say("There is no organiser {name}.", name=name))
    organiser.credential_sha256 = None


def list_organisers(session: Session) -> Sequence[Organiser]:
    """All organisers by name."""
    return session.scalars(select(Organiser).order_by(Organiser.name)).all()
