"""One draw: a query, a page of what it finds around a moment, photographs from it, as rows."""

from __future__ import annotations

import itertools
import random
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import insert
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.session import Catalogue
from catalog.tables import Search

from .caps import choose_within, load_room, lock_caps
from .errors import QueryRefusedError
from .flickr import Flickr
from .learnt import Learnt
from .licences import get_licences
from .pauses import Clock
from .query_yield import Balanced, ClassCounts, Uniform, load_counts, plan_targets
from .rows import Finding, count_draw, insert_found, load_draw_count, load_keywords, seed_queries
from .sampling import Keyword, choose_classes, draw_photos, seeded_generator, whole_range
from .search_window import DrawRules, WindowSearch
from .searches import SearchedPage

_CANDIDATES = 20
"""Photographs looked at for each one that is wanted, since the caps may refuse some."""


class Draws:
    """The draws to come: what a seed repeats."""

    def __init__(
        self,
        rules: DrawRules,
        keywords: Mapping[str, Sequence[Keyword]],
        chooser: Balanced | Uniform,
    ) -> None:
        self.rules = rules
        self.chooser = chooser
        self._keywords = {name: tuple(found) for name, found in keywords.items() if found}
        self._numbers = itertools.count(rules.first_draw)

    @property
    def is_empty(self) -> bool:
        """Whether no keyword is left."""
        return not self._keywords

    def draw(self) -> tuple[random.Random, Keyword] | None:
        """The next draw's generator and keyword, or None where no keyword is left."""
        if not self._keywords:
            return None
        rng = seeded_generator(self.rules.seed, next(self._numbers))
        return rng, self.chooser.choose(rng, self._keywords)

    def drop(self, keyword: Keyword) -> None:
        """Draw the keyword no more."""
        name = keyword.class_name
        left = tuple(one for one in self._keywords.get(name, ()) if one != keyword)
        self._keywords = {**self._keywords, name: left}
        if not left:
            del self._keywords[name]


def open_drawer(
    party: Party,
    classes: Sequence[str],
    seed: int | None,
    target: int,
    flickr: Flickr,
    clock: Clock,
    most_dry: int,
) -> Drawer:
    """A drawer for the party; its queries have rows by then. Raises SettingsError.

    Without classes all are drawn from; with a seed the draws are the same again.
    """
    settings = party.settings.collect
    wanted = choose_classes(party.preset, classes)
    licences = get_licences(settings.licences)
    span = whole_range(settings.first_date, settings.last_date or clock.now().date())
    chooser = _make_chooser(party, target)
    with party.catalogue.writing() as session:
        seed_queries(session, wanted)
        keywords = load_keywords(session, wanted)
        first_draw = load_draw_count(session)
    chosen = (seed, settings.seed, secrets.randbits(64))
    seed = next(one for one in chosen if one is not None)
    rules = DrawRules(seed, first_draw, span, licences, settings)
    learnt = Learnt(party.catalogue, settings.dates, ",".join(licences))
    draws = Draws(rules, keywords, chooser)
    return Drawer(draws, flickr, party.catalogue, clock, learnt, most_dry=most_dry)


def _make_chooser(party: Party, target: int) -> Balanced | Uniform:
    settings = party.settings.collect
    classes = choose_classes(party.preset, ())
    choose_classes(party.preset, tuple(settings.class_targets))  # raises where one is unknown
    if settings.choice == "uniform":
        return Uniform()

    def load() -> ClassCounts:
        with party.catalogue.reading() as session:
            return load_counts(session)

    return Balanced(plan_targets(tuple(classes), settings.class_targets, target), load)


class Drawer:
    """Makes one draw after the other; one thread alone may use it."""

    def __init__(
        self,
        draws: Draws,
        flickr: Flickr,
        catalogue: Catalogue,
        clock: Clock,
        learnt: Learnt,
        *,
        most_dry: int = 200,
    ) -> None:
        self._draws, self._flickr, self._learnt = draws, flickr, learnt
        self._catalogue, self._clock = catalogue, clock
        self._most_dry, self._dry_in_a_row = most_dry, 0

    @property
    def is_dry(self) -> bool:
        """Whether further draws make no sense: no keyword is left, or many found nothing new."""
        return self._draws.is_empty or self._dry_in_a_row >= self._most_dry

    def draw(self) -> int:
        """How many new photos were found; they wait as rows when this returns.

        A keyword that has nothing new in the whole range is drawn no more. Raises QueryRefusedError
        for one that Flickr refuses.
        """
        drawn = self._draws.draw()
        found = 0 if drawn is None else self._draw(*drawn)
        self._dry_in_a_row = 0 if found else self._dry_in_a_row + 1
        return found

    def close(self) -> None:
        """Close every connection."""
        self._flickr.close()

    def _draw(self, rng: random.Random, keyword: Keyword) -> int:
        rules = self._draws.rules
        search = WindowSearch(keyword, rules, self._flickr, self._catalogue, self._learnt)
        try:
            page = search.find_page(rng)
        except QueryRefusedError as error:
            raise QueryRefusedError(
                f"The query {keyword.text!r} of the class {keyword.class_name} cannot be asked. "
                f"{error} Change or remove it in the preset and run the same command again."
            ) from error
        if not page.matches:
            self._draws.drop(keyword)
        found = self._record(rng, keyword, page, search.pages)
        self._draws.chooser.count_found(keyword, found)
        return found

    def _record(
        self,
        rng: random.Random,
        keyword: Keyword,
        page: SearchedPage,
        pages: Sequence[SearchedPage],
    ) -> int:
        rules, now = self._draws.rules, self._clock.now()
        count = rules.settings.photos_per_search
        candidates = draw_photos(rng, page.fresh, count * _CANDIDATES)
        finding = Finding(keyword.query_id, page.window, page.page, now)
        with self._catalogue.writing() as session:
            lock_caps(session)
            owners = (photo.owner_id for photo in candidates)
            room = load_room(session, owners, rules.settings)
            chosen = choose_within(candidates, room, count)
            count_draw(session, keyword.query_id, len(pages), page.total)
            insert_searches(session, keyword.query_id, rules.settings.dates, pages, now)
            return insert_found(session, chosen, finding, rules.licences)


def insert_searches(
    session: Session,
    query_id: int,
    dates: str,
    pages: Sequence[SearchedPage],
    searched_at: datetime,
) -> None:
    """Keep what one draw's calls asked for and what they showed, a row each."""
    rows = [
        {
            "query_id": query_id,
            "dates": dates,
            "licence_ids": ",".join(page.licence_ids),
            "window_start_at": page.window.start if page.window else None,
            "window_end_at": page.window.end if page.window else None,
            "page": page.page,
            "matches": page.total,
            "returned": page.returned,
            "fresh": len(page.fresh),
            "searched_at": searched_at,
        }
        for page in pages
    ]
    if rows:
        session.execute(insert(Search), rows)
