"""Rows of queries and of found photos, each inserted once; caps for each owner and day."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, func, select, text, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.licences import Licence, is_kept
from catalog.session import in_parts, insert_or_keep
from catalog.settings import CollectSettings
from catalog.states import SEARCHED, PhotoState, Source
from catalog.tables import Base, BlockedOwner, Photo, Query

from .results import FoundPhoto
from .strata import Keyword, Window


def insert_new(
    session: Session, table: type[Base], rows: Sequence[Mapping[str, Any]], unique: Sequence[str]
) -> dict[Any, Any]:
    """The primary keys of the rows that were new, by the last of their unique columns.

    Give rows in their order: of two transactions with the same rows, one waits for the other.
    """
    if not rows:
        return {}
    # Statements on the table cost a fraction of those on the class.
    made = table.__table__
    assert isinstance(made, Table)
    (key,) = made.primary_key
    new = insert_or_keep(session, made, unique)
    inserted = session.execute(new.returning(made.c[unique[-1]], key), [dict(row) for row in rows])
    return dict(inserted.tuples().all())


def slices(
    column: InstrumentedAttribute[Any], values: Iterable[Any]
) -> Iterator[ColumnElement[bool]]:
    """Conditions that are true of all values together, each of few enough for a database."""
    return (column.in_(some) for some in in_parts(sorted(values), 500))


def load_keywords(
    session: Session,
    classes: Mapping[str, Sequence[str]],
    ids: Mapping[str, str],
    source: Source = Source.FLICKR,
) -> dict[str, tuple[Keyword, ...]]:
    """The keywords of each class in their order, each with a row, which is made where missing.

    `ids` are those of the classes by their names. A keyword of a class that was merged into one of
    them goes on in its row, unless the class has it too.
    """
    ordered = {name: sorted(set(keywords)) for name, keywords in sorted(classes.items())}
    known = _load_queries(session, ordered, ids, source)
    wanted = [
        {"source": source, "class_id": ids[name], "keyword": keyword}
        for name, keywords in ordered.items()
        for keyword in keywords
        if (name, keyword) not in known
    ]
    insert_new(session, Query, wanted, ("source", "class_id", "keyword"))
    return plan_keywords(session, classes, ids, source)


def plan_keywords(
    session: Session,
    classes: Mapping[str, Sequence[str]],
    ids: Mapping[str, str],
    source: Source = Source.FLICKR,
) -> dict[str, tuple[Keyword, ...]]:
    """The keywords of each class in their order; without a row they are numbered -1, -2, ..."""
    ordered = {name: sorted(set(keywords)) for name, keywords in sorted(classes.items())}
    known = _load_queries(session, ordered, ids, source)
    numbers = itertools.count(1)
    return {
        name: tuple(
            known.get((name, keyword)) or Keyword(-next(numbers), name, keyword)
            for keyword in keywords
        )
        for name, keywords in ordered.items()
    }


def _load_queries(
    session: Session, names: Iterable[str], ids: Mapping[str, str], source: Source
) -> dict[tuple[str, str], Keyword]:
    """The row of each class and keyword; of several, as after a merge, the class's own."""
    rows = session.execute(
        select(Query.id, Query.class_name, Query.keyword, Query.class_id)
        .where(Query.source == source, Query.class_name.in_(sorted(names)))
        .order_by(Query.id)
    )
    queries: dict[tuple[str, str], Keyword] = {}
    for query_id, name, keyword, class_id in rows.tuples():
        if (name, keyword) not in queries or class_id == ids[name]:
            queries[name, keyword] = Keyword(query_id, name, keyword)
    return queries


def count_draw(session: Session, query_id: int, searches: int, matches: int) -> None:
    """Add one draw to a query's counters: its calls, and the matches that were claimed last."""
    added = {"searches": Query.searches + searches, "matches": Query.matches + matches}
    counted = update(Query).where(Query.id == query_id).values(**added, draws=Query.draws + 1)
    session.execute(counted.execution_options(synchronize_session=False))


