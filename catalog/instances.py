"""Which party a catalogue is, and what follows from its being restored from a backup."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from sqlalchemy import exists, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from .session import Catalogue
from .tables import Instance

WORK_LASTS = timedelta(days=30)
"""For so long after a restore, people may bring work on images of which the rows are lost."""

SIGN_OF_LIFE_SECS = 20
"""A server notes so often that it serves the party."""
SERVED_FOR = timedelta(seconds=60)
"""A party whose server gave a sign of life within this time is being served."""


def name_party(catalogue: Catalogue, *, at: datetime) -> str:
    """The token that no other party has; made where there is none yet."""
    if (token := _find_token(catalogue)) is not None:
        return token
    try:
        with catalogue.writing() as session:
            session.add(Instance(id=1, token=secrets.token_hex(16), begun_at=at))
    except IntegrityError:
        pass  # another process of this party was first
    token = _find_token(catalogue)
    assert token is not None
    return token


def note_serving(catalogue: Catalogue, at: datetime | None) -> None:
    """Record that a server of the party is at work now, or that it was stopped (None)."""
    with catalogue.writing() as session:
        session.execute(update(Instance).where(Instance.id == 1).values(served_at=at))


def find_last_served(session: Session) -> datetime | None:
    """When a server of the party last gave a sign of life; None where none is at work."""
    return session.scalar(select(func.max(Instance.served_at)))


def note_restore(session: Session, *, at: datetime) -> None:
    """Record that the catalogue came back of a backup now."""
    is_first = session.scalar(select(Instance.id).limit(1)) is None
    if is_first:  # a party that was never served
        session.add(Instance(id=1, token=secrets.token_hex(16), begun_at=at))
        session.flush()
    session.execute(update(Instance).values(served_at=None))  # that was the original's server
    session.add(Instance(token=secrets.token_hex(16), is_restored=True, begun_at=at))


def was_restored(session: Session, *, at: datetime) -> bool:
    """Whether rows of work that pages still show may be lost: the party was restored lately."""
    since = Instance.begun_at > at - WORK_LASTS
    lately = exists().where(Instance.is_restored.is_(True), since)
    return bool(session.scalar(select(lately)))


def find_last_restore(session: Session) -> int:
    """The number of the row of the last restore, 0 for none.

    It is higher than every number that was given out before the restore.
    """
    restores = select(func.max(Instance.id)).where(Instance.is_restored.is_(True))
    return session.scalar(restores) or 0


def find_token(session: Session) -> str | None:
    """The token that no other party has; None for a party that was never served."""
    return session.scalar(select(Instance.token).order_by(Instance.id).limit(1))


def _find_token(catalogue: Catalogue) -> str | None:
    with catalogue.reading() as session:
        return find_token(session)
