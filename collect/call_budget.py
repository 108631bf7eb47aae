"""At most so many calls within any hour (Flickr allows a key 3,600)."""

from __future__ import annotations

import threading
from collections import deque
from datetime import datetime, timedelta

from .clock import Clock

_HOUR = timedelta(hours=1)


class CallBudget:
    """The calls of one process within the last hour, shared by its threads."""

    def __init__(self, calls_per_hour: int, clock: Clock) -> None:
        self._clock = clock
        self._most = calls_per_hour
        self._lock = threading.Lock()
        self._called_at: deque[datetime] = deque()

    def take(self) -> None:
        """Return when one more call may be made, and count it."""
        while (secs := self._try_take()) > 0:
            self._clock.sleep(secs)

    def _try_take(self) -> float:
        """0 where a call was taken, else the seconds until the oldest leaves the hour."""
        with self._lock:
            now = self._clock.now()
            while self._called_at and self._called_at[0] <= now - _HOUR:
                self._called_at.popleft()
            if len(self._called_at) < self._most:
                self._called_at.append(now)
                return 0.0
            return (self._called_at[0] + _HOUR - now).total_seconds()
