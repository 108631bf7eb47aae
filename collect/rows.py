"""Rows of queries and of found photos, each inserted once by all processes together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.states import PhotoState, Source
from catalog.tables import Base, Photo, Query, as_table

from .licences import Licence
from .results import FoundPhoto
from .sampling import Keyword, Window


def insert_new(
    session: Session, table: type[Base], rows: Sequence[Mapping[str, Any]], unique: Sequence[str]
) -> dict[Any, Any]:
    """The primary keys of the rows that were new, by the last of their unique columns.

    Rows whose unique columns exist already are left alone. Give rows in the order of their unique
    columns: of two transactions that insert the same rows, one then waits for the other.
    """
    if not rows:
        return {}
    dialect, made = session.get_bind().dialect.name, as_table(table)
    insert: Any = postgresql.insert if dialect == "postgresql" else sqlite.insert
    (key,) = made.primary_key
    statement = (
        insert(made)
        .on_conflict_do_nothing(index_elements=unique)
        .returning(made.c[unique[-1]], key)
    )
    return dict(session.execute(statement, [dict(row) for row in rows]).tuples().all())


_SLICE = 500


def slices(
    column: InstrumentedAttribute[Any], values: Iterable[Any]
) -> Iterator[ColumnElement[bool]]:
    """Conditions that are true of all values together, each of few enough for a database."""
    in_order = sorted(values)
    for begin in range(0, len(in_order), _SLICE):
        yield column.in_(in_order[begin : begin + _SLICE])


def seed_queries(session: Session, classes: Mapping[str, Sequence[str]]) -> None:
    """Make a row for each keyword of each class that has none yet."""
    rows = [
        {"source": Source.FLICKR, "class_name": class_name, "keyword": keyword}
        for class_name, keywords in sorted(classes.items())
        for keyword in sorted(set(keywords))
    ]
    insert_new(session, Query, rows, ("source", "class_name", "keyword"))


def load_keywords(
    session: Session, classes: Mapping[str, Sequence[str]]
) -> dict[str, tuple[Keyword, ...]]:
    """The keywords of each class that have a row, in the order of their keywords."""
    rows = session.execute(
        select(Query.id, Query.class_name, Query.keyword)
        .where(Query.source == Source.FLICKR, Query.class_name.in_(sorted(classes)))
        .order_by(Query.class_name, Query.keyword)
    )
    found = [Keyword(*row) for row in rows]
    return {
        name: tuple(one for one in found if one.class_name == name and one.text in keywords)
        for name, keywords in sorted(classes.items())
    }


def count_draw(session: Session, query_id: int, searches: int, matches: int) -> None:
    """Add one draw to a query's counters: its calls, and the matches that Flickr claimed last."""
    session.execute(
        update(Query)
        .where(Query.id == query_id)
        .values(
            searches=Query.searches + searches,
            matches=Query.matches + matches,
            draws=Query.draws + 1,
        )
        .execution_options(synchronize_session=False)
    )


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


def is_wanted(photo: FoundPhoto, licences: Mapping[str, Licence], min_side_px: int) -> bool:
    """Whether a photo is to be downloaded: a photograph, large enough, of a kept licence."""
    if photo.image_url is None or not photo.is_photograph or photo.licence_id not in licences:
        return False
    return min(photo.promised_width or 0, photo.promised_height or 0) >= min_side_px


def load_known_ids(session: Session, source_ids: Collection[str]) -> set[str]:
    """Those of Flickr's ids that have a row already, whatever became of the photo."""
    is_known = Photo.source == Source.FLICKR, Photo.source_id.in_(source_ids)
    return set(session.scalars(select(Photo.source_id).where(*is_known)))


def insert_found(
    session: Session,
    photos: Sequence[FoundPhoto],
    finding: Finding,
    licences: Mapping[str, Licence],
) -> int:
    """How many of the photos were new; each gets one row, in state `found`."""
    rows = [_row(photo, finding, licences[photo.licence_id]) for photo in photos]
    rows.sort(key=lambda row: str(row["source_id"]))
    return len(insert_new(session, Photo, rows, ("source", "source_id")))


def _row(photo: FoundPhoto, finding: Finding, licence: Licence) -> dict[str, Any]:
    window = finding.window
    told = {name: value for name, value in vars(photo).items() if name != "is_photograph"}
    return told | {
        "source": Source.FLICKR,
        "state": PhotoState.FOUND,
        "licence_name": licence.name,
        "licence_url": licence.url,
        "page_url": photo.page_url,
        "query_id": finding.query_id,
        "window_start_at": window.start if window else None,
        "window_end_at": window.end if window else None,
        "result_page": finding.page,
        "found_at": finding.found_at,
    }
