"""What a draw decides by chance, and the strata and windows that a range of dates is cut into."""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches
from operator import itemgetter
from typing import TypeVar

from sqlalchemy import ColumnElement, and_, case, func, select
from sqlalchemy.orm import Session

from catalog.preset import Preset
from catalog.settings import CollectSettings
from catalog.states import SEARCHED, PhotoState
from catalog.tables import Photo
from vockit.errors import SettingsError

YEAR_SECS = 365.25 * 86_400
FEWEST_STRATA = 12


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open stretch of time of whole seconds: `start` is inside, `end` is not."""

    start: datetime
    end: datetime

    @property
    def secs(self) -> int:
        """The length in seconds."""
        return int((self.end - self.start).total_seconds())

    def holds(self, moment: datetime) -> bool:
        """Whether the moment is inside."""
        return self.start <= moment < self.end


def whole_range(first: date, last: date) -> Window:
    """The window from the first moment of one day to the last of another, in UTC."""
    if first > last:
        raise SettingsError(
            f"collect.first_date = {first} is wrong: expected a day up to the last date, {last}."
        )
    start = datetime.combine(first, time(), tzinfo=UTC)
    return Window(start, datetime.combine(last, time(), tzinfo=UTC) + timedelta(days=1))


def find_span(settings: CollectSettings, now: datetime) -> Window:
    """The range of dates of the settings, up to today where they name no last one."""
    return whole_range(settings.first_date, settings.last_date or now.date())


def cut_strata(span: Window) -> tuple[Window, ...]:
    """Equal parts of the range, each about a year long; at least 12, of a short range too."""
    count = max(FEWEST_STRATA, round(span.secs / YEAR_SECS))
    ends = [span.start + timedelta(seconds=span.secs * n // count) for n in range(count + 1)]
    return tuple(map(Window, ends, ends[1:]))


_VISITS = 2
"""How often a run draws from each stratum at least: a short one takes fewer of each search."""


def count_per_draw(photos_per_search: int, missing: int, strata: int) -> int:
    """How many photos of one draw are taken at most, where so many are missing in all strata."""
    return max(1, min(photos_per_search, missing // (_VISITS * strata)))


def draw_moment(rng: random.Random, span: Window) -> datetime:
    """A moment of the span, each second equally likely."""
    return span.start + timedelta(seconds=rng.randrange(span.secs))


def window_around(moment: datetime, span: Window, level: int) -> Window:
    """The tile of the level that the moment lies in."""
    offset_secs = int((moment - span.start).total_seconds())
    tile = ((offset_secs + 1) * 2**level - 1) // span.secs
    ends_secs = (span.secs * number // 2**level for number in (tile, tile + 1))
    return Window(*(span.start + timedelta(seconds=number) for number in ends_secs))


def deepest_level(span: Window, shortest_secs: int) -> int:
    """The deepest level whose windows are not shorter than that."""
    return max(0, math.floor(math.log2(max(1.0, span.secs / shortest_secs))))


T = TypeVar("T")


@dataclass(frozen=True)
class Keyword:
    """A row of the table `query` that can be drawn."""

    query_id: int
    class_name: str
    text: str


def seeded_generator(seed: int, draw_number: int) -> random.Random:
    """The generator of one draw; draws do not disturb each other, whichever thread makes them."""
    return random.Random(f"{seed}/{draw_number}")  # noqa: S311  chance, not secrecy


def choose_classes(preset: Preset, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The keywords of each class to draw from: those named, or all that have keywords."""
    keywords = {spec.name: spec.queries for spec in preset.classes if spec.queries}
    unknown = sorted(set(names) - set(keywords))
    if unknown or not keywords:
        known = f"Classes of {preset.name} with queries: {', '.join(keywords) or 'none'}."
        alike = get_close_matches(unknown[0], keywords, 1) if unknown else []
        hint = f"Did you mean {alike[0]}? " if alike else ""
        raise SettingsError(
            f"{unknown[0] if unknown else preset.name} has no queries. {hint}{known}"
        )
    return {name: keywords[name] for name in keywords if not names or name in names}


