"""Caps for each owner and day, and owners who asked to be left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from catalog.settings import CollectSettings
from catalog.states import SEARCHED, PhotoState
from catalog.tables import BlockedOwner, Photo

from .results import FoundPhoto
from .rows import insert_new


def block_owners(session: Session, owner_ids: Iterable[str], *, reason: str, at: datetime) -> int:
    """How many owners are blocked from now on that were not before; the first reason stays."""
    rows = [
        {"owner_id": owner_id, "reason": reason, "blocked_at": at}
        for owner_id in sorted(set(owner_ids))
    ]
    return len(insert_new(session, BlockedOwner, rows, ("owner_id",)))


def load_blocks(session: Session, owner_ids: Iterable[str]) -> dict[str, str]:
    """Those of the owners that are blocked, each with the reason."""
    is_asked = BlockedOwner.owner_id.in_(set(owner_ids))
    found = session.execute(select(BlockedOwner.owner_id, BlockedOwner.reason).where(is_asked))
    return dict(found.tuples().all())


def load_all_blocks(session: Session) -> list[BlockedOwner]:
    """Every blocked owner, by id."""
    return list(session.scalars(select(BlockedOwner).order_by(BlockedOwner.owner_id)))


_LOCK_NUMBER = 2007_31  # any number that nothing else locks


@dataclass
class Room:
    """What owners have already, against the caps, and who is left out."""

    settings: CollectSettings
    owners: Counter[str] = field(default_factory=Counter)
    days: Counter[tuple[str, str]] = field(default_factory=Counter)
    blocked: frozenset[str] = frozenset()

    def admits(self, photo: FoundPhoto) -> bool:
        """Whether its owner, and the owner's day, have room for one more."""
        return (
            photo.owner_id not in self.blocked
            and self.owners[photo.owner_id] < self.settings.photos_per_owner
            and self.days[photo.owner_id, self._find_day(photo)]
            < self.settings.photos_per_owner_and_day
        )

    def take(self, photo: FoundPhoto | Photo) -> None:
        """Count one more."""
        owner_id = photo.owner_id or ""
        self.owners[owner_id] += 1
        self.days[owner_id, self._find_day(photo)] += 1

    def _find_day(self, photo: FoundPhoto | Photo) -> str:
        """The day that it counts for: of its upload in UTC, or as its camera says."""
        if self.settings.dates == "taken" and photo.taken_at_text and not photo.taken_at_unknown:
            return photo.taken_at_text[:10]
        return f"{photo.uploaded_at:%Y-%m-%d}" if photo.uploaded_at else ""


def load_room(session: Session, owner_ids: Iterable[str], settings: CollectSettings) -> Room:
    """The room that these owners have left; photos that were lost take none."""
    owner_ids = set(owner_ids)
    room = Room(settings, blocked=frozenset(load_blocks(session, owner_ids)))
    # By owner alone: with a state or source SQLite takes their index and reads all rows.
    for photo in session.scalars(select(Photo).where(Photo.owner_id.in_(owner_ids))):
        if photo.state in (PhotoState.FOUND, PhotoState.FETCHED) and photo.source in SEARCHED:
            room.take(photo)
    return room


def choose_within(photos: Iterable[FoundPhoto], room: Room, count: int) -> list[FoundPhoto]:
    """The first `count` of the photos that the caps admit, each counted as it is chosen."""
    chosen: list[FoundPhoto] = []
    for photo in photos:
        if room.admits(photo):
            room.take(photo)
            chosen.append(photo)
        if len(chosen) == count:
            break
    return chosen


def lock_caps(session: Session) -> None:
    """Let no other transaction choose photographs until this one ends, so that caps hold."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})
