"""Which recheck asks for which photographs: batches held by a claim, so that two share the work.

The columns are those of a download's claim, which a photo that is kept no longer needs.
"""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.session import Catalogue
from catalog.states import PhotoState, Source
from catalog.tables import Photo

from .pauses import LONGEST_ASKED_SECS, Clock

BATCH_PHOTOS = 100
LEASE = timedelta(seconds=LONGEST_ASKED_SECS + 300)
_RENEWED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class KeptPhoto:
    """A photo that is kept, and the licence that it was kept by."""

    id: int
    source_id: str
    licence_id: str | None


class Batches:
    """The batches of one recheck: of photos that Flickr was last asked for before a moment."""

    def __init__(self, catalogue: Catalogue, clock: Clock, before: datetime) -> None:
        self._catalogue, self._clock, self._before = catalogue, clock, before
        self._machine = socket.gethostname()[:40].replace("/", "_")
        self._name = f"{self._machine}/{os.getpid()}/{secrets.token_hex(4)}"
        self._renewed_at = clock.now()

    def claim(self) -> list[KeptPhoto]:
        """The next batch: those never asked for, then those asked for least lately."""
        now = self._clock.now()
        with self._catalogue.writing() as session:
            photos = self._find(session, now)
            if not photos and _free_ended(session, self._machine):
                photos = self._find(session, now)
            session.execute(
                update(Photo)
                .where(Photo.id.in_([photo.id for photo in photos]))
                .values(claimed_by=self._name, claimed_until_at=now + LEASE)
            )
        self._renewed_at = now
        return photos

    def renew(self) -> None:
        """Hold the batch for longer; nothing is written more than once a minute."""
        now = self._clock.now()
        if now - self._renewed_at >= _RENEWED_EVERY:
            self._change(claimed_until_at=now + LEASE)
            self._renewed_at = now

    def give_back(self) -> None:
        """Leave to others what is not settled."""
        self._change(claimed_by=None, claimed_until_at=None)

    def count_of_others(self) -> int:
        """How many photos are due and held by other rechecks."""
        held = Photo.claimed_until_at > self._clock.now()
        with self._catalogue.reading() as session:
            counted = select(func.count()).select_from(Photo).where(is_due(self._before), held)
            return session.scalar(counted) or 0

    def _find(self, session: Session, now: datetime) -> list[KeptPhoto]:
        is_free = or_(Photo.claimed_until_at.is_(None), Photo.claimed_until_at <= now)
        for is_next in (Photo.checked_at.is_(None), Photo.checked_at < self._before):
            rows = session.execute(
                select(Photo.id, Photo.source_id, Photo.licence_id)
                .where(is_due(self._before), is_next, is_free)
                .order_by(Photo.checked_at, Photo.id)
                .limit(BATCH_PHOTOS)
                .with_for_update(skip_locked=True)
            )
            if photos := [KeptPhoto(*row) for row in rows]:
                return photos
        return []

    def _change(self, **values: datetime | None) -> None:
        held = and_(Photo.state == PhotoState.FETCHED, Photo.claimed_by == self._name)
        with self._catalogue.writing() as session:
            session.execute(update(Photo).where(held).values(values))


def is_due(before: datetime) -> ColumnElement[bool]:
    """The condition that a kept photo of Flickr was not asked for since that moment."""
    is_old = or_(Photo.checked_at.is_(None), Photo.checked_at < before)
    return and_(Photo.state == PhotoState.FETCHED, Photo.source == Source.FLICKR, is_old)


def _free_ended(session: Session, machine: str) -> bool:
    """Whether processes of this machine have ended without a word, whose photos are free now."""
    of_machine = Photo.claimed_by.startswith(f"{machine}/", autoescape=True)
    held = and_(Photo.state == PhotoState.FETCHED, of_machine)
    names = session.scalars(select(Photo.claimed_by).where(held).distinct())
    ended = [name for name in names if name and not _is_running(int(name.split("/")[1]))]
    if ended:
        freed = update(Photo).where(held, Photo.claimed_by.in_(ended))
        session.execute(freed.values(claimed_by=None, claimed_until_at=None))
    return bool(ended)


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is another user's
        return True
    return True
