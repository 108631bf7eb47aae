"""What a draw decides by chance, and the strata and windows that a range of dates is cut into.

Dates that are uniform need strata: of the same length each, with as many photographs in each.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches
from operator import itemgetter
from typing import TypeVar

from catalog.errors import SettingsError
from catalog.preset import Preset

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
    """The window from the first moment of one day to the last of another, in UTC.

    Raises SettingsError where the first day comes after the last.
    """
    if first > last:
        raise SettingsError(
            f"collect.first_date = {first} is wrong: expected a day up to the last date, {last}."
        )
    start = datetime.combine(first, time(), tzinfo=UTC)
    return Window(start, datetime.combine(last, time(), tzinfo=UTC) + timedelta(days=1))


def cut_strata(span: Window) -> tuple[Window, ...]:
    """Equal parts of the range, each about a year long; at least 12, of a short range too."""
    count = max(FEWEST_STRATA, round(span.secs / YEAR_SECS))
    ends = [span.start + timedelta(seconds=span.secs * n // count) for n in range(count + 1)]
    return tuple(map(Window, ends, ends[1:]))


def draw_moment(rng: random.Random, span: Window) -> datetime:
    """A moment of the span, each second equally likely."""
    return span.start + timedelta(seconds=rng.randrange(span.secs))


def window_around(moment: datetime, span: Window, level: int) -> Window:
    """The tile of the level that the moment lies in."""
    offset_secs = int((moment - span.start).total_seconds())
    tile = ((offset_secs + 1) * 2**level - 1) // span.secs
    return Window(_tile_start(span, level, tile), _tile_start(span, level, tile + 1))


def deepest_level(span: Window, shortest_secs: int) -> int:
    """The deepest level whose windows are not shorter than that."""
    return max(0, math.floor(math.log2(max(1.0, span.secs / shortest_secs))))


def _tile_start(span: Window, level: int, tile: int) -> datetime:
    return span.start + timedelta(seconds=span.secs * tile // 2**level)


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
    """The keywords of each class to draw from: those named, or all that have keywords.

    Raises SettingsError for a class that the preset does not have or that has no keywords.
    """
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


def draw_keyword(rng: random.Random, keywords: Mapping[str, Sequence[Keyword]]) -> Keyword:
    """One of the keywords: each class equally likely, then each keyword of it."""
    return rng.choice(keywords[rng.choice(sorted(keywords))])


def draw_in_time(
    rng: random.Random, dated: Sequence[tuple[datetime, T]], window: Window
) -> Iterator[T]:
    """All of them in a random order: always the one nearest to a new random moment of the window.

    So their dates are uniform, also where some days of the window have more of them than others.
    """
    at = itemgetter(0)
    left = sorted(dated, key=at)
    while left:
        moment = draw_moment(rng, window)
        after = bisect(left, moment, key=at)
        neighbours = range(max(0, after - 1), min(len(left), after + 1))
        yield left.pop(min(neighbours, key=lambda n: abs(left[n][0] - moment)))[1]
