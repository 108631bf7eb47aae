"""The draws of a run without its requests: the same choices, over what earlier searches showed."""

from __future__ import annotations

import random
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.states import SEARCHED
from catalog.tables import Photo, Search

from . import rows
from .draws import Drawer, SearchedPage, WindowSearch
from .forecast import Rehearsed
from .query_yield import ClassCounts, Record
from .results import FoundPhoto
from .strata import Keyword, Window

PLENTY = 2_000.0
"""Photographs a stratum of a query that was never asked, where a source has plenty."""
SPARSE = 0.5
"""The same where a source has few: one in two strata."""
MOST_DRAWS = 2_000
"""A longer run is rehearsed up to here; its later draws cost what the second half of these cost."""
_WHOLE_SHARE = 0.99
"""A window is that of a stratum where it has this share of it: strata grow with the days."""

_PHOTO = FoundPhoto(
    source_id="",
    owner_id="",
    owner_name="",
    title="",
    tags="",
    licence=None,
    taken_at_text=None,
    taken_at_unknown=True,
    uploaded_at=None,
    image_url=None,
    promised_width=None,
    promised_height=None,
    page_url="",
)


@dataclass
class QueryYield:
    """What earlier searches say of one query: photographs by stratum, and how many are new."""

    matches: dict[int, float] = field(default_factory=dict)  # of strata that were searched
    fresh: dict[int, int] = field(default_factory=dict)  # of strata that one page showed whole
    shown_at: dict[int, datetime] = field(default_factory=dict)  # when it showed them
    matches_elsewhere: float = 0.0  # of each stratum that was not searched
    usable_share: float = 1.0
    taken: Counter[int] = field(default_factory=Counter)  # photos that it found, by stratum


class Library:
    """What the searches of a run can be expected to find, decided once for each stratum."""

    def __init__(
        self, yields: Mapping[int, QueryYield], windows: Sequence[Window], unasked: float
    ) -> None:
        self.windows = windows
        self.found: Counter[tuple[int, int]] = Counter()  # in this rehearsal, by query and stratum
        self._yields = yields
        self._unasked = unasked
        self._rng = random.Random(0)  # noqa: S311  chance, not secrecy
        self._models: dict[int, QueryYield] = {}  # for a query never asked: that of another
        self._counts: dict[tuple[int, int], tuple[int, int]] = {}

    def is_asked(self, query_id: int) -> bool:
        """Whether the query was searched before."""
        return query_id in self._yields

    def count(self, query_id: int, window: Window | None) -> tuple[int, int]:
        """How many photographs a window has, and how many of them can be found still."""
        strata = self.find_strata(window)
        counts = [self._count_stratum(query_id, stratum) for stratum in strata]
        matches, fresh = (sum(numbers) for numbers in zip(*counts, strict=True))
        if window is None or len(strata) > 1:
            return matches, fresh
        share = window.secs / self.windows[strata[0]].secs
        in_window = self.round(matches * share)
        return in_window, min(in_window, self.round(fresh * share))

    def find_strata(self, window: Window | None) -> list[int]:
        """The strata that the window is in or holds; all of them for a search without dates."""
        if window is None:
            return list(range(len(self.windows)))
        held = [number for number, part in enumerate(self.windows) if window.holds(part.start)]
        return held or [_find_stratum(self.windows, window.start)]

    def take(self, query_id: int, window: Window | None, count: int) -> None:
        """Count photographs that were found in the window."""
        for stratum in self.find_strata(window):
            taken = min(count, self._count_stratum(query_id, stratum)[1])
            self.found[query_id, stratum] += taken
            count -= taken

    def round(self, expected: float) -> int:
        """The number up or down by chance, so that it is as expected on average."""
        return int(expected + self._rng.random())

    def _count_stratum(self, query_id: int, stratum: int) -> tuple[int, int]:
        at = query_id, stratum
        if at not in self._counts:
            self._counts[at] = self._decide(query_id, stratum)
        matches, fresh = self._counts[at]
        return matches, max(0, fresh - self.found[at])

    def _decide(self, query_id: int, stratum: int) -> tuple[int, int]:
        known = self._yields.get(query_id)
        if known is None:
            matches = self.round(self._guess(query_id, stratum))
            return matches, matches
        matches = self.round(known.matches.get(stratum, known.matches_elsewhere))
        usable = self.round(matches * known.usable_share)
        return matches, known.fresh.get(stratum, usable - known.taken[stratum])

    def _guess(self, query_id: int, stratum: int) -> float:
        """The photographs of a query never asked: as many as of another one, where one was."""
        if not self._yields:
            return self._unasked
        if query_id not in self._models:
            self._models[query_id] = self._yields[self._rng.choice(sorted(self._yields))]
        model = self._models[query_id]
        return model.usable_share * model.matches.get(stratum, model.matches_elsewhere)


