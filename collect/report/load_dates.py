"""When a party's photographs are from, counted by the catalogue.

Photographs that one draw chose from one search are not independent of each other, so intervals
count draws. What was imported counts as drawn one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sqlalchemy import ColumnElement, String, case, cast, func, select
from sqlalchemy.orm import Session

from catalog.recency import Recent, estimate_recent, last_third
from catalog.settings import CollectSettings
from catalog.states import SEARCHED, ImageState, PhotoState
from catalog.tables import Image, Photo, Query, ReleaseImage
from collect.sampling import Window, cut_strata
from collect.strata import is_dated, load_counts_by_window

from .dates import HOURS, DayCount, find_shortages
from .figures import Shortage, Spread

NOT_KEPT = (ImageState.BROKEN, ImageState.DUPLICATE, ImageState.TAKEN_DOWN)
_MIDNIGHT = ("00:00:00", "")
_DRAW = (
    Photo.query_id,
    Photo.window_start_at,
    Photo.window_end_at,
    Photo.result_page,
    Photo.found_at,
    case((Photo.source.in_(SEARCHED), 0), else_=Photo.id),
)
_HAS_TAKEN = (Photo.taken_at_unknown.is_(False), Photo.taken_at_text.is_not(None))
_IS_MIDNIGHT = func.substr(Photo.taken_at_text, 12, 8).in_(_MIDNIGHT)


def is_kept() -> tuple[ColumnElement[bool], ...]:
    """The conditions of a photo that is kept, joined with its image."""
    return (Photo.state == PhotoState.FETCHED, Image.state.not_in(NOT_KEPT))


def list_sets() -> dict[str, tuple[ColumnElement[bool], ...]]:
    """What is judged, and the conditions of its photos; of an image one photo."""
    first_photo = select(func.min(Photo.id)).where(Photo.state == PhotoState.FETCHED)
    of_image = Photo.id.in_(first_photo.group_by(Photo.image_id))
    is_annotated = Image.annotation_id.is_not(None), Image.state != ImageState.DISCARDED
    return {
        "photographs": (),
        "annotated images": (of_image, *is_annotated),
        "released images": (of_image, Image.id.in_(select(ReleaseImage.image_id))),
    }


def load_recent(session: Session, span: Window, dates: str) -> tuple[Recent, ...]:
    """The recent share of photographs, annotated and released images; of an image one photo."""
    period = last_third(span.start.date(), (span.end - timedelta(days=1)).date())
    start = datetime.combine(period.first, time(), tzinfo=UTC)
    is_by_taken = dates == "taken"
    is_recent = is_dated(Window(start, span.end), is_by_taken=is_by_taken)
    found = []
    for name, conditions in list_sets().items():
        rows = session.execute(
            select(func.count(), func.sum(case((is_recent, 1), else_=0)))
            .select_from(Photo)
            .join(Photo.image)
            .where(*is_kept(), is_dated(span, is_by_taken=is_by_taken), *conditions)
            .group_by(*_DRAW)
        )
        found.append(estimate_recent(name, rows.tuples().all(), period))
    return tuple(found)


def load_shortages(
    session: Session, displays: Mapping[str, str], span: Window, settings: CollectSettings
) -> tuple[Shortage, ...]:
    """Of each query the years that are short, the worst first."""
    if settings.dates == "none":
        return ()
    windows, is_by_taken = cut_strata(span), settings.dates == "taken"
    counts = load_counts_by_window(session, windows, is_by_taken=is_by_taken)
    found = list[Shortage]()
    for query in session.scalars(select(Query).where(Query.id.in_(list(counts)))):
        name = f"{displays.get(query.class_name, query.class_name)}: {query.keyword}"
        found += find_shortages(name, counts[query.id], windows, settings.photos_per_search)
    return tuple(sorted(found, key=lambda it: (it.photographs - it.uniform, it.query)))


def load_taken_days(session: Session) -> list[DayCount]:
    """By the day that they were taken on; unknown and impossible ones are out."""
    mark = case((_IS_MIDNIGHT, "*"), else_="")
    return _load_days(session, func.substr(Photo.taken_at_text, 1, 10) + mark, *_HAS_TAKEN)


def load_uploaded_days(session: Session) -> list[DayCount]:
    """By the day of their upload in UTC."""
    day = cast(func.date(Photo.uploaded_at), String)
    return _load_days(session, day, Photo.uploaded_at.is_not(None))


def load_taken_hours(session: Session) -> Spread:
    """By the hour of the camera's clock, where one is known; nothing is expected of it."""
    hour = func.substr(Photo.taken_at_text, 12, 2)
    counts = dict(_count_dates(session, hour, *_HAS_TAKEN, ~_IS_MIDNIGHT))
    return Spread(HOURS, tuple(counts.get(hour, 0) for hour in HOURS), ())


def _load_days(session: Session, key: Any, *known: ColumnElement[bool]) -> list[DayCount]:
    return [
        DayCount(day, text.endswith("*"), count)
        for text, count in _count_dates(session, key, *known)
        if (day := _parse_day(text.rstrip("*"))) is not None
    ]


def _count_dates(
    session: Session, key: Any, *known: ColumnElement[bool]
) -> Sequence[tuple[str, int]]:
    """The kept photographs whose date is known that far, by the key."""
    counted = select(key, func.count()).join(Photo.image).where(*is_kept(), *known).group_by(key)
    return session.execute(counted).tuples().all()


def _parse_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
