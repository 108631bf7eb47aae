"""One draw: a query, the stratum that it has fewest photographs of, photographs, as rows.

Of the stratum a window around a random moment is searched, so narrow that it hides nothing.
"""

from __future__ import annotations

import itertools
import math
import random
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import insert

from catalog.licences import Licence, get_licences
from catalog.party import Party
from catalog.session import Catalogue
from catalog.settings import CollectSettings
from catalog.states import Source
from catalog.tables import Search

from . import rows
from .commons import Commons
from .errors import QueryRefusedError
from .flickr import Flickr
from .forecast import plan_party_targets
from .pauses import Clock
from .query_yield import Balanced, ClassCounts, choose_uniform, load_counts
from .results import FoundPhoto, Question, Results
from .source_table.source import Tables
from .strata import (
    Keyword,
    Strata,
    Window,
    choose_classes,
    count_per_draw,
    deepest_level,
    draw_in_time,
    draw_moment,
    find_span,
    load_counts_by_window,
    seeded_generator,
    window_around,
)

PhotoSource = Flickr | Commons | Tables
"""All have the same attributes and methods; only `reachable` results of a search are shown."""


@dataclass(frozen=True)
class SearchedPage:
    """One page of a search; `fresh` are wanted, have no row, and their owners have room."""

    window: Window | None
    page: int
    total: int
    returned: int
    fresh: tuple[FoundPhoto, ...]
    per_page: int
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether it shows all that the search has: a full page hides more, whatever is claimed."""
        return self.total <= self.per_page and self.returned < self.per_page


def next_level(pages: Mapping[int, SearchedPage], start: int, deepest: int) -> int | None:
    """The level to search next, given the pages of those that were searched; None to stop."""
    if not pages:
        return min(start, deepest)
    if any(page.is_whole and page.fresh for page in pages.values()):
        return None
    full = max((level for level, page in pages.items() if not page.is_whole), default=None)
    empty = min((level for level, page in pages.items() if page.is_whole), default=None)
    if full is None:
        return max(0, empty - 2) if empty else None
    if empty is None:
        per_page = pages[full].per_page  # half a page is aimed at
        halvings = math.ceil(math.log2(2 * max(per_page, pages[full].total) / per_page))
        return min(deepest, full + halvings) if full < deepest else None
    return None if empty - full <= 1 else (full + empty) // 2


def best_level(pages: Mapping[int, SearchedPage]) -> int:
    """The deepest searched level with something fresh, else the widest."""
    return max((level for level, page in pages.items() if page.fresh), default=min(pages))


@dataclass
class WindowSearch:
    """One keyword's searches of one draw; `pages` holds all that were asked for."""

    keyword: Keyword
    licences: Mapping[str, Licence]
    settings: CollectSettings
    source: PhotoSource
    catalogue: Catalogue
    pages: list[SearchedPage] = field(default_factory=list)

    def find_page(
        self, rng: random.Random, stratum: Window, start: int
    ) -> tuple[int, SearchedPage]:
        """The level and the page of a window around a random moment of the stratum."""
        moment = draw_moment(rng, stratum)
        pages = dict[int, SearchedPage]()
        deepest = deepest_level(stratum, self.source.shortest_secs)
        while (level := next_level(pages, start, deepest)) is not None:
            pages[level] = self.search(window_around(moment, stratum, level))
        return best_level(pages), pages[best_level(pages)]

    def find_undated_page(self, rng: random.Random) -> SearchedPage:
        """A page of what is shown without dates, the first where nothing on any is fresh."""
        first = self.search(None)
        per_page = self.source.per_page
        places = max(1, min(first.total, self.source.reachable))
        numbers = range(1, -(-places // per_page) + 1)
        drawn = rng.randrange(places) // per_page + 1
        for number in dict.fromkeys((drawn, *rng.sample(numbers, len(numbers)))):
            page = first if number == 1 else self.search(None, number)
            if page.fresh:
                return page
        return first

    def search(self, window: Window | None, page: int = 1) -> SearchedPage:
        """One call: the photos that may be chosen, each once; of those that are not wanted, why."""
        source = self.source
        settings = self.settings
        ids = tuple(self.licences)
        question = Question(
            self.keyword.text, window, page, settings.dates, ids, settings.longest_side_px
        )
        results = source.search(question)
        left_out = self._name_unreadable(results, window, page)
        wanted = dict[str, FoundPhoto]()
        for photo in results.photos:
            is_listed = source.kind is Source.TABLE
            least_px = settings.min_side_px
            if reason := rows.find_unfit(photo, self.licences, least_px, is_listed=is_listed):
                left_out[photo.page_url] = reason
            else:
                wanted[photo.source_id] = photo
        with self.catalogue.reading() as session:
            known = rows.load_known_ids(session, source.kind, wanted)
            new = [photo for source_id, photo in wanted.items() if source_id not in known]
            room = rows.load_room(session, (photo.owner_id for photo in new), settings)
        fresh = tuple(filter(room.admits, new))
        searched = SearchedPage(
            window, page, results.total, results.returned, fresh, source.per_page, left_out
        )
        self.pages.append(searched)
        return searched

    def _name_unreadable(
        self, results: Results, window: Window | None, page: int
    ) -> dict[str, str]:
        """The records of an answer that tell no photo, by names that no other record has."""
        days = f", {window.start:%Y-%m-%d %H:%M} to {window.end:%Y-%m-%d %H:%M}" if window else ""
        place = f"page {page} of {self.keyword.text!r}{days}"
        reason = f"its id or its owner's is none of {self.source.name}"
        return {
            f"unreadable record {number} of {place}": reason
            for number in range(1, results.unreadable + 1)
        }


class Drawer:
    """Makes one draw after the other for a party, the same with the same seed; for one thread."""

    def __init__(
        self,
        party: Party,
        classes: Sequence[str],
        seed: int | None,
        target: int,
        missing: int,
        source: PhotoSource,
        clock: Clock,
        most_dry: int,
    ) -> None:
        self._settings = settings = party.settings.collect
        self._catalogue = party.catalogue
        self._source = source
        self._clock = clock
        wanted = choose_classes(party.preset, classes)
        self._licences = get_licences(settings.licences)
        self._span = find_span(settings, clock.now())
        targets = plan_party_targets(party, tuple(wanted), target)
        self._balanced = Balanced(targets, self._load_counts)
        is_uniform = settings.choice == "uniform"
        self._choose = choose_uniform if is_uniform else self._balanced.choose
        keywords = self._load_keywords(wanted, party.preset.class_ids)
        self._keywords = {name: queries for name, queries in keywords.items() if queries}
        with party.catalogue.reading() as session:
            self._numbers = itertools.count(rows.load_draw_count(session))
        chosen = (seed, settings.seed, secrets.randbits(64))
        self._seed = next(candidate for candidate in chosen if candidate is not None)
        self._strata = Strata(self._span, self._load_dates)
        strata = len(self._strata.windows)
        self._photos_per_draw = count_per_draw(settings.photos_per_search, missing, strata)
        self._most_dry = most_dry
        self._dry_in_a_row = 0
        self._is_by_taken = settings.dates == "taken"
        self._surveyed: set[Keyword] = set()
        self.left_out: dict[str, str] = {}
        """Why results were left out, by the addresses of their pages."""
        self.returned = 0
        """How many results all searches had."""

    def cut(self) -> None:
        """Break off the call that runs, for another thread."""
        self._source.cut()

    @property
    def is_dry(self) -> bool:
        """Whether further draws make no sense: no keyword is left, or many found nothing new."""
        return not self._keywords or self._dry_in_a_row >= self._most_dry

    def draw(self) -> int:
        """How many new photos were found; they wait as rows when this returns."""
        if not self._keywords:
            return 0
        rng = seeded_generator(self._seed, next(self._numbers))
        keyword = self._choose(rng, self._keywords)
        search = self._open_search(keyword)
        self._dry_in_a_row += 1
        try:
            if self._settings.dates == "none":
                page = search.find_undated_page(rng)
                if not page.fresh:
                    self._drop(keyword)
                    self._dry_in_a_row = 0  # the draw was of use: one keyword less is left
                count = self._record(keyword, page, search, rng)
            else:
                count = self._draw_dated(rng, keyword, search)
        except QueryRefusedError as error:
            raise QueryRefusedError(
                f"The query {keyword.text!r} of the class {keyword.class_name} cannot be asked. "
                f"{error} Change or remove it in the preset and run the same command again."
            ) from error
        self._balanced.count_found(keyword, count)
        if count:
            self._dry_in_a_row = 0
        return count

    def _draw_dated(self, rng: random.Random, keyword: Keyword, search: WindowSearch) -> int:
        query_id = keyword.query_id
        strata = self._strata
        number = strata.choose(rng, query_id)
        stratum = strata.windows[number]
        level, page = search.find_page(rng, stratum, strata.find_level(query_id, number))
        strata.levels[query_id][number] = level
        is_all = page.is_whole and page.window == stratum
        empty = self._survey(keyword, search) if is_all and not page.fresh else set[int]()
        count = self._record(keyword, page, search, rng)
        strata.add(query_id, number, count)
        is_out = is_all and count < self._photos_per_draw
        if is_out or (not count and strata.is_missed(query_id, number)):
            self._dry_in_a_row = 0  # the draw was of use: it closes strata
            if not strata.close(query_id, {number} | empty):
                self._drop(keyword)
        return count

    def _survey(self, keyword: Keyword, search: WindowSearch) -> set[int]:
        """The strata without anything new, where one page shows the whole range, else none."""
        if keyword in self._surveyed:
            return set()
        self._surveyed.add(keyword)
        page = search.search(self._span)
        return self._find_empty(keyword, page) if page.is_whole else set()

    def _find_empty(self, keyword: Keyword, page: SearchedPage) -> set[int]:
        """The strata of which a page of the whole range has nothing new, none where undated."""
        dates = [photo.find_date(is_by_taken=self._is_by_taken) for photo in page.fresh]
        known = [at for at in dates if at is not None]
        if len(known) < len(dates):
            return set()
        windows = enumerate(self._strata.windows)
        return {number for number, window in windows if not any(map(window.holds, known))}

    def _order(self, page: SearchedPage, rng: random.Random) -> Iterable[FoundPhoto]:
        """What is fresh in a random order; uniform in time where the page is of a window."""
        if page.window is None:
            return rng.sample(page.fresh, len(page.fresh))
        dated = [
            (photo.find_date(is_by_taken=self._is_by_taken) or draw_moment(rng, page.window), photo)
            for photo in page.fresh
        ]
        return draw_in_time(rng, dated, page.window)

    def _drop(self, keyword: Keyword) -> None:
        """Draw the keyword no more."""
        left = tuple(other for other in self._keywords.pop(keyword.class_name) if other != keyword)
        if left:
            self._keywords[keyword.class_name] = left

    def _load_keywords(
        self, wanted: Mapping[str, Sequence[str]], class_ids: Mapping[str, str]
    ) -> dict[str, tuple[Keyword, ...]]:
        """The keywords of the classes; each has a row."""
        with self._catalogue.writing() as session:
            return rows.load_keywords(session, wanted, class_ids, self._source.kind)

    def _load_counts(self) -> ClassCounts:
        with self._catalogue.reading() as session:
            return load_counts(session)

    def _load_dates(self, windows: Sequence[Window]) -> dict[int, list[int]]:
        """How many photos each query has in each window."""
        with self._catalogue.reading() as session:
            is_by_taken = self._settings.dates == "taken"
            return load_counts_by_window(session, windows, is_by_taken=is_by_taken)

    def _open_search(self, keyword: Keyword) -> WindowSearch:
        return WindowSearch(keyword, self._licences, self._settings, self._source, self._catalogue)

    def _record(
        self,
        keyword: Keyword,
        page: SearchedPage,
        search: WindowSearch,
        rng: random.Random,
    ) -> int:
        """How many photos of the page are rows now: the first that the caps admit."""
        in_order = self._order(page, rng)
        now = self._clock.now()
        finding = rows.Finding(keyword.query_id, page.window, page.page, now)
        with self._catalogue.writing() as session:
            rows.lock_caps(session)
            room = rows.load_room(session, (photo.owner_id for photo in page.fresh), self._settings)
            chosen = rows.choose_within(in_order, room, self._photos_per_draw)
            for searched in search.pages:
                self.left_out.update(searched.left_out)
                self.returned += searched.returned
            rows.count_draw(session, keyword.query_id, len(search.pages), page.total)
            searches = [
                {
                    "query_id": keyword.query_id,
                    "dates": self._settings.dates,
                    "licence_ids": ",".join(self._licences),
                    "window_start_at": entry.window.start if entry.window else None,
                    "window_end_at": entry.window.end if entry.window else None,
                    "page": entry.page,
                    "matches": entry.total,
                    "returned": entry.returned,
                    "fresh": len(entry.fresh),
                    "left_out": dict(Counter(entry.left_out.values())),
                    "searched_at": now,
                }
                for entry in search.pages
            ]
            session.execute(insert(Search), searches)
            return rows.insert_found(session, chosen, finding, self._source.kind)
