"""The figures of a party, counted by the catalogue: no row of a photo is ever fetched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, case, distinct, func, select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.preset import Preset
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Object, Photo, Query, ReleaseImage, Search, TablePass
from collect.queries.keywords import QueryKind, find_kinds
from collect.query_yield import NOT_KEPT, plan_targets, recount_yields
from collect.source_table.source import fit_dates
from collect.strata import Window, find_span
from vockit.report.intervals import Recent

from . import dates, figures

TOP_OWNERS = 10
NO_LICENCE = "none recorded"
_SIDE_STEP_PX = 100
_LICENCE = func.coalesce(Photo.licence_name, NO_LICENCE)
_SHAPE = case(
    (Image.width > Image.height, "landscape"),
    (Image.width < Image.height, "portrait"),
    else_="square",
)
_COUNTERS = ("searches", "matches", "draws", "kept", "judged", "useful")


def load_report(party: Party, at: datetime, span: Window | None = None) -> figures.Report:
    """The figures of the party at this moment; the yields of queries are counted anew."""
    recount_yields(party)
    party = fit_dates(party, needs_table=False)
    settings = party.settings.collect
    span = span or find_span(settings, at)
    with party.catalogue.reading() as session:
        queries = load_queries(session, party.preset)
        taken, uploaded = (
            dates.load_days(session, *columns) for columns in (dates.TAKEN, dates.UPLOADED)
        )
        sources = _count(session, Photo.source, is_of_kept=True)
        kept = sum(sources.values())
        owners, top = _load_owners(session)
        recent = dates.load_recent(session, span, settings.dates)
        left_out = session.scalars(select(Search.left_out).where(Search.returned > Search.fresh))
        return figures.Report(
            party=party.settings.name,
            made_at=at.isoformat(timespec="seconds").replace("+00:00", "Z"),
            dates=settings.dates,
            photos=_count(session, Photo.state, order=tuple(PhotoState)),
            images=_count(session, Image.state, order=tuple(ImageState)),
            lost=_count_lost(session),
            classes=_sum_classes(queries),
            queries=queries,
            kinds=sum_kinds(queries),
            kept=kept,
            undated=kept - sum(day.count for day in taken),
            recent=recent,
            shortages=dates.load_shortages(session, party.preset.class_displays, span, settings),
            spreads=_spread_days(taken, uploaded, span),
            owners=owners,
            top_owners=top,
            top_owners_share=sum(owner.photographs for owner in top) / kept if kept else 0.0,
            licences=_count(session, _LICENCE, is_of_kept=True),
            longest_sides=_count_sides(session),
            shapes=_count_images(session, _SHAPE),
            sources=sources,
            left_out=dict(sum(map(Counter, left_out), Counter[str]()).most_common()),
            verdicts=_judge(session, recent, queries, party),
            tables=_load_tables(session),
        )


def _load_tables(session: Session) -> tuple[figures.TableFigures, ...]:
    """The tables that photographs may have come from, also those removed since."""
    names = ("seed", "rows", "answers", "photos_per_month", "dates")
    return tuple(
        figures.TableFigures(
            name=row.name,
            sha256=row.sha256,
            passed_at=f"{row.passed_at:%Y-%m-%d}",
            **{name: row.about[name] for name in names},
        )
        for row in session.scalars(select(TablePass).order_by(TablePass.id))
    )


def _spread_days(
    taken: Sequence[dates.DayCount], uploaded: Sequence[dates.DayCount], span: Window
) -> dict[str, figures.Spread]:
    """How the days are spread over years and months of the span, by the chart's title."""
    days = span.start.date(), (span.end - timedelta(days=1)).date()
    return {
        "year uploaded": dates.spread(uploaded, *days, "year"),
        "year taken": dates.spread(taken, *days, "year"),
        "month taken": dates.spread(taken, *days, "month"),
    }


