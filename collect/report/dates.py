"""When a party's photographs are from, counted by the catalogue, and which years are short.

Intervals count draws, as photographs of one draw are not independent; imports drew one by one.
"""

from __future__ import annotations

import calendar
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, String, case, cast, func, select
from sqlalchemy.orm import Session

from catalog.plural import format_count
from catalog.settings import CollectSettings
from catalog.states import SEARCHED, ImageState, PhotoState
from catalog.tables import Image, Photo, Query, ReleaseImage
from collect.query_yield import NOT_KEPT
from collect.strata import Window, cut_strata, is_dated, load_counts_by_window
from present.intervals import Recent, estimate_recent, format_points, last_third

from .figures import Shortage, Spread

_DRAW = (
    Photo.query_id,
    Photo.window_start_at,
    Photo.window_end_at,
    Photo.result_page,
    Photo.found_at,
    case((Photo.source.in_(SEARCHED), 0), else_=Photo.id),
)


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


def compare_recent(names: tuple[str, str], first: Recent, second: Recent) -> str:
    """How much more of one is recent than of the other (Newcombe 1998, method 10)."""
    if first.share is None or second.share is None:
        return f"{names[0]} and {names[1]} cannot be compared: one has too few draws."
    difference = first.share - second.share
    low = difference - math.hypot(first.share - first.low, second.high - second.share)
    high = difference + math.hypot(first.high - first.share, second.share - second.low)
    interval = f"95 % interval {100 * low:+.0f} to {100 * high:+.0f} points"
    points, period = format_points(abs(difference)), first.period
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


def find_shortages(
    name: str, counts: Sequence[int], windows: Sequence[Window], most_apart: int
) -> list[Shortage]:
    """The years of which a query has more than a draw (`most_apart`) too few photographs."""
    short = [max(counts) - count > most_apart for count in counts]
    others = [count for count, is_short in zip(counts, short, strict=True) if not is_short]
    found = []
    for is_short, group in groupby(range(len(counts)), short.__getitem__):
        if is_short:
            numbers = list(group)
            years = _name_years(windows[numbers[0]], windows[numbers[-1]])
            uniform = round(len(numbers) * sum(others) / len(others))
            found.append(Shortage(name, years, sum(counts[it] for it in numbers), uniform))
    return found


def describe_shortage(it: Shortage) -> str:
    """Which years cannot be uniform, and by how much."""
    return (
        f"{it.query} has {format_count(it.photographs, 'photograph')} of {it.years}; uniform dates "
        f"would give {it.uniform}. No more were found."
    )


def _name_years(first: Window, last: Window) -> str:
    """The years of the middles, because a stratum is about a year; of short strata the days."""
    if first.secs < 300 * 86_400:
        return f"{first.start:%Y-%m-%d} to {last.end - timedelta(seconds=1):%Y-%m-%d}"
    years = [f"{one.start + (one.end - one.start) / 2:%Y}" for one in (first, last)]
    return years[0] if years[0] == years[1] else f"{years[0]} to {years[1]}"


@dataclass(frozen=True)
class DayCount:
    """How many photographs are of a day; `is_midnight` where no time of the day is known."""

    day: date
    is_midnight: bool
    count: int


def load_taken_days(session: Session) -> list[DayCount]:
    """By the day that they were taken on; unknown and impossible ones are out."""
    is_midnight = func.substr(Photo.taken_at_text, 12, 8).in_(("00:00:00", ""))
    day = func.substr(Photo.taken_at_text, 1, 10) + case((is_midnight, "*"), else_="")
    is_known = Photo.taken_at_unknown.is_(False), Photo.taken_at_text.is_not(None)
    return _load_days(session, day, *is_known)


def load_uploaded_days(session: Session) -> list[DayCount]:
    """By the day of their upload in UTC."""
    day = cast(func.date(Photo.uploaded_at), String)
    return _load_days(session, day, Photo.uploaded_at.is_not(None))


def spread_years(days: Iterable[DayCount], first: date, last: date) -> Spread:
    """By year of the range from first to last; an even spread gives each of its days the same."""
    return _spread(days, first, last, lambda day: day.year, str)


def spread_months(days: Iterable[DayCount], first: date, last: date) -> Spread:
    """By month of the year, in the range; dates of which only the year is known are left out."""
    known = (it for it in days if not (it.is_midnight and (it.day.month, it.day.day) == (1, 1)))
    return _spread(known, first, last, lambda day: day.month, lambda it: calendar.month_abbr[it])


def _load_days(session: Session, key: Any, *known: ColumnElement[bool]) -> list[DayCount]:
    rows = select(key, func.count()).join(Photo.image).where(*is_kept(), *known).group_by(key)
    found = []
    for text, count in session.execute(rows):
        try:
            day = date.fromisoformat(text.rstrip("*"))
        except ValueError:
            continue
        found.append(DayCount(day, text.endswith("*"), count))
    return found


def _spread(
    days: Iterable[DayCount],
    first: date,
    last: date,
    bin_of: Callable[[date], int],
    name: Callable[[int], str],
) -> Spread:
    every_day = (first + timedelta(days=it) for it in range((last - first).days + 1))
    weights, counts = Counter(map(bin_of, every_day)), Counter[int]()
    for it in days:
        if first <= it.day <= last:
            counts[bin_of(it.day)] += it.count
    bins, each = sorted(weights), counts.total() / weights.total()
    return Spread(
        tuple(map(name, bins)),
        tuple(counts[it] for it in bins),
        tuple(each * weights[it] for it in bins),
    )
