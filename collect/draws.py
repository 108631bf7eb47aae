"""One draw: a query, the stratum that it has fewest photographs of, photographs, as rows."""

from __future__ import annotations

import itertools
import random
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import insert

from catalog.party import Party
from catalog.session import Catalogue
from catalog.tables import Search

from .caps import choose_within, load_room, lock_caps
from .errors import QueryRefusedError
from .licences import get_licences
from .pauses import Clock
from .query_yield import Balanced, ClassCounts, Uniform, load_counts
from .results import FoundPhoto
from .rows import Finding, count_draw, insert_found, load_draw_count, load_keywords, seed_queries
from .sampling import (
    Keyword,
    choose_classes,
    cut_strata,
    draw_in_time,
    draw_moment,
    seeded_generator,
    whole_range,
)
from .searches import DrawRules, SearchedPage, WindowSearch
from .sources import PhotoSource
from .strata import Strata
from .survival import check_targets, plan_party_targets

_VISITS = 2
"""How often a run draws from each stratum at least: a short one takes fewer of each search."""


def open_drawer(
    party: Party,
    classes: Sequence[str],
    seed: int | None,
    target: int,
    missing: int,
    source: PhotoSource,
    clock: Clock,
    most_dry: int,
) -> Drawer:
    """A drawer for the party; its queries have rows by then. Raises SettingsError.

    Without classes all are drawn from; with a seed the draws are the same again. `missing` is how
    many images the run shall fetch.
    """
    settings = party.settings.collect
    wanted = choose_classes(party.preset, classes)
    licences = get_licences(settings.licences)
    span = whole_range(settings.first_date, settings.last_date or clock.now().date())
    chooser = _make_chooser(party, tuple(wanted), target)
    with party.catalogue.writing() as session:
        seed_queries(session, wanted, source.kind)
        keywords = load_keywords(session, wanted, source.kind)
        first_draw = load_draw_count(session)
    chosen = (seed, settings.seed, secrets.randbits(64))
    seed = next(one for one in chosen if one is not None)
    count = max(1, min(settings.photos_per_search, missing // (_VISITS * len(cut_strata(span)))))
    rules = DrawRules(seed, first_draw, span, licences, settings, count)
    return Drawer(rules, keywords, chooser, source, party.catalogue, clock, most_dry=most_dry)


def _make_chooser(party: Party, classes: Sequence[str], target: int) -> Balanced | Uniform:
    settings = party.settings.collect
    check_targets(party)
    if settings.choice == "uniform":
        return Uniform()

    def load() -> ClassCounts:
        with party.catalogue.reading() as session:
            return load_counts(session)

    return Balanced(plan_party_targets(party, classes, target), load)


class Drawer:
    """Makes one draw after the other; one thread alone may use it."""

    def __init__(
        self,
        rules: DrawRules,
        keywords: Mapping[str, Sequence[Keyword]],
        chooser: Balanced | Uniform,
        source: PhotoSource,
        catalogue: Catalogue,
        clock: Clock,
        *,
        most_dry: int = 200,
    ) -> None:
        self._rules, self._chooser, self._source = rules, chooser, source
        self._catalogue, self._clock = catalogue, clock
        self._keywords = {name: tuple(found) for name, found in keywords.items() if found}
        self._numbers = itertools.count(rules.first_draw)
        self._most_dry, self._dry_in_a_row = most_dry, 0
        self._strata = Strata(catalogue, cut_strata(rules.span), rules.settings.dates)
        self._is_by_taken = rules.settings.dates == "taken"
        self._surveyed: set[Keyword] = set()
        self.left_out: dict[str, str] = {}
        """Why results were left out, by the addresses of their pages."""

    @property
    def is_dry(self) -> bool:
        """Whether further draws make no sense: no keyword is left, or many found nothing new."""
        return not self._keywords or self._dry_in_a_row >= self._most_dry

    def draw(self) -> int:
        """How many new photos were found; they wait as rows when this returns.

        A keyword that has nothing new in the whole range is drawn no more. Raises QueryRefusedError
        for one that the source refuses.
        """
        if not self._keywords:
            return 0
        rng = seeded_generator(self._rules.seed, next(self._numbers))
        keyword = self._chooser.choose(rng, self._keywords)
        search = WindowSearch(keyword, self._rules, self._source, self._catalogue)
        self._dry_in_a_row += 1
        try:
            if self._rules.settings.dates == "none":
                found = self._draw_undated(rng, keyword, search)
            else:
                found = self._draw_dated(rng, keyword, search)
        except QueryRefusedError as error:
            raise QueryRefusedError(
                f"The query {keyword.text!r} of the class {keyword.class_name} cannot be asked. "
                f"{error} Change or remove it in the preset and run the same command again."
            ) from error
        self._chooser.count_found(keyword, found)
        if found:
            self._dry_in_a_row = 0
        return found

    def close(self) -> None:
        """Close every connection."""
        self._source.close()

    def _draw_undated(self, rng: random.Random, keyword: Keyword, search: WindowSearch) -> int:
        page = search.find_undated_page(rng)
        if not page.fresh:
            self._drop(keyword)
        return self._record(keyword, page, search, rng.sample(page.fresh, len(page.fresh)))

    def _draw_dated(self, rng: random.Random, keyword: Keyword, search: WindowSearch) -> int:
        query_id, strata = keyword.query_id, self._strata
        number = strata.choose(rng, query_id)
        stratum = strata.windows[number]
        level, page = search.find_page(rng, stratum, strata.find_level(query_id, number))
        strata.note_level(query_id, number, level)
        is_all = page.is_whole and page.window == stratum
        empty = self._survey(keyword, search) if is_all and not page.fresh else set[int]()
        found = self._record(keyword, page, search, self._order(rng, page))
        strata.add(query_id, number, found)
        is_out = is_all and found < self._rules.photos_per_draw
        if is_out or (not found and strata.is_missed(query_id, number)):
            self._dry_in_a_row = 0  # the draw was of use: it closes strata
            if not strata.close(query_id, {number} | empty):
                self._drop(keyword)
        return found

    def _order(self, rng: random.Random, page: SearchedPage) -> Iterable[FoundPhoto]:
        """The fresh photos of a window, so that the first ones are uniform in time."""
        window = page.window or self._rules.span
        dated = [
            (photo.find_date(is_by_taken=self._is_by_taken) or draw_moment(rng, window), photo)
            for photo in page.fresh
        ]
        return draw_in_time(rng, dated, window)

    def _survey(self, keyword: Keyword, search: WindowSearch) -> set[int]:
        """The strata without anything new, where one page shows the whole range, else none.

        Once for each keyword: many keywords match nothing at all in a small library.
        """
        if keyword in self._surveyed:
            return set()
        self._surveyed.add(keyword)
        page = search.search(self._rules.span)
        dates = [photo.find_date(is_by_taken=self._is_by_taken) for photo in page.fresh]
        known = [at for at in dates if at is not None]
        if not page.is_whole or len(known) < len(dates):
            return set()
        windows = enumerate(self._strata.windows)
        return {number for number, window in windows if not any(map(window.holds, known))}

    def _drop(self, keyword: Keyword) -> None:
        """Draw the keyword no more."""
        name = keyword.class_name
        left = tuple(one for one in self._keywords[name] if one != keyword)
        self._keywords = {**self._keywords, name: left}
        if not left:
            del self._keywords[name]

    def _record(
        self,
        keyword: Keyword,
        page: SearchedPage,
        search: WindowSearch,
        in_order: Iterable[FoundPhoto],
    ) -> int:
        """How many photos of the page are rows now: the first that the caps admit."""
        rules = self._rules
        finding = Finding(keyword.query_id, page.window, page.page, self._clock.now())
        with self._catalogue.writing() as session:
            lock_caps(session)
            room = load_room(session, (photo.owner_id for photo in page.fresh), rules.settings)
            chosen = choose_within(in_order, room, rules.photos_per_draw)
            for searched in search.pages:
                self.left_out.update(searched.left_out)
            count_draw(session, keyword.query_id, len(search.pages), page.total)
            session.execute(insert(Search), [self._search_row(keyword, it) for it in search.pages])
            return insert_found(session, chosen, finding, self._source.kind)

    def _search_row(self, keyword: Keyword, page: SearchedPage) -> dict[str, Any]:
        """What one call asked for and what it showed."""
        return {
            "query_id": keyword.query_id,
            "dates": self._rules.settings.dates,
            "licence_ids": ",".join(self._rules.licences),
            "window_start_at": page.window.start if page.window else None,
            "window_end_at": page.window.end if page.window else None,
            "page": page.page,
            "matches": page.total,
            "returned": page.returned,
            "fresh": len(page.fresh),
            "left_out": dict(Counter(page.left_out.values())),
            "searched_at": self._clock.now(),
        }