def _count(
    session: Session, key: Any, *, is_of_kept: bool = False, order: Sequence[Any] = ()
) -> dict[Any, int]:
    """Rows by a key: in the given order of keys, else the most frequent first."""
    rows = select(key, func.count()).group_by(key)
    if is_of_kept:
        rows = rows.select_from(Photo).join(Photo.image).where(dates.IS_KEPT)
    counts = dict(session.execute(rows).tuples().all())
    ordered = order or sorted(counts, key=lambda value: (-counts[value], str(value)))
    return {str(value): counts[value] for value in ordered if value in counts}


def _judge(
    session: Session,
    recent: Sequence[Recent],
    queries: Sequence[figures.QueryFigures],
    party: Party,
) -> tuple[figures.Verdict, ...]:
    """By dates, owners, classes, queries and places, of each set that has images."""
    settings = party.settings.collect
    wanted = _list_wanted(party, queries)
    verdicts = list[figures.Verdict]()
    for dates_of_set, is_meant in zip(recent, dates.SETS.values(), strict=True):
        sample = dates_of_set.subject
        makeup = _load_makeup(session, sample, is_meant)
        if makeup.images:
            images, of_class = _count_classes(session, makeup)
            even = plan_targets(wanted, settings.class_targets, settings.target_images, images)
            verdicts += [
                figures.judge_dates(dates_of_set, settings.dates),
                figures.judge_owners(makeup),
                figures.judge_classes(sample, of_class, even),
                figures.judge_queries(makeup, queries),
                figures.judge_places(makeup),
            ]
    return tuple(verdicts)


def _list_wanted(party: Party, queries: Sequence[figures.QueryFigures]) -> list[str]:
    """The classes that were searched for; a target of 0, or `--class`, leaves out the others."""
    searched = {query.class_name for query in queries if query.searches or query.drawn}
    targets = party.settings.collect.class_targets
    return [
        spec.name
        for spec in party.preset.classes
        if spec.queries and spec.name in searched and targets.get(spec.name) != 0
    ]


def _count_classes(session: Session, makeup: figures.Makeup) -> tuple[int, Mapping[str, int]]:
    """The images of a set, and how many show each class: of photographs, by their queries.

    Of the annotated by their objects today, of the released by those of their last release.
    """
    if makeup.sample == "photographs":
        of_query = Counter[str]()
        for (class_name, _keyword), count in makeup.queries.items():
            of_query[class_name] += count
        return makeup.images, of_query
    of_image = Image.id.label("image_id")
    if makeup.sample == "released images":
        last = select(func.max(ReleaseImage.id)).group_by(ReleaseImage.image_id)
        annotation_id: Any = ReleaseImage.annotation_id
        revisions = select(of_image, annotation_id).join(ReleaseImage.image)
        revisions = revisions.where(ReleaseImage.id.in_(last))
    else:
        annotation_id = Image.annotation_id
        revisions = select(of_image, annotation_id).where(*dates.IS_ANNOTATED)
    of_set = revisions.where(Image.state.not_in(NOT_KEPT)).subquery().c
    counted = func.count(distinct(of_set.image_id))
    rows = session.execute(
        select(Object.class_name, counted)
        .where(Object.annotation_id == of_set.annotation_id)
        .group_by(Object.class_name)
    )
    return session.scalar(select(counted)) or 0, dict(rows.tuples().all())


