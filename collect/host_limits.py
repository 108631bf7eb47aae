"""How many downloads may run at once: in all, and from one host."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from .addresses import parse_endpoint


class HostLimits:
    """Places for downloads, shared by the threads of one process.

    A thread waits for its host first and then for a place among all, so that those that wait for a
    busy host keep no other host from being asked.
    """

    def __init__(self, most_at_once: int, per_host: int) -> None:
        self._places = threading.Semaphore(most_at_once)
        self._most_at_once, self._per_host = most_at_once, per_host
        self._lock = threading.Lock()
        self._hosts: dict[str, threading.Semaphore] = {}

    @property
    def is_by_host(self) -> bool:
        """Whether one host alone may be asked for less than all hosts together."""
        return self._per_host < self._most_at_once

    @contextmanager
    def taking(self, url: str) -> Iterator[None]:
        """A place for the download of this address, for as long as the block runs.

        A redirect counts for the host that was asked first.
        """
        with self._find_host(url), self._places:
            yield

    def _find_host(self, url: str) -> threading.Semaphore | nullcontext[None]:
        """The host's own places; an address that leads nowhere needs none."""
        endpoint = parse_endpoint(url)
        if endpoint is None:
            return nullcontext()
        with self._lock:
            return self._hosts.setdefault(endpoint.host, threading.Semaphore(self._per_host))
