"""Searches of Flickr (flickr.photos.search), and the window around a moment that hides nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from catalog.session import Catalogue
from catalog.settings import CollectSettings

from .caps import load_room
from .flickr import Flickr
from .licences import Licence
from .results import SIZES, FoundPhoto
from .rows import is_wanted, load_known_ids
from .sampling import Keyword, Window, deepest_level, draw_moment, window_around

PER_PAGE = 500
REACHABLE = 4000
"""Flickr gives at most this many results of one search, whatever it claims."""
_AIMED_AT = PER_PAGE / 2

_EXTRAS = ("content_type", "date_taken", "date_upload", "license", "media", "owner_name", "tags")

Dates = Literal["upload", "taken", "none"]


def search_arguments(
    keyword: str, licence_ids: Iterable[str], *, dates: Dates, window: Window | None, page: int
) -> dict[str, str]:
    """What is sent for one page of one search; without a window it has no dates."""
    arguments = {
        "text": keyword,
        "media": "photos",
        "safe_search": "1",
        "sort": "date-posted-desc",
        "license": ",".join(licence_ids),
        "extras": ",".join([*_EXTRAS, *(f"url_{size}" for size in SIZES)]),
        "per_page": str(PER_PAGE),
        "page": str(page),
    }
    return arguments if window is None else arguments | _date_arguments(dates, window)


def _date_arguments(dates: Dates, window: Window) -> dict[str, str]:
    """Flickr's dates include both ends; taken dates are the owner's local time, as they stand."""
    first, last = window.start, window.end - timedelta(seconds=1)
    if dates == "taken":
        return {
            "min_taken_date": f"{first:%Y-%m-%d %H:%M:%S}",
            "max_taken_date": f"{last:%Y-%m-%d %H:%M:%S}",
        }
    return {
        "min_upload_date": str(int(first.timestamp())),
        "max_upload_date": str(int(last.timestamp())),
    }


@dataclass(frozen=True)
class SearchedPage:
    """One page of a search: how many matches Flickr claims, and its photos that may be chosen.

    Fresh are those that are wanted, have no row and whose owner has room left.
    """

    window: Window | None
    page: int
    total: int
    returned: int
    fresh: tuple[FoundPhoto, ...]

    @property
    def is_whole(self) -> bool:
        """Whether it shows all that the search has: a full page hides more, whatever is claimed."""
        return self.total <= PER_PAGE and self.returned < PER_PAGE


def next_level(pages: Mapping[int, SearchedPage], start: int, deepest: int) -> int | None:
    """The level to search next, given the pages of those that were searched; None to stop.

    Stops at a page that is whole and has something fresh, or where no level is left between one
    that is not whole and one that has nothing.
    """
    if not pages:
        return min(start, deepest)
    if any(page.is_whole and page.fresh for page in pages.values()):
        return None
    full = max((level for level, page in pages.items() if not page.is_whole), default=None)
    empty = min((level for level, page in pages.items() if page.is_whole), default=None)
    if full is None:
        return max(0, empty - 2) if empty else None
    if empty is None:
        halvings = math.ceil(math.log2(max(PER_PAGE, pages[full].total) / _AIMED_AT))
        return min(deepest, full + halvings) if full < deepest else None
    return None if empty - full <= 1 else (full + empty) // 2


def best_level(pages: Mapping[int, SearchedPage]) -> int:
    """The deepest searched level with something fresh, else the widest."""
    return max((level for level, page in pages.items() if page.fresh), default=min(pages))


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
            self._keyword.text, rules.licences, dates=rules.settings.dates, window=window, page=page
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
