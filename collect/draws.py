"""One draw: a query, a page of what it finds around a moment, photographs from it, as rows."""

from __future__ import annotations

import logging
import random

from catalog.session import Catalogue

from .clock import Clock
from .draw_pool import DrawPool
from .errors import QueryRefusedError
from .flickr import Flickr
from .found import Finding, insert_found
from .looks import Look, Looker
from .queries import DrawCounts, count_draw
from .sampling import Keyword, draw_photos

log = logging.getLogger(__name__)


class Drawer:
    """One thread's draws: searches through its client, committed as rows of found photos."""

    def __init__(self, pool: DrawPool, flickr: Flickr, catalogue: Catalogue, clock: Clock) -> None:
        self._pool, self._flickr = pool, flickr
        self._catalogue, self._clock = catalogue, clock

    def draw(self) -> int:
        """How many photos nobody knew before were found; they wait as rows when this returns.

        A keyword that Flickr refuses, or that has nothing new in the whole range, is drawn no more.
        """
        drawn = self._pool.draw()
        if drawn is None:
            return 0
        rng, keyword = drawn
        looker = Looker(keyword, self._pool.rules, self._flickr, self._catalogue)
        try:
            look = looker.find_page(rng)
        except QueryRefusedError as error:
            log.warning("%s / %s is not drawn again: %s", keyword.class_name, keyword.text, error)
            self._pool.drop(keyword)
            return 0
        if not look.matches:
            self._pool.drop(keyword)
        return self._record(rng, keyword, look, looker.searches)

    def _record(self, rng: random.Random, keyword: Keyword, look: Look, searches: int) -> int:
        rules = self._pool.rules
        chosen = draw_photos(rng, look.fresh, rules.settings.photos_per_search)
        finding = Finding(keyword.query_id, look.window, look.page, self._clock.now())
        with self._catalogue.writing() as session:
            count_draw(session, keyword.query_id, DrawCounts(searches, look.total))
            return insert_found(session, chosen, finding, rules.licences)
