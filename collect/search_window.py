"""Finding the window around a moment that Flickr can show in full, then a page of it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from catalog.session import Catalogue
from catalog.settings import CollectSettings

from .caps import load_room
from .flickr import Flickr
from .learnt import Known, Learnt, informed_level
from .licences import Licence
from .results import FoundPhoto
from .rows import is_wanted, load_known_ids
from .sampling import (
    REACHABLE,
    SPLIT_ABOVE,
    Keyword,
    Window,
    best_level,
    deepest_level,
    draw_moment,
    first_level,
    next_level,
    window_around,
)
from .searches import Pages, SearchedPage, choose_sizes, search_arguments


@dataclass(frozen=True)
class DrawRules:
    """What draws are made from: seed, range of dates, kept licences, the settings of collect."""

    seed: int
    first_draw: int
    span: Window
    licences: Mapping[str, Licence]
    settings: CollectSettings


class WindowSearch:
    """One keyword's searches of one draw; `pages` holds all that were asked for."""

    def __init__(
        self,
        keyword: Keyword,
        rules: DrawRules,
        flickr: Flickr,
        catalogue: Catalogue,
        learnt: Learnt,
    ) -> None:
        self._keyword, self._rules, self._learnt = keyword, rules, learnt
        self._flickr, self._catalogue = flickr, catalogue
        self.pages: list[SearchedPage] = []

    def find_page(self, rng: random.Random) -> SearchedPage:
        """A page at random, in a window around a random moment; raises QueryRefusedError.

        It has no matches only where the whole range has none.
        """
        if self._rules.settings.dates == "none":
            return self._make_pages(self._search(None)).draw(rng)
        moment = draw_moment(rng, self._rules.span)
        level, first = self._find_window(moment)
        if first.total > SPLIT_ABOVE:
            first = self._split_by_licence(rng, first)
        while True:
            pages = self._make_pages(first)
            page = pages.draw(rng)
            hides = first.total <= SPLIT_ABOVE and pages.are_full()
            narrower = self._find_narrower(rng, moment, level + 1, first) if hides else None
            if narrower is None:
                return page
            level, first = level + 1, narrower

    def _make_pages(self, first: SearchedPage) -> Pages:
        return Pages(first, lambda page: self._search(first.window, page, first.licence_ids))

    def _find_window(self, moment: datetime) -> tuple[int, SearchedPage]:
        """The level of the window around the moment that fits by what Flickr claims, and a page."""
        span = self._rules.span
        start, deepest = self._find_start(moment), deepest_level(span)
        pages: dict[int, SearchedPage] = {}
        while True:
            matches = {level: page.matches for level, page in pages.items()}
            level = next_level(matches, start, deepest)
            if level is None:
                break
            pages[level] = self._search(window_around(moment, span, level))
        found = [Known(one.window, one.matches) for one in pages.values() if one.window]
        self._learnt.add(self._keyword.query_id, found)
        best = best_level(matches)
        level = min(pages) if best is None else best
        return level, pages[level]

    def _find_narrower(
        self, rng: random.Random, moment: datetime, level: int, full: SearchedPage
    ) -> SearchedPage | None:
        """A page of less than a search that was full to the end, whatever Flickr claimed.

        At half of its window or, where that is as short as windows get, at one of its licences;
        None where nothing is left to halve, or neither the half nor any licence has anything.
        """
        if full.window is not None:
            self._learnt.add(self._keyword.query_id, [Known(full.window, REACHABLE)])
        if level > deepest_level(self._rules.span):
            part = self._split_by_licence(rng, full)
            return None if part is full else part
        page = self._search(window_around(moment, self._rules.span, level))
        return page if page.matches else None

    def _find_start(self, moment: datetime) -> int:
        span, known = self._rules.span, self._learnt.load(self._keyword.query_id)
        return informed_level(
            known,
            moment,
            span,
            first=first_level(span, self._rules.settings.window_days),
            deepest=deepest_level(span),
        )

    def _split_by_licence(self, rng: random.Random, page: SearchedPage) -> SearchedPage:
        """One licence's part of a window that is as short as windows get and still too full.

        Each part is as likely as it has photographs within reach, so that each of those is.
        """
        if len(page.licence_ids) == 1:
            return page
        parts = [self._search(page.window, 1, (one,)) for one in page.licence_ids]
        weights = [min(part.matches, REACHABLE) for part in parts]
        return rng.choices(parts, weights)[0] if any(weights) else page

    def _search(
        self, window: Window | None, page: int = 1, licence_ids: tuple[str, ...] = ()
    ) -> SearchedPage:
        rules = self._rules
        licence_ids = licence_ids or tuple(rules.licences)
        longest_side_px = rules.settings.longest_side_px
        arguments = search_arguments(
            self._keyword.text,
            licence_ids,
            dates=rules.settings.dates,
            window=window,
            page=page,
            sizes=choose_sizes(longest_side_px),
        )
        results = self._flickr.search(arguments, longest_side_px)
        fresh = self._find_fresh(results.photos)
        made = SearchedPage(
            window, licence_ids, page, results.total, results.returned, fresh, results.ids
        )
        self.pages.append(made)
        return made

    def _find_fresh(self, photos: Sequence[FoundPhoto]) -> tuple[FoundPhoto, ...]:
        """The photos that may be chosen, each once."""
        rules = self._rules
        wanted = {
            photo.source_id: photo
            for photo in photos
            if is_wanted(photo, rules.licences, rules.settings.min_side_px)
        }
        if not wanted:
            return ()
        with self._catalogue.reading() as session:
            known = load_known_ids(session, wanted)
            new = [photo for source_id, photo in wanted.items() if source_id not in known]
            room = load_room(session, (one.owner_id for one in new), rules.settings)
        return tuple(photo for photo in new if room.admits(photo))
