"""Counts for everybody: counted once and kept for a moment, instead of once for each who asks.

Who asks for a count that is no longer new gets it all the same, and it is counted again in the
background. People wait only for the first count, and for one that nobody asked for in a long time.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from vockit.format.shortage import ShortageError
from vockit.format.threads import Thread

KEPT_TIMES_COST = 20
"""How many times as long a count is kept as it took: counting then takes a 20th of a processor."""
MOST_SECS = 10.0
QUICK_SECS = 0.1
"""What took less is counted again by who asks for it, so that no small party shows old counts."""
OLDEST_SECS = 60.0
"""How old a count may be that is shown while it is counted again."""
MOST_KEPT = 500

T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass
class _Kept:
    turn: threading.Lock = field(default_factory=threading.Lock)
    has_value: bool = False
    value: Any = None
    counted_at: float = 0.0
    cost_secs: float = 0.0
    until: float = 0.0


class SharedCounts:
    """Values by key that hold for everybody who asks; plain ones, without rows of a session.

    Where `is_kept` is false, each who asks gets a new one. In a small party, where counting takes
    milliseconds, a value is kept for less than a person notices. `start` lets a function run in
    the background.
    """

    def __init__(
        self,
        *,
        is_kept: bool = False,
        clock: Callable[[], float] = time.monotonic,
        start: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        self._is_kept = is_kept
        self._clock = clock
        self._start = start or _start_thread
        self._kept = dict[Hashable, _Kept]()
        self._changing = threading.Lock()
        self._one_at_a_time = threading.Lock()

    def get(
        self,
        key: Hashable,
        count: Callable[[], T],
        count_again: Callable[[], T] | None = None,
        *,
        most_secs: float = MOST_SECS,
        oldest_secs: float = OLDEST_SECS,
    ) -> T:
        """The value of the key; one that is no longer new is counted again in the background.

        `count` is called in this thread, where there is no value yet, one that is older than
        `oldest_secs`, or one that is counted quickly; `count_again` in the background, where
        `count` cannot be.
        """
        if not self._is_kept:
            return count()
        with self._changing:
            if len(self._kept) > MOST_KEPT:
                self._kept.clear()
            kept = self._kept.setdefault(key, _Kept())
        if not self._may_show(kept, oldest_secs):
            with kept.turn:
                if not self._may_show(kept, oldest_secs):
                    self._count(kept, count, most_secs)
        elif self._clock() >= kept.until and kept.turn.acquire(blocking=False):
            try:
                self._start(lambda: self._count_aside(kept, count_again or count, most_secs))
            except (RuntimeError, ShortageError) as error:  # no more threads: the next one tries
                kept.turn.release()
                log.warning("A count could not be renewed: %s", error)
        value: T = kept.value
        return value

    def _may_show(self, kept: _Kept, oldest_secs: float) -> bool:
        """Whether the value is new, or one that takes long and is not too old."""
        if not kept.has_value:
            return False
        is_quick = kept.cost_secs < QUICK_SECS
        until = kept.until if is_quick else max(kept.until, kept.counted_at + oldest_secs)
        return self._clock() < until

    def _count(self, kept: _Kept, count: Callable[[], Any], most_secs: float) -> None:
        """Count, by the thread whose turn it is."""
        began = self._clock()
        kept.value = count()
        kept.counted_at = self._clock()
        kept.cost_secs = kept.counted_at - began
        kept.until = kept.counted_at + min(most_secs, KEPT_TIMES_COST * kept.cost_secs)
        kept.has_value = True

    def _count_aside(self, kept: _Kept, count: Callable[[], Any], most_secs: float) -> None:
        """Count again, and end the turn; where that fails, the next who asks is told why.

        While another count runs, the turn ends at once: who needs the value does not wait for both.
        """
        try:
            if self._one_at_a_time.acquire(blocking=False):
                try:
                    self._count(kept, count, most_secs)
                finally:
                    self._one_at_a_time.release()
        except Exception as error:  # whatever it is, no one waits for an answer here
            kept.has_value = False
            log.warning("A count could not be renewed: %s", error)
        finally:
            kept.turn.release()


def _start_thread(function: Callable[[], None]) -> None:
    Thread(target=function, daemon=True).start()
