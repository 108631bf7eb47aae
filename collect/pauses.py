"""Rest for a host that asks for it: all leave it alone, longer each time, and at last give up."""

from __future__ import annotations

import logging
import random
import threading
from collections import defaultdict
from datetime import datetime, timedelta

from .backoff import Backoff
from .clock import Clock
from .errors import HostRefusesError
from .notices import Notices

log = logging.getLogger(__name__)

LONGEST_ASKED_SECS = 900.0


class Pauses:
    """The pauses of each host, shared by the threads of a process and, with `notices`, by all.

    Faults that come while a host rests already belong to the same pause and do not lengthen it.
    """

    def __init__(
        self,
        clock: Clock,
        backoff: Backoff,
        jitter: random.Random,
        *,
        most_in_a_row: int,
        notices: Notices | None = None,
    ) -> None:
        self._clock, self._backoff, self._jitter = clock, backoff, jitter
        self._most_in_a_row = most_in_a_row
        self._notices = notices
        self._lock = threading.Lock()
        self._until: dict[str, datetime] = {}
        self._in_a_row: defaultdict[str, int] = defaultdict(int)

    def wait(self, host: str) -> None:
        """Return when the host may be asked again."""
        while (secs := self.left_secs(host)) > 0:
            self._clock.sleep(secs)

    def left_secs(self, host: str) -> float:
        """For how long the host rests, whoever was asked for it; 0 where it may be asked."""
        now = self._clock.now()
        told = self._notices.find(host) if self._notices is not None else None
        with self._lock:
            until = max(self._until.get(host, now), told or now)
        return min(LONGEST_ASKED_SECS, (until - now).total_seconds())

    def refuse(self, host: str, fault: str, retry_after_secs: float | None = None) -> None:
        """Let the host rest after a fault, at least as long as it asked.

        Raises HostRefusesError where it asks for too long or has refused too often in a row.
        """
        with self._lock:
            now = self._clock.now()
            if now < self._until.get(host, now):
                return
            self._in_a_row[host] += 1
            secs = self._pause_secs(host, fault, retry_after_secs)
            until = self._until[host] = now + timedelta(seconds=secs)
        if self._notices is not None:
            self._notices.put(host, until, fault)
        log.warning("%s: %s; resting for %.1f s", host, fault, secs)

    def succeed(self, host: str) -> None:
        """Forget the faults of a host that answered."""
        with self._lock:
            self._in_a_row.pop(host, None)

    def _pause_secs(self, host: str, fault: str, asked_secs: float | None) -> float:
        if (asked_secs or 0) > LONGEST_ASKED_SECS:
            raise HostRefusesError(
                f"{host} asks to come back after {asked_secs:.0f} s ({fault}); "
                "run the same command again then, it goes on where it stopped."
            )
        faults = self._in_a_row[host]
        if faults > self._most_in_a_row:
            raise HostRefusesError(
                f"{host} refused {faults} times in a row ({fault}); "
                "run the same command again later, it goes on where it stopped."
            )
        return max(asked_secs or 0.0, self._backoff.delay_secs(faults, self._jitter))
