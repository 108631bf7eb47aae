"""Rest for the image hosts, each alone: while one rests, the photographs of the others go on."""

from __future__ import annotations

import threading

from .addresses import parse_endpoint
from .pauses import Pauses

NO_HOST = "The image host"
_LONGEST_NAME = 200  # characters that the catalogue has for it


class HostRests:
    """The rests of the image hosts that one process came across."""

    def __init__(self, pauses: Pauses) -> None:
        self._pauses = pauses
        self._lock = threading.Lock()
        self._known: tuple[str, ...] = ()

    def left_secs(self, url: str) -> float:
        """For how long the address's host rests; 0 where it may be asked."""
        host = _name_of(url)
        with self._lock:
            if host not in self._known:
                self._known += (host,)
        return self._pauses.left_secs(host)

    def left_secs_of_all(self) -> float:
        """How soon the first may be asked where every known host rests, else 0."""
        shortest = 0.0
        for host in self._known:
            left_secs = self._pauses.left_secs(host)
            if left_secs <= 0:
                return 0.0
            shortest = min(shortest or left_secs, left_secs)
        return shortest

    def refuse(self, url: str, fault: str, retry_after_secs: float | None = None) -> None:
        """Let the address's host rest; raises HostRefusesError as Pauses.refuse does."""
        self._pauses.refuse(_name_of(url), fault, retry_after_secs)

    def succeed(self, url: str) -> None:
        """Forget the faults of the address's host, which answered."""
        self._pauses.succeed(_name_of(url))


def _name_of(url: str) -> str:
    endpoint = parse_endpoint(url)
    return NO_HOST if endpoint is None else endpoint.host[:_LONGEST_NAME]
