"""The figures of a party, counted by the catalogue: no row of a photo is ever fetched."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import case, distinct, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.party import Party
from catalog.preset import Preset
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo, Query
from collect.worth import refresh_query_worth

from .days import NOT_KEPT, is_kept, load_taken_days, load_taken_hours, load_uploaded_days
from .figures import OwnerFigures, QueryFigures, Report
from .spreads import adjust_tests, spread_hours, spread_months, spread_weekdays, spread_years

TOP_OWNERS = 10
NO_LICENCE = "none recorded"
_SIDE_STEP_PX = 100


def load_report(party: Party, at: datetime) -> Report:
    """The figures of the party at this moment; what queries were worth is counted anew."""
    with party.catalogue.writing() as session:
        refresh_query_worth(session)
    settings = party.settings.collect
    first, last = settings.first_date, settings.last_date or at.date()
    with party.catalogue.reading() as session:
        queries = _load_queries(session, party.preset)
        taken, uploaded = load_taken_days(session), load_uploaded_days(session)
        kept, dated = _count_kept(session), sum(day.count for day in taken.photographs)
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
            spreads=adjust_tests(
                {
                    "year taken": spread_years(taken, first, last),
                    "month taken": spread_months(taken, first, last),
                    "weekday taken": spread_weekdays(taken, first, last),
                    "hour taken": spread_hours(load_taken_hours(session)),
                    "year uploaded": spread_years(uploaded, first, last),
                    "month uploaded": spread_months(uploaded, first, last),
                }
            ),
            owners=owners,
            top_owners=top,
            top_owners_share=sum(it.photographs for it in top) / kept if kept else 0.0,
            licences=_count_kept_by(session, func.coalesce(Photo.licence_name, NO_LICENCE)),
            longest_sides=_count_sides(session),
            shapes=_count_shapes(session),
            sources=_count_kept_by(session, Photo.source),
        )


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
    displays = preset.class_displays
    photos = {row[0]: row for row in session.execute(_photos_by_query())}
    duplicates = dict(session.execute(_duplicates_by_query()).tuples().all())
    found = []
    for query in session.scalars(
        select(Query).order_by(Query.class_name, Query.keyword, Query.source)
    ):
        _id, drawn, fetched, gone, broken, withdrawn = photos.get(query.id, (0,) * 6)
        found.append(
            QueryFigures(
                source=query.source.value,
                class_name=query.class_name,
                keyword=query.keyword,
                display=displays.get(query.class_name, query.class_name),
                searches=query.searches,
                matches=query.matches,
                draws=query.draws,
                drawn=drawn,
                fetched=fetched,
                gone=gone,
                broken=broken,
                withdrawn=withdrawn,
                duplicates=duplicates.get(query.id, 0),
                kept=query.kept,
                judged=query.judged,
                useful=query.useful,
            )
        )
    return tuple(found)


def _photos_by_query() -> Any:
    def count(state: PhotoState) -> Any:
        return func.sum(case((Photo.state == state, 1), else_=0))

    return select(
        Photo.query_id,
        func.count(),
        count(PhotoState.FETCHED),
        count(PhotoState.GONE),
        count(PhotoState.BROKEN),
        count(PhotoState.WITHDRAWN),
    ).group_by(Photo.query_id)


def _duplicates_by_query() -> Any:
    return (
        select(Photo.query_id, func.count(distinct(Image.id)))
        .join(Photo.image)
        .where(Image.state == ImageState.DUPLICATE)
        .group_by(Photo.query_id)
    )


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
    rows = session.execute(
        select(longest, func.count()).where(Image.state.not_in(NOT_KEPT)).group_by(longest)
    )
    counts: Counter[int] = Counter()
    for side, count in rows:
        counts[(side - 1) // _SIDE_STEP_PX] += count
    steps = range(min(counts, default=0), max(counts, default=-1) + 1)
    return {
        f"{step * _SIDE_STEP_PX + 1}-{(step + 1) * _SIDE_STEP_PX}": counts[step] for step in steps
    }


def _count_shapes(session: Session) -> dict[str, int]:
    shape = case(
        (Image.width > Image.height, "landscape"),
        (Image.width < Image.height, "portrait"),
        else_="square",
    )
    rows = session.execute(
        select(shape, func.count()).where(Image.state.not_in(NOT_KEPT)).group_by(shape)
    )
    counts = dict(rows.tuples().all())
    return {name: counts.get(name, 0) for name in ("landscape", "portrait", "square")}
