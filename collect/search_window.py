"""Searches of a source, and the window around a moment that hides nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from catalog.session import Catalogue
from catalog.settings import CollectSettings

from .commons import Commons
from .flickr import Flickr
from .results import FoundPhoto, Licence, Question
from .rows import find_unfit, load_known_ids, load_room
from .strata import Keyword, Window, deepest_level, draw_moment, window_around

PhotoSource = Flickr | Commons
"""Both have the same attributes and methods; only `reachable` results of a search are shown."""


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
        moment, pages = draw_moment(rng, stratum), dict[int, SearchedPage]()
        deepest = deepest_level(stratum, self.source.shortest_secs)
        while (level := next_level(pages, start, deepest)) is not None:
            pages[level] = self.search(window_around(moment, stratum, level))
        return best_level(pages), pages[best_level(pages)]

    def find_undated_page(self, rng: random.Random) -> SearchedPage:
        """A page of what is shown without dates, the first where nothing on any is fresh."""
        first, per_page = self.search(None), self.source.per_page
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
        source, settings, ids = self.source, self.settings, tuple(self.licences)
        question = Question(
            self.keyword.text, window, page, settings.dates, ids, settings.longest_side_px
        )
        found = source.search(question)
        left_out, wanted = dict[str, str](), dict[str, FoundPhoto]()
        for photo in found.photos:
            if reason := find_unfit(photo, self.licences, settings.min_side_px):
                left_out[photo.page_url] = reason
            else:
                wanted[photo.source_id] = photo
        with self.catalogue.reading() as session:
            known = load_known_ids(session, source.kind, wanted)
            new = [photo for source_id, photo in wanted.items() if source_id not in known]
            room = load_room(session, (one.owner_id for one in new), settings)
        fresh = tuple(filter(room.admits, new))
        searched = SearchedPage(
            window, page, found.total, found.returned, fresh, source.per_page, left_out
        )
        self.pages.append(searched)
        return searched
