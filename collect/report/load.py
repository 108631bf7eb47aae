"""The figures of a party, counted by the catalogue: no row of a photo is ever fetched."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import case, distinct, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.party import Party
from catalog.preset import Preset
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo, Query
from collect.query_yield import recount_yields
from collect.sampling import Window, whole_range

from .dates import spread_months, spread_weekdays, spread_years
from .figures import OwnerFigures, QueryFigures, Report
from .load_dates import (
    NOT_KEPT,
    is_kept,
    load_recent,
    load_shortages,
    load_taken_days,
    load_taken_hours,
    load_uploaded_days,
)

TOP_OWNERS = 10
NO_LICENCE = "none recorded"
_SIDE_STEP_PX = 100
_COUNTERS = ("searches", "matches", "draws", "kept", "judged", "useful")


def load_report(party: Party, at: datetime, span: Window | None = None) -> Report:
    """The figures of the party at this moment; the yields of queries are counted anew.

    Dates are held against `span`, without it against the range of the party's settings.
    """
    recount_yields(party)
    settings = party.settings.collect
    span = span or find_span(party, at)
    days = span.start.date(), (span.end - timedelta(days=1)).date()
    with party.catalogue.reading() as session:
        queries = _load_queries(session, party.preset)
        taken, uploaded = load_taken_days(session), load_uploaded_days(session)
        kept, dated = _count_kept(session), sum(day.count for day in taken)
        owners, top = _load_owners(session)
        return Report(
            party=party.settings.name,
            made_at=at.isoformat(timespec="seconds").replace("+00:00", "Z"),
            dates=settings.dates,
            photos=_count_by(session, Photo.state),
            images=_count_by(session, Image.state),
            lost=_count_lost(session),
            classes=_sum_classes(queries),
            queries=queries,
            kept=kept,
            dated=dated,
            undated=kept - dated,
            recent=load_recent(session, span, settings.dates),
            shortages=load_shortages(session, party.preset.class_displays, span, settings),
            spreads={
                "year uploaded": spread_years(uploaded, *days),
                "month uploaded": spread_months(uploaded, *days),
                "year taken": spread_years(taken, *days),
                "month taken": spread_months(taken, *days),
                "weekday taken": spread_weekdays(taken, *days),
                "hour taken": load_taken_hours(session),
            },
            owners=owners,
            top_owners=top,
            top_owners_share=sum(it.photographs for it in top) / kept if kept else 0.0,
            licences=_count_kept_by(session, func.coalesce(Photo.licence_name, NO_LICENCE)),
            longest_sides=_count_sides(session),
            shapes=_count_shapes(session),
            sources=_count_kept_by(session, Photo.source),
        )


def find_span(party: Party, at: datetime) -> Window:
    """The range of dates of the party's settings."""
    settings = party.settings.collect
    return whole_range(settings.first_date, settings.last_date or at.date())


def _count_kept(session: Session) -> int:
    statement = select(func.count()).select_from(Photo).join(Photo.image).where(*is_kept())
    return session.scalar(statement) or 0


def _count_kept_by(session: Session, column: Any) -> dict[str, int]:
    """Kept photographs by a column's value, the most frequent first."""
    rows = session.execute(
        select(column, func.count()).select_from(Photo).join(Photo.image).where(*is_kept())
        .group_by(column)
    )  # fmt: skip
    counts = [(str(value), count) for value, count in rows]
    return dict(sorted(counts, key=lambda item: (-item[1], item[0])))


def _count_by(session: Session, column: InstrumentedAttribute[Any]) -> dict[str, int]:
    """Rows by state, in the order of a photograph's life."""
    rows = session.execute(select(column, func.count()).group_by(column)).tuples()
    counts = {str(state): count for state, count in rows}
    states = (*PhotoState, *ImageState)
    return {str(state): counts[state] for state in states if state in counts}


