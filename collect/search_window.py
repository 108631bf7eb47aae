"""Finding the window around a moment that one page shows in full, inside its stratum."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from catalog.session import Catalogue
from catalog.settings import CollectSettings

from .caps import load_room
from .flickr import Flickr
from .licences import Licence
from .results import FoundPhoto
from .rows import is_wanted, load_known_ids
from .sampling import Keyword, Window, deepest_level, draw_moment, window_around
from .searches import (
    PER_PAGE,
    REACHABLE,
    SearchedPage,
    best_level,
    next_level,
    search_arguments,
)


@dataclass(frozen=True)
class DrawRules:
    """What draws are made from: seed, range of dates, kept licences, the settings of collect.

    `photos_per_draw` is the setting `photos_per_search`, or fewer in a short run.
    """

    seed: int
    first_draw: int
    span: Window
    licences: Mapping[str, Licence]
    settings: CollectSettings
    photos_per_draw: int


class WindowSearch:
    """One keyword's searches of one draw; `pages` holds all that were asked for."""

    def __init__(
        self, keyword: Keyword, rules: DrawRules, flickr: Flickr, catalogue: Catalogue
    ) -> None:
        self._keyword, self._rules = keyword, rules
        self._flickr, self._catalogue = flickr, catalogue
        self.pages: list[SearchedPage] = []

    def find_page(
        self, rng: random.Random, stratum: Window, start: int
    ) -> tuple[int, SearchedPage]:
        """The level and the page of a window around a random moment of the stratum.

        It begins at the level `start`, and never leaves the stratum. Raises QueryRefusedError.
        """
        moment, pages = draw_moment(rng, stratum), dict[int, SearchedPage]()
        while (level := next_level(pages, start, deepest_level(stratum))) is not None:
            pages[level] = self.search(window_around(moment, stratum, level))
        return best_level(pages), pages[best_level(pages)]

    def find_undated_page(self, rng: random.Random) -> SearchedPage:
        """A page of what Flickr shows without dates, the first where nothing on any is fresh."""
        first = self.search(None)
        places = max(1, min(first.total, REACHABLE))
        numbers = range(1, -(-places // PER_PAGE) + 1)
        drawn = rng.randrange(places) // PER_PAGE + 1
        for number in dict.fromkeys((drawn, *rng.sample(numbers, len(numbers)))):
            page = first if number == 1 else self.search(None, number)
            if page.fresh:
                return page
        return first

    def search(self, window: Window | None, page: int = 1) -> SearchedPage:
        """One call."""
        rules = self._rules
        longest_side_px = rules.settings.longest_side_px
        arguments = search_arguments(
            self._keyword.text,
            rules.licences,
            dates=rules.settings.dates,
            window=window,
            page=page,
        )
        results = self._flickr.search(arguments, longest_side_px)
        fresh = self._find_fresh(results.photos)
        self.pages.append(SearchedPage(window, page, results.total, results.returned, fresh))
        return self.pages[-1]

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
