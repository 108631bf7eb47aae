"""When a party's photographs are from, counted by the catalogue, and which years are short.

Intervals count draws, as photographs of one draw are not independent; imports drew one by one.
"""

from __future__ import annotations

import calendar
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, String, and_, case, cast, func, select, true
from sqlalchemy.orm import Session

from catalog.at_rest import STATE_AT_REST
from catalog.settings import CollectSettings
from catalog.states import SEARCHED, ImageState, PhotoState
from catalog.tables import Image, Photo, Query, ReleaseImage
from collect.query_yield import NOT_KEPT
from collect.strata import Window, cut_strata, is_dated, load_counts_by_window
from vockit.format.plural import format_count
from vockit.report.intervals import (
    ENOUGH_IMAGES,
    Draw,
    Recent,
    estimate_recent,
    format_points,
    last_third,
)

from .figures import Shortage, Spread

ALL_QUERIES = "All queries together"
SMALL_YEAR_SHARE = 0.5  # of what each year would have, were all alike

_DRAW = (
    Photo.query_id,
    Photo.window_start_at,
    Photo.window_end_at,
    Photo.result_page,
    Photo.found_at,
    case((Photo.source.in_(SEARCHED), 0), else_=Photo.id),
)


IS_KEPT = and_(Photo.state == PhotoState.FETCHED, Image.state.not_in(NOT_KEPT))
"""The condition of a photo that is kept, joined with its image."""

_FIRST_PHOTO = select(func.min(Photo.id)).where(Photo.state == PhotoState.FETCHED)
_OF_IMAGE = Photo.id.in_(_FIRST_PHOTO.group_by(Photo.image_id))
IS_ANNOTATED = Image.annotation_id.is_not(None), STATE_AT_REST != ImageState.DISCARDED
"""The conditions of an image that is annotated."""
SETS: dict[str, ColumnElement[bool]] = {
    "photographs": true(),
    "annotated images": and_(_OF_IMAGE, *IS_ANNOTATED),
    "released images": and_(_OF_IMAGE, Image.id.in_(select(ReleaseImage.image_id))),
}
"""What is judged, and the condition of its photos; of an image one photo."""


def load_recent(session: Session, span: Window, dates: str) -> tuple[Recent, ...]:
    """The recent share of photographs, annotated and released images; of an image one photo."""
    period = last_third(span.start.date(), (span.end - timedelta(days=1)).date())
    start = datetime.combine(period.first, time(), tzinfo=UTC)
    is_by_taken = dates == "taken"
    is_recent = is_dated(Window(start, span.end), is_by_taken=is_by_taken)
    recent = []
    for name, is_meant in SETS.items():
        counted = is_meant, and_(is_meant, is_recent)
        rows = session.execute(
            select(
                Photo.window_start_at,
                Photo.window_end_at,
                *(func.sum(case((condition, 1), else_=0)) for condition in counted),
            )
            .select_from(Photo)
            .join(Photo.image)
            .where(IS_KEPT, is_dated(span, is_by_taken=is_by_taken))
            .group_by(*_DRAW)
        )
        draws = [
            Draw(_is_after(start, window_start, window_end), photographs, in_period)
            for window_start, window_end, photographs, in_period in rows.tuples()
        ]
        recent.append(estimate_recent(name, draws, period, years=len(cut_strata(span))))
    return tuple(recent)


def _is_after(moment: datetime, start: datetime | None, end: datetime | None) -> bool | None:
    """Whether the middle of a window is after the moment, None without a window."""
    return None if start is None or end is None else start + (end - start) / 2 >= moment


def compare_recent(names: tuple[str, str], first: Recent, second: Recent) -> str:
    """How much more of one is recent than of the other (Newcombe 1998, method 10)."""
    if first.share is None or second.share is None:
        return f"{names[0]} and {names[1]} cannot be compared: one has too few draws."
    difference = first.share - second.share
    low = difference - math.hypot(first.share - first.low, second.high - second.share)
    high = difference + math.hypot(first.high - first.share, second.share - second.low)
    interval = f"95 % interval {100 * low:+.0f} to {100 * high:+.0f} points"
    points = format_points(abs(difference))
    period = first.period
    if low <= 0 <= high:
        return (
            f"{names[0]} and {names[1]} differ by {points} in {period} ({interval}): not enough "
            "to tell which is more recent."
        )
    more, less = names if difference > 0 else names[::-1]
    return f"{more} has {points} more of its photographs in {period} than {less} ({interval})."