@dataclass
class _RehearsedSearch(WindowSearch):
    """Searches of one draw that the library answers."""

    library: Library = field(kw_only=True)

    def search(self, window: Window | None, page: int = 1) -> SearchedPage:
        """The page as expected."""
        matches, fresh = self.library.count(self.keyword.query_id, window)
        per_page = self.source.per_page
        returned = max(0, min(per_page, matches - (page - 1) * per_page))
        shown = min(returned, self.library.round(fresh * returned / max(1, matches)))
        searched = SearchedPage(
            window=window,
            page=page,
            total=matches,
            returned=returned,
            fresh=(_PHOTO,) * shown,
            per_page=per_page,
        )
        self.pages.append(searched)
        return searched


class Rehearsal(Drawer):
    """Draws as those of a run, without a request; nothing is written."""

    _calls = 0

    def rehearse(self, photos: int, unasked: float) -> Rehearsed:
        """What it takes to find so many photos; a query never asked has `unasked` a stratum."""
        windows = self._strata.windows
        with self._catalogue.reading() as session:
            licence_ids = ",".join(self._licences)
            per_page = self._source.per_page
            searched = _load_searched(session, self._settings.dates, licence_ids, per_page)
            yields = {query_id: _learn(pages, windows) for query_id, pages in searched.items()}
            _count_taken(session, yields, windows)
        self._library = library = Library(yields, windows, unasked)
        query_ids = [word.query_id for words in self._keywords.values() for word in words]
        count = 0
        half = (0, 0)
        for number in range(MOST_DRAWS):
            if count >= photos or self.is_dry:
                break
            if number == MOST_DRAWS // 2:
                half = count, self._calls
            count += self.draw()
        left = sum(library.count(query_id, None)[1] for query_id in query_ids)
        most = count if self.is_dry else count + left
        calls = self._calls
        later = max(0, min(photos, most) - count)
        if later and count > half[0]:
            calls += round(later * (calls - half[1]) / (count - half[0]))
        return Rehearsed(
            calls=calls,
            found=min(photos, most),
            is_dry=most < photos,
            queries=len(query_ids),
            unasked=sum(not library.is_asked(query_id) for query_id in query_ids),
        )

    def _load_keywords(
        self, wanted: Mapping[str, Sequence[str]], class_ids: Mapping[str, str]
    ) -> dict[str, tuple[Keyword, ...]]:
        """The keywords of the classes; the number of one without a row is below zero."""
        with self._catalogue.reading() as session:
            return rows.plan_keywords(session, wanted, class_ids, self._source.kind)

    def _load_counts(self) -> ClassCounts:
        counts = super()._load_counts()
        new = Counter[int]()
        for (query_id, _stratum), count in self._library.found.items():
            new[query_id] += count
        records = dict(counts.records)
        for query_id, count in new.items():
            known = records.get(query_id, Record())
            records[query_id] = replace(known, waiting=known.waiting + count)
        return replace(counts, records=records)

    def _load_dates(self, windows: Sequence[Window]) -> dict[int, list[int]]:
        counts = super()._load_dates(windows)
        for (query_id, stratum), count in self._library.found.items():
            counts.setdefault(query_id, [0] * len(windows))[stratum] += count
        return counts

    def _open_search(self, keyword: Keyword) -> WindowSearch:
        return _RehearsedSearch(
            keyword,
            self._licences,
            self._settings,
            self._source,
            self._catalogue,
            library=self._library,
        )

    def _find_empty(self, keyword: Keyword, page: SearchedPage) -> set[int]:
        windows = enumerate(self._strata.windows)
        count = self._library.count
        return {number for number, window in windows if not count(keyword.query_id, window)[1]}

    def _record(
        self, keyword: Keyword, page: SearchedPage, search: WindowSearch, rng: random.Random
    ) -> int:
        """How many photos of the page a run would take."""
        count = min(len(page.fresh), self._photos_per_draw)
        self._library.take(keyword.query_id, page.window, count)
        self._calls += len(search.pages)
        return count


