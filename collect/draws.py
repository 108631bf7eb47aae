"""One draw: a query, the stratum that it has fewest photographs of, photographs, as rows."""

from __future__ import annotations

import itertools
import random
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

from sqlalchemy import insert

from catalog.party import Party
from catalog.tables import Search

from . import rows
from .errors import QueryRefusedError
from .forecast import plan_party_targets
from .pauses import Clock
from .query_yield import Balanced, ClassCounts, choose_uniform, load_counts
from .results import FoundPhoto, get_licences
from .search_window import PhotoSource, SearchedPage, WindowSearch
from .strata import (
    Keyword,
    Strata,
    choose_classes,
    draw_in_time,
    draw_moment,
    find_span,
    seeded_generator,
)

_VISITS = 2
"""How often a run draws from each stratum at least: a short one takes fewer of each search."""


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
        self._catalogue, self._source, self._clock = party.catalogue, source, clock
        wanted = choose_classes(party.preset, classes)
        self._licences = get_licences(settings.licences)
        self._span = find_span(settings, clock.now())
        targets = plan_party_targets(party, tuple(wanted), target)
        self._balanced = Balanced(targets, partial(_load_counts, party))
        is_uniform = settings.choice == "uniform"
        self._choose = choose_uniform if is_uniform else self._balanced.choose
        with party.catalogue.writing() as session:
            keywords = rows.load_keywords(session, wanted, source.kind)
            self._numbers = itertools.count(rows.load_draw_count(session))
        self._keywords = {name: found for name, found in keywords.items() if found}
        chosen = (seed, settings.seed, secrets.randbits(64))
        self._seed = next(one for one in chosen if one is not None)
        self._strata = Strata(party.catalogue, self._span, settings.dates)
        share = missing // (_VISITS * len(self._strata.windows))
        self._photos_per_draw = max(1, min(settings.photos_per_search, share))
        self._most_dry, self._dry_in_a_row = most_dry, 0
        self._is_by_taken = settings.dates == "taken"
        self._surveyed: set[Keyword] = set()
        self.left_out: dict[str, str] = {}
        """Why results were left out, by the addresses of their pages."""

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
        search = WindowSearch(
            keyword, self._licences, self._settings, self._source, self._catalogue
        )
        self._dry_in_a_row += 1
        try:
            if self._settings.dates == "none":
                page = search.find_undated_page(rng)
                if not page.fresh:
                    self._drop(keyword)
                in_order = rng.sample(page.fresh, len(page.fresh))
                found = self._record(keyword, page, search, in_order)
            else:
                found = self._draw_dated(rng, keyword, search)
        except QueryRefusedError as error:
            raise QueryRefusedError(
                f"The query {keyword.text!r} of the class {keyword.class_name} cannot be asked. "
                f"{error} Change or remove it in the preset and run the same command again."
            ) from error
        self._balanced.count_found(keyword, found)
        if found:
            self._dry_in_a_row = 0
        return found

    def _draw_dated(self, rng: random.Random, keyword: Keyword, search: WindowSearch) -> int:
        query_id, strata = keyword.query_id, self._strata
        number = strata.choose(rng, query_id)
        stratum = strata.windows[number]
        level, page = search.find_page(rng, stratum, strata.find_level(query_id, number))
        strata.levels[query_id][number] = level
        is_all = page.is_whole and page.window == stratum
        empty = self._survey(keyword, search) if is_all and not page.fresh else set[int]()
        window = page.window or self._span
        dated = [
            (photo.find_date(is_by_taken=self._is_by_taken) or draw_moment(rng, window), photo)
            for photo in page.fresh
        ]
        found = self._record(keyword, page, search, draw_in_time(rng, dated, window))
        strata.add(query_id, number, found)
        is_out = is_all and found < self._photos_per_draw
        if is_out or (not found and strata.is_missed(query_id, number)):
            self._dry_in_a_row = 0  # the draw was of use: it closes strata
            if not strata.close(query_id, {number} | empty):
                self._drop(keyword)
        return found

    def _survey(self, keyword: Keyword, search: WindowSearch) -> set[int]:
        """The strata without anything new, where one page shows the whole range, else none."""
        if keyword in self._surveyed:
            return set()
        self._surveyed.add(keyword)
        page = search.search(self._span)
        dates = [photo.find_date(is_by_taken=self._is_by_taken) for photo in page.fresh]
        known = [at for at in dates if at is not None]
        if not page.is_whole or len(known) < len(dates):
            return set()
        windows = enumerate(self._strata.windows)
        return {number for number, window in windows if not any(map(window.holds, known))}

    def _drop(self, keyword: Keyword) -> None:
        """Draw the keyword no more."""
        left = tuple(one for one in self._keywords.pop(keyword.class_name) if one != keyword)
        if left:
            self._keywords[keyword.class_name] = left

    def _record(
        self,
        keyword: Keyword,
        page: SearchedPage,
        search: WindowSearch,
        in_order: Iterable[FoundPhoto],
    ) -> int:
        """How many photos of the page are rows now: the first that the caps admit."""
        finding = rows.Finding(keyword.query_id, page.window, page.page, self._clock.now())
        with self._catalogue.writing() as session:
            rows.lock_caps(session)
            room = rows.load_room(session, (photo.owner_id for photo in page.fresh), self._settings)
            chosen = rows.choose_within(in_order, room, self._photos_per_draw)
            for searched in search.pages:
                self.left_out.update(searched.left_out)
            rows.count_draw(session, keyword.query_id, len(search.pages), page.total)
            searches = [
                {
                    "query_id": keyword.query_id,
                    "dates": self._settings.dates,
                    "licence_ids": ",".join(self._licences),
                    "window_start_at": it.window.start if it.window else None,
                    "window_end_at": it.window.end if it.window else None,
                    "page": it.page,
                    "matches": it.total,
                    "returned": it.returned,
                    "fresh": len(it.fresh),
                    "left_out": dict(Counter(it.left_out.values())),
                    "searched_at": self._clock.now(),
                }
                for it in search.pages
            ]
            session.execute(insert(Search), searches)
            return rows.insert_found(session, chosen, finding, self._source.kind)


def _load_counts(party: Party) -> ClassCounts:
    with party.catalogue.reading() as session:
        return load_counts(session)
