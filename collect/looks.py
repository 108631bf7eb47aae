"""Looking for a keyword: the window around a moment that fits, then a page of it."""

from __future__ import annotations

import random
from dataclasses import dataclass

from catalog.session import Catalogue

from .draw_pool import DrawRules
from .flickr import Flickr
from .found import is_wanted, load_known_ids
from .results import FoundPhoto
from .sampling import Keyword, draw_page
from .searches import PER_PAGE, search_arguments
from .windows import (
    Window,
    best_level,
    deepest_level,
    draw_moment,
    first_level,
    next_level,
    window_around,
)


@dataclass(frozen=True)
class Look:
    """One searched page: how many matches Flickr claims, and its wanted photos without a row."""

    window: Window | None
    page: int
    total: int
    fresh: tuple[FoundPhoto, ...]

    @property
    def matches(self) -> int:
        """The claimed matches; 0 where this page shows them all and none of them is fresh."""
        shows_all = self.page == 1 and self.total <= PER_PAGE
        return 0 if shows_all and not self.fresh else self.total


class Looker:
    """One keyword's searches of one draw; `searches` counts them."""

    def __init__(
        self, keyword: Keyword, rules: DrawRules, flickr: Flickr, catalogue: Catalogue
    ) -> None:
        self._keyword, self._rules = keyword, rules
        self._flickr, self._catalogue = flickr, catalogue
        self.searches = 0

    def find_page(self, rng: random.Random) -> Look:
        """A page at random, in a window around a random moment; raises QueryRefusedError.

        It has no matches only where the whole range has none.
        """
        is_dated = self._rules.settings.dates != "none"
        look = self._find_window(rng) if is_dated else self._search(None)
        page = draw_page(rng, look.total, PER_PAGE)
        if page == 1:
            return look
        further = self._search(look.window, page)
        return further if further.fresh else look

    def _find_window(self, rng: random.Random) -> Look:
        span = self._rules.span
        moment = draw_moment(rng, span)
        start, deepest = first_level(span, self._rules.settings.window_days), deepest_level(span)
        looks: dict[int, Look] = {}
        while True:
            matches = {level: look.matches for level, look in looks.items()}
            level = next_level(matches, start, deepest)
            if level is None:
                found = best_level(matches)
                return looks[min(looks) if found is None else found]
            looks[level] = self._search(window_around(moment, span, level))

    def _search(self, window: Window | None, page: int = 1) -> Look:
        rules = self._rules
        arguments = search_arguments(
            self._keyword.text,
            rules.licences,
            dates=rules.settings.dates,
            window=window,
            page=page,
        )
        self.searches += 1
        results = self._flickr.search(arguments, rules.settings.longest_side_px)
        return Look(window, page, results.total, self._find_fresh(results.photos))

    def _find_fresh(self, photos: tuple[FoundPhoto, ...]) -> tuple[FoundPhoto, ...]:
        """The photos that are wanted and have no row, each once, in the order of the page."""
        rules = self._rules
        wanted = {
            photo.source_id: photo
            for photo in photos
            if is_wanted(photo, rules.licences, rules.settings.min_side_px)
        }
        with self._catalogue.reading() as session:
            known = load_known_ids(session, wanted)
        return tuple(photo for source_id, photo in wanted.items() if source_id not in known)
