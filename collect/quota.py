"""How many images are still to be fetched, shared by the threads of a process."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Quota:
    """Places towards the target: a thread reserves one before it works and settles it after."""

    def __init__(self, target: int, fetched: int, on_fetched: Callable[[int], None]) -> None:
        self._target, self._fetched, self._on_fetched = target, fetched, on_fetched
        self._in_work = 0
        self._is_stopped = False
        self._changed = threading.Condition()

    @property
    def left(self) -> int:
        """How many images are still to be fetched by anybody, as far as is known."""
        return max(0, self._target - self._fetched)

    @property
    def in_work(self) -> int:
        """How many places are reserved and not settled."""
        return self._in_work

    def reserve(self) -> bool:
        """Whether there is work: waits while others' work may still fill the last places."""
        with self._changed:
            while self._in_work and self._fetched + self._in_work >= self._target:
                if self._is_stopped:
                    return False
                self._changed.wait()
            if self._is_stopped or self._fetched >= self._target:
                return False
            self._in_work += 1
            return True

    def settle(self, *, is_fetched: bool) -> None:
        """Give the place back, filled or not."""
        with self._changed:
            self._in_work -= 1
            if is_fetched:
                self._fetched += 1
                self._on_fetched(1)
            self._changed.notify_all()

    def correct(self, fetched: int) -> None:
        """Take over what the catalogue counts, which includes what other processes fetched."""
        with self._changed:
            if fetched > self._fetched:
                self._on_fetched(fetched - self._fetched)
                self._fetched = fetched
            self._changed.notify_all()

    def stop(self) -> None:
        """Let no thread begin anything more."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
