"""Looking for a keyword: the window around a moment that fits, then a page of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from catalog.session import Catalogue

from .caps import caps_of, load_room
from .draw_pool import DrawRules
from .flickr import Flickr
from .found import is_wanted, load_known_ids
from .learnt import Known, Learnt, count_matches, informed_level
from .pages import Pages
from .results import FoundPhoto, Results
from .sampling import REACHABLE, Keyword, draw_photos
from .searches import choose_sizes, search_arguments
from .windows import (
    SPLIT_ABOVE,
    Window,
    best_level,
    deepest_level,
    draw_moment,
    first_level,
    next_level,
    window_around,
)

_LEAST_READ = 30
_READ_FOR_ONE = 4
"""So many records of a page are read at first, drawn at random: reading all takes the most time of
a draw, and most of them would never be chosen."""
_FRESH_FOR_ONE = 1.5
"""The caps may refuse some of what is fresh: with fewer for each photograph that is wanted, the
rest of the page is read."""


@dataclass(frozen=True)
class Look:
    """One searched page: how many matches Flickr claims, and its photos that may be chosen.

    Fresh are those that are wanted, have no row and whose owner has room left: all of a sample of
    the page where that has enough of them, else all of the page.
    """

    window: Window | None
    licence_ids: tuple[str, ...]
    page: int
    total: int
    returned: int
    fresh: tuple[FoundPhoto, ...]
    ids: frozenset[str] = frozenset()

    @property
    def is_useful(self) -> bool:
        """Whether a photo may be chosen."""
        return bool(self.fresh)

    @property
    def matches(self) -> int:
        """The claimed matches; 0 where this page shows them all and none of them is fresh."""
        return count_matches(self.page, self.total, len(self.fresh))


class Looker:
    """One keyword's searches of one draw; `looks` holds them all."""

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
        self.looks: list[Look] = []

    def find_page(self, rng: random.Random) -> Look:
        """A page at random, in a window around a random moment; raises QueryRefusedError.

        It has no matches only where the whole range has none.
        """
        if self._rules.settings.dates == "none":
            return self._make_pages(rng, self._search(rng, None)).draw(rng)
        moment = draw_moment(rng, self._rules.span)
        level, look = self._find_window(rng, moment)
        if look.total > SPLIT_ABOVE:
            look = self._split_by_licence(rng, look)
        while True:
            pages = self._make_pages(rng, look)
            page = pages.draw(rng)
            hides = look.total <= SPLIT_ABOVE and pages.are_full()
            narrower = self._find_narrower(rng, moment, level + 1, look) if hides else None
            if narrower is None:
                return page
            level, look = level + 1, narrower

    def _make_pages(self, rng: random.Random, look: Look) -> Pages[Look]:
        return Pages(look, lambda page: self._search(rng, look.window, page, look.licence_ids))

    def _find_window(self, rng: random.Random, moment: datetime) -> tuple[int, Look]:
        """The level of the window around the moment that fits by what Flickr claims, and a look."""
        span = self._rules.span
        start, deepest = self._find_start(moment), deepest_level(span)
        looks: dict[int, Look] = {}
        while True:
            matches = {level: look.matches for level, look in looks.items()}
            level = next_level(matches, start, deepest)
            if level is None:
                break
            looks[level] = self._search(rng, window_around(moment, span, level))
        found = [Known(one.window, one.matches) for one in looks.values() if one.window]
        self._learnt.add(self._keyword.query_id, found)
        best = best_level(matches)
        level = min(looks) if best is None else best
        return level, looks[level]

    def _find_narrower(
        self, rng: random.Random, moment: datetime, level: int, full: Look
    ) -> Look | None:
        """A look at less than a search that was full to the end, whatever Flickr claimed.

        At half of its window or, where that is as short as windows get, at one of its licences;
        None where nothing is left to halve, or neither the half nor any licence has anything.
        """
        if full.window is not None:
            self._learnt.add(self._keyword.query_id, [Known(full.window, REACHABLE)])
        if level > deepest_level(self._rules.span):
            part = self._split_by_licence(rng, full)
            return None if part is full else part
        look = self._search(rng, window_around(moment, self._rules.span, level))
        return look if look.matches else None

    def _find_start(self, moment: datetime) -> int:
        span, known = self._rules.span, self._learnt.load(self._keyword.query_id)
        return informed_level(
            known,
            moment,
            span,
            first=first_level(span, self._rules.settings.window_days),
            deepest=deepest_level(span),
        )

    def _split_by_licence(self, rng: random.Random, look: Look) -> Look:
        """One licence's part of a window that is as short as windows get and still too full.

        Each part as likely as it has photographs within reach, so that each of those is.
        """
        if len(look.licence_ids) == 1:
            return look
        parts = [self._search(rng, look.window, 1, (one,)) for one in look.licence_ids]
        weights = [min(part.matches, REACHABLE) for part in parts]
        return rng.choices(parts, weights)[0] if any(weights) else look

    def _search(
        self,
        rng: random.Random,
        window: Window | None,
        page: int = 1,
        licence_ids: tuple[str, ...] = (),
    ) -> Look:
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
        most = max(_LEAST_READ, rules.settings.photos_per_search * _READ_FOR_ONE)
        results = self._flickr.search(
            arguments, longest_side_px, lambda count: draw_photos(rng, range(count), most)
        )
        fresh = self._find_fresh(results)
        look = Look(window, licence_ids, page, results.total, results.returned, fresh, results.ids)
        self.looks.append(look)
        return look

    def _find_fresh(self, results: Results) -> tuple[FoundPhoto, ...]:
        """The photos that may be chosen, each once: of the sample, or of all if it has too few."""
        fresh = self._filter(results.photos)
        if len(fresh) < self._rules.settings.photos_per_search * _FRESH_FOR_ONE:
            known = {photo.source_id for photo in fresh}
            rest = self._filter(results.read_rest())
            fresh += tuple(photo for photo in rest if photo.source_id not in known)
        return fresh

    def _filter(self, photos: Sequence[FoundPhoto]) -> tuple[FoundPhoto, ...]:
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
            room = load_room(session, (one.owner_id for one in new), caps_of(rules.settings))
        return tuple(photo for photo in new if room.admits(photo))
