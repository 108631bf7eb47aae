"""One draw: a query, a window with neither too many nor no matches, a page, photographs from it."""

from __future__ import annotations

import logging
import random
from dataclasses import dataclass

from catalog.session import Catalogue

from .clock import Clock
from .draw_pool import DrawPool, DrawRules
from .errors import QueryRefusedError
from .flickr import Flickr
from .found import Finding, insert_found, is_wanted, load_known_ids
from .queries import DrawCounts, count_draw
from .results import FoundPhoto, Results
from .sampling import Keyword, draw_page, draw_photos
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

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Look:
    """One searched page of a keyword's matches in a window."""

    window: Window | None
    page: int
    results: Results


class Drawer:
    """One thread's draws: searches through its client, committed as rows of found photos."""

    def __init__(self, pool: DrawPool, flickr: Flickr, catalogue: Catalogue, clock: Clock) -> None:
        self._pool, self._rules = pool, pool.rules
        self._flickr, self._catalogue, self._clock = flickr, catalogue, clock

    def draw(self) -> int:
        """How many photos nobody knew before were found; they wait as rows when this returns."""
        drawn = self._pool.draw()
        if drawn is None:
            return 0
        rng, keyword = drawn
        calls = _CountedSearch(self._flickr, keyword, self._rules)
        try:
            look = self._find_page(rng, calls)
        except QueryRefusedError as error:
            log.warning("%s / %s is not drawn again: %s", keyword.class_name, keyword.text, error)
            self._pool.drop(keyword)
            return 0
        if look.results.total == 0:  # not even in the whole range
            self._pool.drop(keyword)
        return self._record(rng, keyword, look, calls.count)

    def _find_page(self, rng: random.Random, calls: _CountedSearch) -> _Look:
        look = (
            calls(None) if self._rules.settings.dates == "none" else self._find_window(rng, calls)
        )
        page = draw_page(rng, look.results.total, PER_PAGE)
        if page == 1:
            return look
        further = calls(look.window, page)
        return further if further.results.photos else look

    def _find_window(self, rng: random.Random, calls: _CountedSearch) -> _Look:
        span = self._rules.span
        moment = draw_moment(rng, span)
        start, deepest = first_level(span, self._rules.settings.window_days), deepest_level(span)
        looks: dict[int, _Look] = {}
        while True:
            matches = {level: look.results.total for level, look in looks.items()}
            level = next_level(matches, start, deepest)
            if level is None:
                found = best_level(matches)
                return looks[min(looks) if found is None else found]
            looks[level] = calls(window_around(moment, span, level))

    def _record(self, rng: random.Random, keyword: Keyword, look: _Look, searches: int) -> int:
        rules = self._rules
        chosen = draw_photos(rng, self._new_photos(look), rules.settings.photos_per_search)
        finding = Finding(keyword.query_id, look.window, look.page, self._clock.now())
        with self._catalogue.writing() as session:
            count_draw(session, keyword.query_id, DrawCounts(searches, look.results.total))
            return insert_found(session, chosen, finding, rules.licences)

    def _new_photos(self, look: _Look) -> list[FoundPhoto]:
        """The photos of the page that are wanted and have no row, in the order of the page."""
        rules = self._rules
        wanted = {
            photo.source_id: photo
            for photo in look.results.photos
            if is_wanted(photo, rules.licences, rules.settings.min_side_px)
        }
        with self._catalogue.reading() as session:
            known = load_known_ids(session, wanted)
        return [photo for source_id, photo in wanted.items() if source_id not in known]


class _CountedSearch:
    """Searches of one keyword, counted."""

    def __init__(self, flickr: Flickr, keyword: Keyword, rules: DrawRules) -> None:
        self._flickr, self._keyword, self._rules = flickr, keyword, rules
        self.count = 0

    def __call__(self, window: Window | None, page: int = 1) -> _Look:
        rules = self._rules
        arguments = search_arguments(
            self._keyword.text,
            rules.licences,
            dates=rules.settings.dates,
            window=window,
            page=page,
        )
        self.count += 1
        results = self._flickr.search(arguments, rules.settings.longest_side_px)
        return _Look(window, page, results)