def load_shortages(
    session: Session, displays: Mapping[str, str], span: Window, settings: CollectSettings
) -> tuple[Shortage, ...]:
    """The years that are short over all queries, then those of each query, the worst first."""
    if settings.dates == "none":
        return ()
    windows = cut_strata(span)
    is_by_taken = settings.dates == "taken"
    counts = load_counts_by_window(session, windows, is_by_taken=is_by_taken)
    in_all = [sum(of_window) for of_window in zip(*counts.values(), strict=True)]
    shortages = list[Shortage]()
    for query in session.scalars(select(Query).where(Query.id.in_(list(counts)))):
        name = f"{displays.get(query.class_name, query.class_name)}: {query.keyword}"
        shortages += find_shortages(name, counts[query.id], windows, settings.photos_per_search)
    shortages.sort(key=lambda shortage: (shortage.photographs - shortage.uniform, shortage.query))
    return (*find_shortages_of_all(in_all, windows, settings.photos_per_search), *shortages)


def find_shortages_of_all(
    counts: Sequence[int], windows: Sequence[Window], most_apart: int
) -> list[Shortage]:
    """The years of which all queries together have less than half of an even share.

    They lack more than a draw (`most_apart`): a year whose turn is still to come is not short.
    """
    if sum(counts) < ENOUGH_IMAGES:
        return []
    least = SMALL_YEAR_SHARE * sum(counts) / len(counts)
    short = [count < least and max(counts) - count > most_apart for count in counts]
    return _name_shortages(ALL_QUERIES, counts, windows, short)


def find_shortages(
    name: str, counts: Sequence[int], windows: Sequence[Window], most_apart: int
) -> list[Shortage]:
    """The years of which a query has more than a draw (`most_apart`) too few photographs."""
    short = [max(counts) - count > most_apart for count in counts]
    return _name_shortages(name, counts, windows, short)


def _name_shortages(
    name: str, counts: Sequence[int], windows: Sequence[Window], short: Sequence[bool]
) -> list[Shortage]:
    """Each stretch of short years, with what the others would give it."""
    others = [count for count, is_short in zip(counts, short, strict=True) if not is_short]
    shortages = []
    for is_short, group in groupby(range(len(counts)), short.__getitem__):
        if is_short:
            numbers = list(group)
            years = _name_years(windows[numbers[0]], windows[numbers[-1]])
            uniform = round(len(numbers) * sum(others) / len(others))
            shortages.append(
                Shortage(name, years, sum(counts[number] for number in numbers), uniform)
            )
    return shortages


def describe_shortage(shortage: Shortage) -> str:
    """Which years cannot be uniform, and by how much."""
    have = "have" if shortage.query == ALL_QUERIES else "has"
    return (
        f"{shortage.query} {have} {format_count(shortage.photographs, 'photograph')} of "
        f"{shortage.years}; uniform dates would give {shortage.uniform}."
    )


def _name_years(first: Window, last: Window) -> str:
    """The years of the middles, because a stratum is about a year; of short strata the days."""
    if first.secs < 300 * 86_400:
        return f"{first.start:%Y-%m-%d} to {last.end - timedelta(seconds=1):%Y-%m-%d}"
    years = [f"{window.start + (window.end - window.start) / 2:%Y}" for window in (first, last)]
    return years[0] if years[0] == years[1] else f"{years[0]} to {years[1]}"


@dataclass(frozen=True)
class DayCount:
    """How many photographs are of a day; `is_midnight` where no time of the day is known."""

    day: date
    is_midnight: bool
    count: int


_IS_MIDNIGHT = func.substr(Photo.taken_at_text, 12, 8).in_(("00:00:00", ""))
TAKEN = (
    func.substr(Photo.taken_at_text, 1, 10) + case((_IS_MIDNIGHT, "*"), else_=""),
    and_(Photo.taken_at_unknown.is_(False), Photo.taken_at_text.is_not(None)),
)
UPLOADED = cast(func.date(Photo.uploaded_at), String), Photo.uploaded_at.is_not(None)


def load_days(session: Session, key: Any, is_known: ColumnElement[bool]) -> list[DayCount]:
    """By day: TAKEN, without impossible ones, or UPLOADED, in UTC."""
    rows = select(key, func.count()).join(Photo.image).where(IS_KEPT, is_known).group_by(key)
    days = []
    for text, count in session.execute(rows):
        with suppress(ValueError):
            day = date.fromisoformat(text.rstrip("*"))
            days.append(DayCount(day, text.endswith("*"), count))
    return days


def spread(days: Iterable[DayCount], first: date, last: date, part: str) -> Spread:
    """By "year" or "month" of the range; an even spread gives each of its days the same.

    There is no month of dates of which only the year is known.
    """
    every_day = (first + timedelta(days=number) for number in range((last - first).days + 1))
    weights = Counter(getattr(day, part) for day in every_day)
    counts = Counter[int]()
    for known in days:
        is_whole = not known.is_midnight or (known.day.month, known.day.day) != (1, 1)
        if first <= known.day <= last and (part == "year" or is_whole):
            counts[getattr(known.day, part)] += known.count
    bins = sorted(weights)
    each = counts.total() / weights.total()
    return Spread(
        tuple(str(number) if part == "year" else calendar.month_abbr[number] for number in bins),
        tuple(counts[number] for number in bins),
        tuple(each * weights[number] for number in bins),
    )
