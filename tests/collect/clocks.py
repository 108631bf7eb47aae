"""A clock that tests turn by hand: waiting costs nothing and is remembered."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from collect.pauses import Clock

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


class TestClock:
    """Starts at noon; a wait moves it on at once."""

    __test__ = False

    def __init__(self) -> None:
        self.moment = NOON
        self.waits_secs: list[float] = []
        self._lock = threading.Lock()

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.moment, self.pass_secs)

    def pass_secs(self, secs: float) -> None:
        with self._lock:
            self.waits_secs.append(secs)
            self.moment += timedelta(seconds=secs)