def load_draw_count(session: Session) -> int:
    """How many draws were ever made; the next one has this number."""
    return session.scalar(select(func.sum(Query.draws))) or 0


@dataclass(frozen=True)
class Finding:
    """Which search found a photo: query, window (None: without dates), page, and when."""

    query_id: int
    window: Window | None
    page: int
    found_at: datetime


def find_unfit(
    photo: FoundPhoto,
    licences: Mapping[str, Licence],
    min_side_px: int,
    *,
    is_listed: bool = False,
) -> str:
    """Why a photo is not to be downloaded, empty where it is: kind of file, licence, size.

    A table where it `is_listed` tells no size, and may tell no licence.
    """
    if photo.unfit:
        return photo.unfit
    if photo.licence is None and not is_listed:
        return "no licence is named"
    if photo.licence is not None and not is_kept(photo.licence, licences):
        return f"its licence {photo.licence.name} is not among collect.licences"
    if photo.image_url is None:
        return "no address of a picture"
    is_small = min(photo.promised_width or 0, photo.promised_height or 0) < min_side_px
    return f"smaller than {min_side_px} pixels" if is_small and not is_listed else ""


def load_known_ids(session: Session, source: Source, source_ids: Collection[str]) -> set[str]:
    """Those of the source's ids that have a row already, whatever became of the photo."""
    is_known = Photo.source == source, Photo.source_id.in_(source_ids)
    return set(session.scalars(select(Photo.source_id).where(*is_known)))


def insert_found(
    session: Session, photos: Sequence[FoundPhoto], finding: Finding, source: Source = Source.FLICKR
) -> int:
    """How many of the photos were new; each gets one row, in state `found`."""
    window = finding.window
    rows = []
    origin = {
        "source": source,
        "state": PhotoState.FOUND,
        "query_id": finding.query_id,
        "window_start_at": window.start if window else None,
        "window_end_at": window.end if window else None,
        "result_page": finding.page,
        "found_at": finding.found_at,
    }
    for photo in sorted(photos, key=lambda photo: photo.source_id):
        details = {
            name: value for name, value in vars(photo).items() if name not in ("unfit", "licence")
        }
        licence = {f"licence_{field.name}": None for field in fields(Licence)}
        if photo.licence is not None:
            licence = {f"licence_{name}": value for name, value in vars(photo.licence).items()}
        rows.append(details | {"owner_id": photo.owner_id or None} | licence | origin)
    return len(insert_new(session, Photo, rows, ("source", "source_id")))


def load_blocks(session: Session, owner_ids: Iterable[str]) -> dict[str, str]:
    """Those of the owners that are blocked, each with the reason."""
    is_asked = BlockedOwner.owner_id.in_(set(owner_ids))
    blocks = session.execute(select(BlockedOwner.owner_id, BlockedOwner.reason).where(is_asked))
    return dict(blocks.tuples().all())


_LOCK_NUMBER = 2007_31  # any number that nothing else locks


@dataclass
class Room:
    """What owners have already, against the caps, and who is left out."""

    settings: CollectSettings
    owners: Counter[str] = field(default_factory=Counter)
    days: Counter[tuple[str, str]] = field(default_factory=Counter)
    blocked: frozenset[str] = frozenset()

    def admits(self, photo: FoundPhoto | Photo) -> bool:
        """Whether its owner, and the owner's day, have room for one more.

        What is not known, an owner or a day, limits nothing.
        """
        owner_id = photo.owner_id or ""
        day = self._find_day(photo)
        has_room_that_day = (
            not day or self.days[owner_id, day] < self.settings.photos_per_owner_and_day
        )
        return not owner_id or (
            owner_id not in self.blocked
            and self.owners[owner_id] < self.settings.photos_per_owner
            and has_room_that_day
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
