"""At most so many photographs of one owner, and of one owner's one day.

Owners post bursts: the main source of near-duplicates, and of a few people's taste in a dataset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, select, text
from sqlalchemy.orm import Session

from catalog.settings import CollectSettings
from catalog.states import PhotoState, Source
from catalog.tables import Photo, as_table

from .among import dialect_of, is_among, pack
from .blocks import load_blocks
from .results import FoundPhoto

_COUNTED = (PhotoState.FOUND, PhotoState.FETCHED)
_LOCK_NUMBER = 2007_31  # any number that nothing else locks


@dataclass(frozen=True)
class Caps:
    """How many photographs may be of one owner, and of one day of an owner."""

    per_owner: int
    per_owner_and_day: int
    is_by_taken: bool = False


@dataclass
class Room:
    """What owners have already, against the caps, and who is left out."""

    caps: Caps
    owners: Counter[str] = field(default_factory=Counter)
    days: Counter[tuple[str, str]] = field(default_factory=Counter)
    blocked: frozenset[str] = frozenset()

    def admits(self, photo: FoundPhoto) -> bool:
        """Whether its owner, and the owner's day, have room for one more."""
        return (
            photo.owner_id not in self.blocked
            and self.owners[photo.owner_id] < self.caps.per_owner
            and self.days[photo.owner_id, self._day(photo)] < self.caps.per_owner_and_day
        )

    def take(self, photo: FoundPhoto) -> None:
        """Count one more."""
        self.owners[photo.owner_id] += 1
        self.days[photo.owner_id, self._day(photo)] += 1

    def _day(self, photo: FoundPhoto) -> str:
        taken = None if photo.taken_at_unknown else photo.taken_at_text
        return find_day(photo.uploaded_at, taken, is_by_taken=self.caps.is_by_taken)


def caps_of(settings: CollectSettings) -> Caps:
    """The caps that the settings give."""
    return Caps(
        settings.photos_per_owner, settings.photos_per_owner_and_day, settings.dates == "taken"
    )


def find_day(uploaded_at: datetime | None, taken_text: str | None, *, is_by_taken: bool) -> str:
    """The day that a photograph counts for: of its upload in UTC, or as its camera says."""
    if is_by_taken and taken_text:
        return taken_text[:10]
    return f"{uploaded_at:%Y-%m-%d}" if uploaded_at else ""


def load_room(session: Session, owner_ids: Iterable[str], caps: Caps) -> Room:
    """The room that these owners have left; photos that were lost take none."""
    owner_ids, dialect = set(owner_ids), dialect_of(session)
    given = {"owners": pack(dialect, owner_ids)}
    rows = session.connection().execute(_select_theirs(dialect), given)
    room = Room(caps, blocked=frozenset(load_blocks(session, owner_ids)))
    for owner_id, uploaded_at, taken_text, is_unknown, state, source in rows:
        if state not in _COUNTED or source is not Source.FLICKR:
            continue
        taken = None if is_unknown else taken_text
        day = find_day(uploaded_at, taken, is_by_taken=caps.is_by_taken)
        room.owners[owner_id] += 1
        room.days[owner_id, day] += 1
    return room


@cache
def _select_theirs(dialect: str) -> Select[Any]:
    """By owner alone: with a state or source SQLite takes their index and reads all rows."""
    photo = as_table(Photo)
    return select(
        photo.c.owner_id,
        photo.c.uploaded_at,
        photo.c.taken_at_text,
        photo.c.taken_at_unknown,
        photo.c.state,
        photo.c.source,
    ).where(is_among(dialect, photo.c.owner_id, "owners"))


def choose_within(photos: Sequence[FoundPhoto], room: Room, count: int) -> list[FoundPhoto]:
    """The first `count` of the photos that the caps admit, each counted as it is chosen."""
    chosen: list[FoundPhoto] = []
    for photo in photos:
        if len(chosen) < count and room.admits(photo):
            room.take(photo)
            chosen.append(photo)
    return chosen


def lock_caps(session: Session) -> None:
    """Let no other transaction choose photographs until this one ends, so that caps hold.

    SQLite's writers are alone anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})
