"""A limit on the time of one step over a socket, where a read timeout alone never sees drips."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Watchdog:
    """Shuts the socket that one thread is watched on, once its step has taken too long.

    One thread looks after all steps, one after the other: as each has the same time, it need not
    be woken for a later one while it sleeps for an earlier.
    """

    def __init__(self, most_secs: float) -> None:
        self._most_secs = most_secs
        self._changed = threading.Condition()
        self._watched: tuple[float, socket.socket] | None = None
        self._is_idle = False
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._is_late = False

    @contextmanager
    def watching(self, sock: socket.socket | None) -> Iterator[None]:
        """Raise TimeoutError unless the block ends in time.

        The end of a socket that was shut looks like the end of what was sent, hence the check.
        """
        if sock is None:
            yield
            return
        self._begin(sock)
        try:
            yield
        finally:
            with self._changed:
                self._watched = None
                is_late = self._is_late
            if is_late:
                raise TimeoutError("the headers did not come in time")

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _begin(self, sock: socket.socket) -> None:
        with self._changed:
            self._is_late = False
            self._watched = (time.monotonic() + self._most_secs, sock)
            if self._thread is None:
                self._is_closed = False
                self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
                self._thread.start()
            elif self._is_idle:
                self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._is_closed:
                watched = self._watched
                left_secs = None if watched is None else watched[0] - time.monotonic()
                if watched is not None and left_secs is not None and left_secs <= 0:
                    self._shut(watched[1])
                    continue
                self._is_idle = left_secs is None
                self._changed.wait(left_secs)

    def _shut(self, sock: socket.socket) -> None:
        self._is_late, self._watched = True, None
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
