"""The lines of a table that wait, host by host: those of one that rests keep no other waiting."""

from __future__ import annotations

import heapq
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from collect.addresses import name_host
from collect.clock import Clock
from collect.host_rests import HostRests

from .table import TableRow


@dataclass(frozen=True, slots=True)
class Wanted:
    """A line whose address is to be asked for, for the first time or once more."""

    row: TableRow
    attempt: int = 1

    @property
    def url(self) -> str:
        """Its address as it is written."""
        return self.row.get("url") or ""


class HostQueue:
    """What is left to ask for; iterating takes what may be asked for by now, by line.

    Threads may put back at any time; one alone takes.
    """

    def __init__(self, rows: Iterable[TableRow], rests: HostRests, clock: Clock) -> None:
        self._rests, self._clock = rests, clock
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[Wanted]] = {}
        self._ready: list[tuple[int, str]] = []
        self._resting: list[tuple[datetime, str]] = []
        self._later: list[tuple[datetime, int, Wanted]] = []
        for row in rows:
            self._add(Wanted(row))

    def __iter__(self) -> Iterator[Wanted]:
        """Ends where nothing is left, or all that is left rests."""
        while (wanted := self._take()) is not None:
            yield wanted

    def put_back(self, wanted: Wanted, rest_secs: float = 0.0) -> None:
        """Let a line wait for another turn: after its own rest, and its host's."""
        with self._lock:
            if rest_secs <= 0:
                self._add(wanted)
                return
            due_at = self._clock.now() + timedelta(seconds=rest_secs)
            heapq.heappush(self._later, (due_at, wanted.row.line, wanted))

    def wait(self) -> bool:
        """Whether anything is left; returns once the first of it may be asked for."""
        with self._lock:
            ends = [heap[0][0] for heap in (self._resting, self._later) if heap]
            is_ready = bool(self._ready)
        if not is_ready and ends:
            self._clock.sleep(max(0.0, (min(ends) - self._clock.now()).total_seconds()))
        return is_ready or bool(ends)

    def _take(self) -> Wanted | None:
        with self._lock:
            self._wake()
            while self._ready:
                _line, host = heapq.heappop(self._ready)
                theirs = self._waiting[host]
                rest_secs = self._find_rest_secs(theirs[0])
                if rest_secs > 0:
                    until = self._clock.now() + timedelta(seconds=rest_secs)
                    heapq.heappush(self._resting, (until, host))
                    continue
                wanted = theirs.popleft()
                if theirs:
                    heapq.heappush(self._ready, (theirs[0].row.line, host))
                else:
                    del self._waiting[host]
                return wanted
        return None

    def _find_rest_secs(self, wanted: Wanted) -> float:
        """Lines of a host that was given up are taken: whoever takes them says why."""
        if self._rests.find_refusal(wanted.url) is not None:
            return 0.0
        return self._rests.left_secs(wanted.url)

    def _wake(self) -> None:
        now = self._clock.now()
        while self._later and self._later[0][0] <= now:
            self._add(heapq.heappop(self._later)[2])
        while self._resting and self._resting[0][0] <= now:
            _until, host = heapq.heappop(self._resting)
            heapq.heappush(self._ready, (self._waiting[host][0].row.line, host))

    def _add(self, wanted: Wanted) -> None:
        host = name_host(wanted.url)
        if host in self._waiting:
            self._waiting[host].append(wanted)
        else:
            self._waiting[host] = deque([wanted])
            heapq.heappush(self._ready, (wanted.row.line, host))