def _load_makeup(session: Session, sample: str, is_meant: ColumnElement[bool]) -> figures.Makeup:
    def count(*keys: Any, shown: Sequence[Any] = ()) -> Sequence[Any]:
        rows = select(*keys, *shown, func.count()).select_from(Photo).join(Photo.image)
        joined = rows.join(Photo.query).where(dates.IS_KEPT, is_meant)
        return session.execute(joined.group_by(*keys)).all()

    by_owner = count(Photo.owner_id, shown=[func.max(Photo.owner_name)])
    owners = {f"{name} ({owner})" if name else owner: n for owner, name, n in by_owner if owner}
    queries = {(name, keyword): n for name, keyword, n in count(Query.class_name, Query.keyword)}
    places = {place: n for place, n in count(Photo.place) if place}
    return figures.Makeup(sample, owners, queries, places)


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
        counts[f"{state}: {(reason or 'no reason').partition(':')[0][:60]}"] += count
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def load_queries(session: Session, preset: Preset) -> tuple[figures.QueryFigures, ...]:
    """Every query with its counters and what became of its photos."""
    states = ("fetched", "gone", "broken", "withdrawn")
    sums = [func.sum(case((Photo.state == PhotoState(name), 1), else_=0)) for name in states]
    duplicate = case((Image.state == ImageState.DUPLICATE, Image.id))
    rows = session.execute(
        select(Query, func.count(Photo.id), *sums, func.count(distinct(duplicate)))
        .outerjoin(Photo, Photo.query_id == Query.id)
        .outerjoin(Photo.image)
        .group_by(Query.id)
        .order_by(Query.class_name, Query.keyword, Query.source)
    ).all()
    kinds = find_kinds(preset, [(row[0].class_name, row[0].keyword) for row in rows])
    names = ("drawn", *states, "duplicates")
    return tuple(
        figures.QueryFigures(
            query.source.value,
            query.class_name,
            query.keyword,
            preset.class_displays.get(query.class_name, query.class_name),
            **{name: getattr(query, name) for name in _COUNTERS},
            **dict(zip(names, counts, strict=True)),
            kind=kinds.get((query.class_name, query.keyword), ""),
        )
        for query, *counts in rows
    )


def _sum_classes(queries: Sequence[figures.QueryFigures]) -> tuple[figures.QueryFigures, ...]:
    sums: dict[str, figures.QueryFigures] = {}
    for query in queries:
        empty = figures.QueryFigures("", query.class_name, "", query.display)
        sums[query.class_name] = _add(sums.get(query.class_name, empty), query)
    return tuple(sums.values())


def sum_kinds(queries: Sequence[figures.QueryFigures]) -> tuple[figures.QueryFigures, ...]:
    """What the queries of each kind brought together, in the order of the kinds."""
    sums = {kind: figures.QueryFigures("", "", "", kind, kind=kind) for kind in QueryKind}
    for query in queries:
        if query.kind:
            kind = QueryKind(query.kind)
            sums[kind] = _add(sums[kind], query)
    used = {query.kind for query in queries}
    return tuple(of_kind for kind, of_kind in sums.items() if kind in used)


def _add(before: figures.QueryFigures, query: figures.QueryFigures) -> figures.QueryFigures:
    """The sum with the counts of one more query."""
    counts = {name: value for name, value in vars(query).items() if isinstance(value, int)}
    more = {name: getattr(before, name) + count for name, count in counts.items()}
    return replace(before, **more)


def _load_owners(session: Session) -> tuple[int, tuple[figures.OwnerFigures, ...]]:
    """How many owners there are, and those of most kept photographs."""
    by_owner = (
        select(Photo.owner_id, func.max(Photo.owner_name), func.count().label("photographs"))
        .join(Photo.image)
        .where(dates.IS_KEPT, Photo.owner_id.is_not(None))
        .group_by(Photo.source, Photo.owner_id)
    )
    count = session.scalar(select(func.count()).select_from(by_owner.subquery())) or 0
    top = session.execute(by_owner.order_by(func.count().desc(), Photo.owner_id).limit(TOP_OWNERS))
    return count, tuple(figures.OwnerFigures(row[0] or "", row[1] or "", row[2]) for row in top)


def _count_sides(session: Session) -> dict[str, int]:
    """Kept images by their longest side, in steps of 100 pixels."""
    longest = case((Image.width >= Image.height, Image.width), else_=Image.height)
    step = _SIDE_STEP_PX
    counts = _count_images(session, (longest - 1) // step)
    return {f"{n * step + 1}-{(n + 1) * step}": counts[n] for n in sorted(counts)}


def _count_images(session: Session, value: Any) -> dict[Any, int]:
    rows = select(value, func.count()).where(Image.state.not_in(NOT_KEPT)).group_by(value)
    return dict(sorted(session.execute(rows).tuples().all()))
