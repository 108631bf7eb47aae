"""Kept photographs by their dates, all of them and one of each draw, counted by the catalogue.

Photographs that one draw chose from one search are not independent of each other, so tests count
draws: of each the photograph with the lowest digest, which knows nothing of dates. What was
imported counts as drawn one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy import ColumnElement, Subquery, case, func, select
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo

from .spreads import DayCount, Days, Hours

NOT_KEPT = (ImageState.BROKEN, ImageState.DUPLICATE, ImageState.TAKEN_DOWN)
_MIDNIGHT = ("00:00:00", "")
_DRAW = (Photo.query_id, Photo.window_start_at, Photo.window_end_at, Photo.result_page,
         Photo.found_at)  # fmt: skip
_HAS_TAKEN = (Photo.taken_at_unknown.is_(False), Photo.taken_at_text.is_not(None))


def is_kept() -> tuple[ColumnElement[bool], ...]:
    """The conditions of a photo that is kept, joined with its image."""
    return (Photo.state == PhotoState.FETCHED, Image.state.not_in(NOT_KEPT))


def load_taken_days(session: Session) -> Days:
    """By the day that they were taken on; unknown and impossible ones are out."""
    return Days(*(_count_taken(session, one_a_draw=it) for it in (False, True)))


def load_uploaded_days(session: Session) -> Days:
    """By the day of their upload in UTC."""
    return Days(*(_count_uploaded(session, one_a_draw=it) for it in (False, True)))


def load_taken_hours(session: Session) -> Hours:
    """By the hour that they were taken at, where one is known."""
    return Hours(*(_count_hours(session, one_a_draw=it) for it in (False, True)))


def _count_taken(session: Session, *, one_a_draw: bool) -> list[DayCount]:
    rows = _photos(_HAS_TAKEN, one_a_draw=one_a_draw)
    day = func.substr(rows.c.taken_at_text, 1, 10)
    is_midnight = case((func.substr(rows.c.taken_at_text, 12, 8).in_(_MIDNIGHT), 1), else_=0)
    found = session.execute(
        select(day, is_midnight, func.count()).select_from(rows).group_by(day, is_midnight)
    )
    days = ((_parse_day(text), bool(midnight), count) for text, midnight, count in found)
    return [DayCount(day, midnight, count) for day, midnight, count in days if day is not None]


def _count_uploaded(session: Session, *, one_a_draw: bool) -> list[DayCount]:
    rows = _photos((Photo.uploaded_at.is_not(None),), one_a_draw=one_a_draw)
    day = func.date(rows.c.uploaded_at)
    found = session.execute(select(day, func.count()).select_from(rows).group_by(day))
    days = ((_parse_day(str(text)), count) for text, count in found)
    return [DayCount(day, False, count) for day, count in days if day is not None]


def _count_hours(session: Session, *, one_a_draw: bool) -> dict[int, int]:
    has_time = func.substr(Photo.taken_at_text, 12, 8).not_in(_MIDNIGHT)
    rows = _photos((*_HAS_TAKEN, has_time), one_a_draw=one_a_draw)
    hour = func.substr(rows.c.taken_at_text, 12, 2)
    found = session.execute(select(hour, func.count()).select_from(rows).group_by(hour))
    hours = [(text, count) for text, count in found if text.isascii() and text.isdigit()]
    return {int(text): count for text, count in hours if int(text) < 24}


def _photos(known: Sequence[ColumnElement[bool]], *, one_a_draw: bool) -> Subquery:
    """The dates of the kept photographs whose date is known that far."""
    place = func.row_number().over(partition_by=_DRAW, order_by=(Image.sha256, Photo.id))
    rows = (
        select(Photo.taken_at_text, Photo.uploaded_at, place.label("place"))
        .join(Photo.image)
        .where(*is_kept(), *known)
        .subquery()
    )
    return select(rows).where(rows.c.place == 1).subquery() if one_a_draw else rows


def _parse_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
