"""What searches have taught about a query: how many photographs it has when.

Every call is a row of the table `search`; a later run begins with what they say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.session import Catalogue
from catalog.tables import Search

from .sampling import SPLIT_ABOVE, Window
from .searches import count_matches

REMEMBERED = 500
"""Windows of a query that are looked at, the newest."""


@dataclass(frozen=True, slots=True)
class Known:
    """One searched window and its matches; 0 where none of them was new."""

    window: Window
    matches: int


class Learnt:
    """The known windows of each query, for one thread."""

    def __init__(self, catalogue: Catalogue, dates: str, licence_ids: str) -> None:
        self._catalogue, self._dates, self._licence_ids = catalogue, dates, licence_ids
        self._known: dict[int, tuple[Known, ...]] = {}

    def load(self, query_id: int) -> tuple[Known, ...]:
        """What is known of the query, from the catalogue at first."""
        if query_id not in self._known:
            with self._catalogue.reading() as session:
                self._known[query_id] = load_known(
                    session, query_id, self._dates, self._licence_ids
                )
        return self._known[query_id]

    def add(self, query_id: int, windows: Sequence[Known]) -> None:
        """Remember what this run's searches showed; the catalogue has it too."""
        self._known[query_id] = (*self.load(query_id), *windows)[-REMEMBERED:]


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
