"""What a draw decides by chance: class, query, moment and the window around it, photographs."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TypeVar

from catalog.errors import SettingsError
from catalog.preset import Preset

SPLIT_ABOVE = 3000
"""Flickr gives 4,000 results of a search at most, and more than it promised; 3,000 is safe
(WordPress/openverse, its Flickr script)."""

SHORTEST_SECS = 300


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open stretch of time of whole seconds: `start` is inside, `end` is not."""

    start: datetime
    end: datetime

    @property
    def secs(self) -> int:
        """The length in seconds."""
        return int((self.end - self.start).total_seconds())


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


def draw_moment(rng: random.Random, span: Window) -> datetime:
    """A moment of the span, each second equally likely."""
    return span.start + timedelta(seconds=rng.randrange(span.secs))


def window_around(moment: datetime, span: Window, level: int) -> Window:
    """The tile of the level that the moment lies in."""
    offset_secs = int((moment - span.start).total_seconds())
    tile = ((offset_secs + 1) * 2**level - 1) // span.secs
    return Window(_tile_start(span, level, tile), _tile_start(span, level, tile + 1))


def first_level(span: Window, window_days: float) -> int:
    """The highest level whose windows are no wider than `window_days`."""
    wanted_secs = window_days * 86_400
    return min(deepest_level(span), max(0, math.ceil(math.log2(span.secs / wanted_secs))))


def deepest_level(span: Window) -> int:
    """The deepest level whose windows are not shorter than five minutes."""
    return max(0, math.floor(math.log2(max(1.0, span.secs / SHORTEST_SECS))))


def next_level(matches: Mapping[int, int], start: int, deepest: int) -> int | None:
    """The level to search next, given how many matches each searched one had; None to stop.

    Stops at a level with 1 to 3,000 matches, or where there is none between too many and nothing.
    """
    if not matches:
        return start
    full = max((level for level, count in matches.items() if count > SPLIT_ABOVE), default=None)
    empty = min((level for level, count in matches.items() if count == 0), default=None)
    if any(0 < count <= SPLIT_ABOVE for count in matches.values()):
        return None
    if full is None:
        return None if not empty else max(0, empty - 2)
    if empty is None:
        halvings = math.ceil(math.log2(matches[full] / SPLIT_ABOVE))
        return None if full >= deepest else min(deepest, full + max(1, halvings))
    return None if empty - full <= 1 else (full + empty) // 2


def best_level(matches: Mapping[int, int]) -> int | None:
    """The deepest searched level that has matches, or None where all were empty."""
    return max((level for level, count in matches.items() if count), default=None)


def _tile_start(span: Window, level: int, tile: int) -> datetime:
    return span.start + timedelta(seconds=span.secs * tile // 2**level)


T = TypeVar("T")

REACHABLE = 4000
"""Flickr gives at most this many results of one search, whatever it claims."""


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
        raise SettingsError(
            f"Nothing to search for: {unknown[0] if unknown else preset.name} has no queries; "
            f"expected classes of the preset {preset.name}: {', '.join(keywords)}."
        )
    return {name: keywords[name] for name in keywords if not names or name in names}


def draw_keyword(rng: random.Random, keywords: Mapping[str, Sequence[Keyword]]) -> Keyword:
    """One of the keywords: each class equally likely, then each keyword of it."""
    return rng.choice(keywords[rng.choice(sorted(keywords))])


def draw_photos(rng: random.Random, photos: Sequence[T], count: int) -> tuple[T, ...]:
    """At most `count` different photos, each equally likely."""
    return tuple(rng.sample(photos, min(count, len(photos))))
