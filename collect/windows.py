"""Windows of time around a drawn moment: narrow where there is much, wide where there is little.

The configured range is cut into 2^level equal tiles, and a window is the tile that a moment lies
in. Moments are drawn uniformly, so every moment is equally likely to be looked at on every level;
tiles of deeper levels lie inside those of higher ones. The random dates are those that the paper
(section 3.1) adds to its queries for VOC2008 against the bias to recent photographs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from catalog.errors import SettingsError

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