def _count_lost(session: Session) -> dict[str, int]:
    """Photos that were lost, by the first word of their reason, the most frequent first."""
    lost = (PhotoState.GONE, PhotoState.BROKEN, PhotoState.WITHDRAWN)
    rows = session.execute(
        select(Photo.state, Photo.reason, func.count())
        .where(Photo.state.in_(lost))
        .group_by(Photo.state, Photo.reason)
    )
    counts: Counter[str] = Counter()
    for state, reason, count in rows:
        word = (reason or "no reason").partition(":")[0][:60]
        counts[f"{state}: {word}"] += count
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _load_queries(session: Session, preset: Preset) -> tuple[QueryFigures, ...]:
    displays, photos = preset.class_displays, _count_photos_by_query(session)
    queries = select(Query).order_by(Query.class_name, Query.keyword, Query.source)
    return tuple(
        QueryFigures(
            query.source.value,
            query.class_name,
            query.keyword,
            displays.get(query.class_name, query.class_name),
            **{name: getattr(query, name) for name in _COUNTERS},
            **photos.get(query.id, {}),
        )
        for query in session.scalars(queries)
    )


def _count_photos_by_query(session: Session) -> dict[int, dict[str, int]]:
    """What became of the photos of each query, by the names of the figures."""
    states = ("fetched", "gone", "broken", "withdrawn")
    sums = [func.sum(case((Photo.state == PhotoState(name), 1), else_=0)) for name in states]
    duplicate = case((Image.state == ImageState.DUPLICATE, Image.id))
    rows = session.execute(
        select(Photo.query_id, func.count(), *sums, func.count(distinct(duplicate)))
        .outerjoin(Photo.image)
        .where(Photo.query_id.is_not(None))
        .group_by(Photo.query_id)
    )
    names = ("drawn", *states, "duplicates")
    return {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows}


def _sum_classes(queries: tuple[QueryFigures, ...]) -> tuple[QueryFigures, ...]:
    sums: dict[str, QueryFigures] = {}
    for query in queries:
        empty = QueryFigures("", query.class_name, "", query.display)
        before = sums.setdefault(query.class_name, empty)
        numbers = {
            key: getattr(before, key) + value
            for key, value in asdict(query).items()
            if isinstance(value, int)
        }
        sums[query.class_name] = replace(before, **numbers)
    return tuple(sums.values())


def _load_owners(session: Session) -> tuple[int, tuple[OwnerFigures, ...]]:
    """How many owners there are, and those of most kept photographs."""
    by_owner = (
        select(Photo.owner_id, func.max(Photo.owner_name), func.count().label("photographs"))
        .join(Photo.image)
        .where(*is_kept(), Photo.owner_id.is_not(None))
        .group_by(Photo.source, Photo.owner_id)
    )
    count = session.scalar(select(func.count()).select_from(by_owner.subquery())) or 0
    top = session.execute(by_owner.order_by(func.count().desc(), Photo.owner_id).limit(TOP_OWNERS))
    return count, tuple(OwnerFigures(it[0] or "", it[1] or "", it[2]) for it in top)


def _count_sides(session: Session) -> dict[str, int]:
    """Kept images by their longest side, in steps of 100 pixels."""
    longest = case((Image.width >= Image.height, Image.width), else_=Image.height)
    counts: Counter[int] = Counter()
    for side, count in _count_kept_images(session, longest).items():
        counts[(side - 1) // _SIDE_STEP_PX] += count
    steps = range(min(counts, default=0), max(counts, default=-1) + 1)
    return {
        f"{step * _SIDE_STEP_PX + 1}-{(step + 1) * _SIDE_STEP_PX}": counts[step] for step in steps
    }


def _count_shapes(session: Session) -> dict[str, int]:
    wide, high = (Image.width > Image.height, "landscape"), (Image.width < Image.height, "portrait")
    counts = _count_kept_images(session, case(wide, high, else_="square"))
    return {name: counts.get(name, 0) for name in ("landscape", "portrait", "square")}


def _count_kept_images(session: Session, value: Any) -> dict[Any, int]:
    rows = select(value, func.count()).where(Image.state.not_in(NOT_KEPT)).group_by(value)
    return dict(session.execute(rows).tuples().all())
