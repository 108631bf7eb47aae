"""One draw: a query, a page of what it finds around a moment, photographs from it, as rows."""

from __future__ import annotations

import random
from collections.abc import Sequence

from sqlalchemy.orm import Session

from .caps import caps_of, choose_within, load_room, lock_caps
from .clock import Clock
from .draw_pool import DrawPool
from .errors import QueryRefusedError
from .flickr import Flickr
from .found import Finding, insert_found
from .learnt import Learnt
from .looks import Look, Looker
from .queries import DrawCounts, count_draw
from .recorder import Recorder
from .sampling import Keyword, draw_photos
from .search_rows import insert_searches

_CANDIDATES = 20
"""The caps may refuse some: so many are looked at for each photograph that is wanted."""


class Drawer:
    """One thread's draws: searches through its client, committed as rows of found photos."""

    def __init__(
        self, pool: DrawPool, flickr: Flickr, recorder: Recorder, clock: Clock, learnt: Learnt
    ) -> None:
        self._pool, self._flickr, self._learnt = pool, flickr, learnt
        self._recorder, self._clock = recorder, clock

    def draw(self) -> int:
        """How many photos nobody knew before were found; they wait as rows when this returns.

        A keyword that has nothing new in the whole range is drawn no more. Raises QueryRefusedError
        for one that Flickr refuses.
        """
        drawn = self._pool.draw()
        if drawn is None:
            return 0
        rng, keyword = drawn
        catalogue = self._recorder.catalogue
        looker = Looker(keyword, self._pool.rules, self._flickr, catalogue, self._learnt)
        try:
            look = looker.find_page(rng)
        except QueryRefusedError as error:
            raise QueryRefusedError(
                f"The query {keyword.text!r} of the class {keyword.class_name} cannot be asked. "
                f"{error} Change or remove it in the preset and run the same command again."
            ) from error
        if not look.matches:
            self._pool.drop(keyword)
        found = self._record(rng, keyword, look, looker.looks)
        self._pool.count_found(keyword, found)
        return found

    def _record(
        self, rng: random.Random, keyword: Keyword, look: Look, looks: Sequence[Look]
    ) -> int:
        rules, now = self._pool.rules, self._clock.now()
        count = rules.settings.photos_per_search
        candidates = draw_photos(rng, look.fresh, count * _CANDIDATES)
        finding = Finding(keyword.query_id, look.window, look.page, now)

        def record(session: Session) -> int:
            lock_caps(session)
            owners = (photo.owner_id for photo in candidates)
            room = load_room(session, owners, caps_of(rules.settings))
            chosen = choose_within(candidates, room, count)
            count_draw(session, keyword.query_id, DrawCounts(len(looks), look.total))
            insert_searches(session, keyword.query_id, rules.settings.dates, looks, now)
            return insert_found(session, chosen, finding, rules.licences)

        return self._recorder.run_alone(record)
