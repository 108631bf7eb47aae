"""One fetching process and the connections to it, forked anew where it ended."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence

from .forker import Forker


class FetchProcess:
    """A process with a connection for each file that it may have in hand.

    Whoever has a connection knows the process by its number; a process that ended, or that somebody
    left half-way, is followed by another one with the next number.
    """

    def __init__(self, forker: Forker, places: int, connections: int) -> None:
        self._forker, self._places, self._count = forker, places, connections
        self._lock = threading.Lock()
        self._number = 0
        self._is_good = False
        self._ours: list[socket.socket | None] = []

    @property
    def is_started(self) -> bool:
        """Whether there is a process, or will be without anybody's doing."""
        return self._is_good

    def start(self) -> None:
        """Let a process be started where there is none, without waiting for it."""
        with self._lock:
            if not self._is_good:
                self._fork()

    def is_current(self, number: int) -> bool:
        """Whether that process is the one to ask."""
        return self._is_good and number == self._number

    def connect(self, which: int) -> tuple[socket.socket, int]:
        """One of the connections, which nobody else takes, and the number of its process."""
        with self._lock:
            connection = self._ours[which] if self._is_good else None
            if connection is None:
                self._fork()
                connection = self._ours[which]
            assert connection is not None
            self._ours[which] = None
            return connection, self._number

    def give_up(self, number: int) -> None:
        """Ask this process no more; whoever is connected to it may still hear its answers."""
        with self._lock:
            if self.is_current(number):
                self._let_go()

    def give_up_first(self) -> None:
        """Let the process that forks this one go where it has ended."""
        with self._lock:
            self._let_go()
        self._forker.replace()

    def close(self) -> None:
        """Close the connections that nobody has taken."""
        with self._lock:
            self._let_go()

    def _fork(self) -> None:
        """Raises OSError."""
        self._let_go()
        self._number += 1
        self._ours = list(self._forker.fork(self._places, self._count))
        self._is_good = True

    def _let_go(self) -> None:
        self._is_good = False
        for connection in self._ours:
            if connection is not None:
                connection.close()
        self._ours = []


def share_evenly(count: int, processes: int) -> Sequence[int]:
    """How many of so many each process has."""
    return [count // processes + (number < count % processes) for number in range(processes)]