def draw_in_time(
    rng: random.Random, dated: Sequence[tuple[datetime, T]], window: Window
) -> Iterator[T]:
    """All in a random order, uniform in time: always the one nearest to a new random moment."""
    at = itemgetter(0)
    left = sorted(dated, key=at)
    while left:
        moment = draw_moment(rng, window)
        after = bisect(left, moment, key=at)
        neighbours = range(max(0, after - 1), min(len(left), after + 1))
        yield left.pop(min(neighbours, key=lambda n: abs(left[n][0] - moment)))[1]


RELOAD_DRAWS = 500
MOST_MISSES = 3
"""Draws that found nothing close a stratum; it may be full of owners who have no room left."""


class Strata:
    """The strata of one run; `load` counts anew from time to time, to make up for losses."""

    def __init__(
        self, span: Window, load: Callable[[Sequence[Window]], Mapping[int, list[int]]]
    ) -> None:
        self.windows = cut_strata(span)
        self._load = load
        self._counts = defaultdict[int, list[int]](self._make_zeros)
        self._in_all = self._make_zeros()
        self._open = defaultdict[int, set[int]](lambda: set(range(len(self.windows))))
        self.levels = defaultdict[int, dict[int, int]](dict)  # which fitted last, by stratum
        self._misses: Counter[tuple[int, int]] = Counter()
        self._draws = 0

    def choose(self, rng: random.Random, query_id: int) -> int:
        """The open stratum with the fewest photographs of the query, then of all queries."""
        if self._draws % RELOAD_DRAWS == 0:
            loaded = self._load(self.windows)
            self._counts = defaultdict(self._make_zeros, loaded)
            self._in_all = list(map(sum, zip(self._make_zeros(), *loaded.values(), strict=True)))
        self._draws += 1
        counts = self._counts[query_id]
        is_open = sorted(self._open[query_id])
        return min(is_open, key=lambda n: (counts[n], self._in_all[n], rng.random()))

    def add(self, query_id: int, stratum: int, count: int) -> None:
        """Count photographs that were just found."""
        self._counts[query_id][stratum] += count
        self._in_all[stratum] += count

    def close(self, query_id: int, strata: Collection[int]) -> bool:
        """Draw from these strata no more; returns whether one of the query is open still."""
        self._open[query_id].difference_update(strata)
        return bool(self._open[query_id])

    def is_missed(self, query_id: int, stratum: int) -> bool:
        """Count a draw that found nothing; whether the stratum seems empty after MOST_MISSES."""
        self._misses[query_id, stratum] += 1
        return self._misses[query_id, stratum] >= MOST_MISSES

    def find_level(self, query_id: int, stratum: int) -> int:
        """The level of the window that fitted last: of the stratum, else of the nearest one."""
        known = self.levels[query_id] or {0: 0}
        return known[min(known, key=lambda n: abs(n - stratum))]

    def _make_zeros(self) -> list[int]:
        return [0] * len(self.windows)


def load_counts_by_window(
    session: Session, windows: Sequence[Window], *, is_by_taken: bool
) -> dict[int, list[int]]:
    """How many photos each query has in each window, by their own dates; lost ones do not count."""
    are_in = [is_dated(window, is_by_taken=is_by_taken) for window in windows]
    rows = session.execute(
        select(Photo.query_id, *(func.sum(case((is_in, 1), else_=0)) for is_in in are_in))
        .where(
            Photo.query_id.is_not(None),
            Photo.source.in_(SEARCHED),
            Photo.state.in_((PhotoState.FOUND, PhotoState.FETCHED)),
        )
        .group_by(Photo.query_id)
    )
    return {row[0]: list(row[1:]) for row in rows}


def is_dated(window: Window, *, is_by_taken: bool) -> ColumnElement[bool]:
    """The condition that a photo was uploaded, or taken as the camera says, in the window."""
    if is_by_taken:
        first, end = (f"{at:%Y-%m-%d %H:%M:%S}" for at in (window.start, window.end))
        return and_(Photo.taken_at_text >= first, Photo.taken_at_text < end)
    return and_(Photo.uploaded_at >= window.start, Photo.uploaded_at < window.end)
