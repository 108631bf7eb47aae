"""Counts for everybody: counted once and kept for a moment, instead of once for each who asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

KEPT_TIMES_COST = 20
"""How many times as long a count is kept as it took: counting then takes a 20th of a processor."""
MOST_SECS = 10.0
MOST_KEPT = 500

T = TypeVar("T")


@dataclass
class _Kept:
    turn: threading.Lock = field(default_factory=threading.Lock)
    has_value: bool = False
    value: Any = None
    until: float = 0.0


class SharedCounts:
    """Values by key that hold for everybody who asks; plain ones, without rows of a session.

    Where `is_kept` is false, each who asks gets a new one. In a small party, where counting takes
    milliseconds, a value is kept for less than a person notices.
    """

    def __init__(
        self, *, is_kept: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._is_kept = is_kept
        self._clock = clock
        self._kept = dict[Hashable, _Kept]()
        self._changing = threading.Lock()

    def get(self, key: Hashable, count: Callable[[], T], most_secs: float = MOST_SECS) -> T:
        """The value of the key, counted where there is none that is new enough.

        While one thread counts it again, the others get the value before.
        """
        if not self._is_kept:
            return count()
        with self._changing:
            if len(self._kept) > MOST_KEPT:
                self._kept.clear()
            kept = self._kept.setdefault(key, _Kept())
        if self._is_new(kept) or not kept.turn.acquire(blocking=not kept.has_value):
            value: T = kept.value
            return value
        try:
            if not self._is_new(kept):
                began = self._clock()
                kept.value = count()
                kept.has_value = True
                cost_secs = self._clock() - began
                kept.until = self._clock() + min(most_secs, KEPT_TIMES_COST * cost_secs)
            counted: T = kept.value
        finally:
            kept.turn.release()
        return counted

    def _is_new(self, kept: _Kept) -> bool:
        return kept.has_value and self._clock() < kept.until