@dataclass(frozen=True)
class _Searched:
    """One page of an earlier search."""

    window: Window | None
    matches: int
    returned: int
    fresh: int
    left_out: int
    at: datetime
    is_whole: bool


def _load_searched(
    session: Session, dates: str, licence_ids: str, per_page: int
) -> dict[int, list[_Searched]]:
    """The pages that searches for these licences showed of each query, in their order."""
    columns = (
        Search.query_id,
        Search.window_start_at,
        Search.window_end_at,
        Search.matches,
        Search.returned,
        Search.fresh,
        Search.left_out,
        Search.searched_at,
    )
    is_alike = Search.dates == dates, Search.licence_ids == licence_ids
    searched = defaultdict[int, list[_Searched]](list)
    for row in session.execute(select(*columns).where(*is_alike).order_by(Search.id)):
        start = row.window_start_at
        end = row.window_end_at
        searched[row.query_id].append(
            _Searched(
                window=Window(start, end) if start and end else None,
                matches=row.matches,
                returned=row.returned,
                fresh=row.fresh,
                left_out=sum(row.left_out.values()),
                at=row.searched_at,
                is_whole=row.matches <= row.returned < per_page,
            )
        )
    return dict(searched)


def _learn(pages: Sequence[_Searched], windows: Sequence[Window]) -> QueryYield:
    """What these pages say of their query, but for the photos that it found."""
    known = QueryYield()
    in_all = None
    matches = Counter[int]()
    shares = defaultdict[int, float](float)
    for page in pages:
        if page.window is None or page.window.secs > windows[0].secs / _WHOLE_SHARE:
            in_all = page.matches
            continue
        stratum = _find_stratum(windows, page.window.start)
        share = page.window.secs / windows[stratum].secs
        matches[stratum] += page.matches
        shares[stratum] += share
        if page.is_whole and share >= _WHOLE_SHARE:
            known.fresh[stratum] = page.fresh
            known.shown_at[stratum] = page.at
    known.matches = {stratum: matches[stratum] / shares[stratum] for stratum in shares}
    in_strata = sum(known.matches.values())
    others = len(windows) - len(shares)
    if in_all is not None and others:
        known.matches_elsewhere = max(0.0, in_all - in_strata) / others
    elif shares:
        known.matches_elsewhere = in_strata / len(shares)
    returned = sum(page.returned for page in pages)
    known.usable_share = 1 - sum(page.left_out for page in pages) / max(1, returned)
    return known


def _count_taken(
    session: Session, yields: Mapping[int, QueryYield], windows: Sequence[Window]
) -> None:
    """Count the photos that each query found, and take those off that a whole page showed."""
    is_searched = Photo.source.in_(SEARCHED), Photo.window_start_at.is_not(None)
    columns = Photo.query_id, Photo.window_start_at, Photo.found_at
    for query_id, start, found_at in session.execute(select(*columns).where(*is_searched)):
        if (known := yields.get(query_id)) is None:
            continue
        stratum = _find_stratum(windows, start)
        known.taken[stratum] += 1
        if stratum in known.fresh and found_at >= known.shown_at[stratum]:
            known.fresh[stratum] = max(0, known.fresh[stratum] - 1)


def _find_stratum(windows: Sequence[Window], moment: datetime) -> int:
    """The stratum of a moment, the nearest one where it is outside of all."""
    return max(0, bisect(windows, moment, key=attrgetter("start")) - 1)
