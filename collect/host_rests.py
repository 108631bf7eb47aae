"""Rest for the image hosts, each alone: while one rests, the photographs of the others go on."""

from __future__ import annotations

import logging
import threading

from .addresses import name_host
from .errors import HostRefusesError
from .pauses import Pauses

log = logging.getLogger(__name__)

MOST_PASSED_OVER = 2_000


class HostRests:
    """The rests of the image hosts that one process came across, and those it has given up."""

    def __init__(self, pauses: Pauses) -> None:
        self._pauses = pauses
        self._lock = threading.Lock()
        self._known: dict[str, None] = {}
        self._given_up: dict[str, HostRefusesError] = {}
        self._passed_over: set[int] = set()

    def left_secs(self, url: str) -> float:
        """For how long the address's host rests; 0 where it may be asked."""
        host = name_host(url)
        if host not in self._known:
            with self._lock:
                self._known[host] = None
        return self._pauses.left_secs(host)

    def left_secs_of_all(self) -> float:
        """How soon the first may be asked where every known host rests, else 0."""
        shortest = 0.0
        with self._lock:
            hosts = [host for host in self._known if host not in self._given_up]
        for host in hosts:
            left_secs = self._pauses.left_secs(host)
            if left_secs <= 0:
                return 0.0
            shortest = min(shortest or left_secs, left_secs)
        return shortest

    def find_refusal(self, url: str) -> HostRefusesError | None:
        """Why the address's host is asked for nothing more by this process, or None."""
        return self._given_up.get(name_host(url))

    @property
    def given_up(self) -> tuple[str, ...]:
        """The hosts that are asked for nothing more by this process."""
        with self._lock:
            return tuple(self._given_up)

    def find_refusal_of_all(self) -> HostRefusesError | None:
        """Why the first was given up where every known host was, or None."""
        with self._lock:
            if all(host in self._given_up for host in self._known):
                return next(iter(self._given_up.values()), None)
        return None

    def pass_over(self, photo_id: int, refusal: HostRefusesError) -> None:
        """Take note that a photo waits whose host was given up.

        Raises the refusal where it is the photo's second turn, or one of very many, and nothing has
        come from any host since: there is nothing else left that could come.
        """
        with self._lock:
            is_round = photo_id in self._passed_over or len(self._passed_over) >= MOST_PASSED_OVER
            self._passed_over.add(photo_id)
            others = [host for host in self._known if host not in self._given_up]
        if is_round and all(self._pauses.left_secs(host) <= 0 for host in others):
            raise refusal

    def refuse(self, url: str, fault: str, retry_after_secs: float | None = None) -> None:
        """Let the address's host rest, or give it up where Pauses.refuse does."""
        host = name_host(url)
        try:
            self._pauses.refuse(host, fault, retry_after_secs)
        except HostRefusesError as error:
            with self._lock:
                is_new = host not in self._given_up
                self._given_up.setdefault(host, error)
            if is_new and self.find_refusal_of_all() is None:
                log.warning("%s What other hosts have goes on.", error)

    def succeed(self, url: str) -> None:
        """Forget the faults of the address's host, which answered."""
        host = name_host(url)
        self._pauses.succeed(host)
        if self._given_up:
            with self._lock:
                self._passed_over.clear()
                self._given_up.pop(host, None)  # it answers after all what was asked before
