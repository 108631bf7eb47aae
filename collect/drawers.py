"""The few draws that run at once, each with a client of its own, for all threads of a process."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .draws import Drawer
from .flickr import Flickr


@dataclass(frozen=True)
class _Place:
    flickr: Flickr
    drawer: Drawer


class Drawers:
    """A set number of drawers, each made when it is first needed."""

    def __init__(
        self, count: int, make_flickr: Callable[[], Flickr], make_drawer: Callable[[Flickr], Drawer]
    ) -> None:
        self._make_flickr, self._make_drawer = make_flickr, make_drawer
        self._free: queue.LifoQueue[_Place | None] = queue.LifoQueue()
        for _ in range(count):
            self._free.put(None)

    @contextmanager
    def try_borrow(self) -> Iterator[Drawer | None]:
        """A drawer that nobody else has, or None where all are in use."""
        try:
            place = self._free.get_nowait()
        except queue.Empty:
            yield None
            return
        try:
            place = place or self._make()
            yield place.drawer
        finally:
            self._free.put(place)

    def close(self) -> None:
        """Close every connection; nothing may be borrowed any more."""
        while not self._free.empty():
            place = self._free.get_nowait()
            if place is not None:
                place.flickr.close()

    def _make(self) -> _Place:
        flickr = self._make_flickr()
        return _Place(flickr, self._make_drawer(flickr))
