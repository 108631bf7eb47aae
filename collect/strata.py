"""How many photographs each query has of each stratum, and which stratum is drawn from next."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, and_, case, func, select
from sqlalchemy.orm import Session

from catalog.session import Catalogue
from catalog.states import SEARCHED, PhotoState
from catalog.tables import Photo

from .query_yield import RELOAD_DRAWS
from .sampling import Window

MOST_MISSES = 3
"""Draws that found nothing close a stratum; it may be full of owners who have no room left."""


class Strata:
    """The strata of one run; counts are loaded from time to time, so that losses are made up for.

    A stratum that has nothing new for a query is closed to it for the rest of the run.
    """

    def __init__(self, catalogue: Catalogue, windows: Sequence[Window], dates: str) -> None:
        self.windows = windows
        self._catalogue, self._is_by_taken = catalogue, dates == "taken"
        self._counts: defaultdict[int, list[int]] = defaultdict(self._make_zeros)
        self._in_all = self._make_zeros()
        self._open = defaultdict[int, set[int]](lambda: set(range(len(windows))))
        self._levels: dict[int, dict[int, int]] = {}
        self._misses: Counter[tuple[int, int]] = Counter()
        self._draws = 0

    def choose(self, rng: random.Random, query_id: int) -> int:
        """The open stratum with the fewest photographs of the query, then of all queries.

        Of several one by chance. Raises ValueError where none is open.
        """
        if self._draws % RELOAD_DRAWS == 0:
            self._load()
        self._draws += 1
        counts, is_open = self._counts[query_id], sorted(self._open[query_id])
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
        """Count a draw that found nothing; whether so many did that the stratum seems empty."""
        self._misses[query_id, stratum] += 1
        return self._misses[query_id, stratum] >= MOST_MISSES

    def find_level(self, query_id: int, stratum: int) -> int:
        """The level of the window that fitted last: of the stratum, else of the nearest one."""
        known = self._levels.get(query_id) or {0: 0}
        return known[min(known, key=lambda n: abs(n - stratum))]

    def note_level(self, query_id: int, stratum: int, level: int) -> None:
        """Remember the level of a window that fitted."""
        self._levels.setdefault(query_id, {})[stratum] = level

    def _make_zeros(self) -> list[int]:
        return [0] * len(self.windows)

    def _load(self) -> None:
        with self._catalogue.reading() as session:
            is_by_taken = self._is_by_taken
            counts = load_counts_by_window(session, self.windows, is_by_taken=is_by_taken)
        self._counts = defaultdict(self._make_zeros, counts)
        self._in_all = list(map(sum, zip(self._make_zeros(), *counts.values(), strict=True)))


def load_counts_by_window(
    session: Session, windows: Sequence[Window], *, is_by_taken: bool
) -> dict[int, list[int]]:
    """How many photos each query has in each window, by their own dates; lost ones do not count."""
    are_in = [is_dated(window, is_by_taken=is_by_taken) for window in windows]
    rows = session.execute(
        select(Photo.query_id, *(func.sum(case((it, 1), else_=0)) for it in are_in))
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
