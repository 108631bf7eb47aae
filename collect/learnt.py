"""What searches have taught about a query: how many photographs it has when.

Every call is a row of the table `search`; a later run begins with what they say.
"""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.session import Catalogue
from catalog.tables import Search

from .searches import PER_PAGE
from .windows import SPLIT_ABOVE, Window

_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_NUMBERS = 3
REMEMBERED = 500
"""So many windows of a query are looked at, the newest."""


@dataclass(frozen=True, slots=True)
class Known:
    """One searched window and its matches; 0 where none of them was new."""

    window: Window
    matches: int


class Learnt:
    """The known windows of each query, shared by the threads of a process."""

    def __init__(self, catalogue: Catalogue, dates: str, licence_ids: str) -> None:
        self._catalogue, self._dates, self._licence_ids = catalogue, dates, licence_ids
        self._lock = threading.Lock()
        self._known: dict[int, _Windows] = {}

    def load(self, query_id: int) -> tuple[Known, ...]:
        """What is known of the query, from the catalogue at first."""
        with self._lock:
            if query_id not in self._known:
                with self._catalogue.reading() as session:
                    found = load_known(session, query_id, self._dates, self._licence_ids)
                self._known[query_id] = _Windows(found)
            return self._known[query_id].unpack()

    def add(self, query_id: int, windows: Sequence[Known]) -> None:
        """Remember what this run's searches showed; the catalogue has it too."""
        self.load(query_id)
        with self._lock:
            self._known[query_id].extend(windows)


class _Windows:
    """The newest windows of a query in 24 bytes each; as objects they would take 230.

    There are hundreds of queries, and what small objects lie scattered about cannot be given back.
    """

    def __init__(self, windows: Iterable[Known]) -> None:
        self._numbers = array("q")
        self.extend(windows)

    def extend(self, windows: Iterable[Known]) -> None:
        """Add windows; the oldest make room."""
        for one in windows:
            bounds = (one.window.start, one.window.end)
            self._numbers.extend([*((at - _EPOCH) // _MICROSECOND for at in bounds), one.matches])
        del self._numbers[: -_NUMBERS * REMEMBERED]

    def unpack(self) -> tuple[Known, ...]:
        """The windows, oldest first."""
        numbers = iter(self._numbers)
        return tuple(
            Known(Window(_EPOCH + start * _MICROSECOND, _EPOCH + end * _MICROSECOND), matches)
            for start, end, matches in zip(numbers, numbers, numbers, strict=True)
        )


def load_known(session: Session, query_id: int, dates: str, licence_ids: str) -> tuple[Known, ...]:
    """The newest searches of a query with these dates and licences, oldest first."""
    rows = session.execute(
        select(Search.window_start_at, Search.window_end_at, Search.matches, Search.fresh)
        .where(
            Search.query_id == query_id,
            Search.dates == dates,
            Search.licence_ids == licence_ids,
            Search.page == 1,
            Search.window_start_at.is_not(None),
        )
        .order_by(Search.id.desc())
        .limit(REMEMBERED)
    ).all()
    found = [
        Known(Window(start, end), count_matches(1, matches, fresh))
        for start, end, matches, fresh in reversed(rows)
    ]
    return tuple(found)


def count_matches(page: int, total: int, fresh: int) -> int:
    """The claimed matches; 0 where this page shows them all and none of them is fresh."""
    shows_all = page == 1 and total < PER_PAGE  # a full page may have more behind it
    return 0 if shows_all and not fresh else total


def informed_level(
    known: Sequence[Known], moment: datetime, span: Window, *, first: int, deepest: int
) -> int:
    """The level to search first: `first`, unless it is known to hold too many or nothing new."""
    level = first
    nearest = _find_nearest([one for one in known if one.matches], moment)
    if nearest is not None:
        expected = nearest.matches / nearest.window.secs * span.secs / 2**first
        if expected > SPLIT_ABOVE:
            level += math.ceil(math.log2(expected / SPLIT_ABOVE))
        elif expected < 1:
            level -= math.ceil(math.log2(1 / expected))
    empty_secs = max(
        (one.window.secs for one in known if not one.matches and _holds(one.window, moment)),
        default=0,
    )
    if empty_secs:
        level = min(level, math.ceil(math.log2(span.secs / empty_secs)) - 1)
    return max(0, min(level, deepest))


def _find_nearest(known: Sequence[Known], moment: datetime) -> Known | None:
    """The narrowest window that holds the moment, or the one that is least far from it."""
    return min(
        known, key=lambda one: (_distance_secs(one.window, moment), one.window.secs), default=None
    )


def _distance_secs(window: Window, moment: datetime) -> float:
    if _holds(window, moment):
        return 0.0
    return min(
        abs((window.start - moment).total_seconds()), abs((window.end - moment).total_seconds())
    )


def _holds(window: Window, moment: datetime) -> bool:
    return window.start <= moment < window.end


def name_licences(licences: Mapping[str, object]) -> str:
    """The ids in one text, as the table `search` keeps them."""
    return ",".join(licences)
