"""Files that came too late: while they were fetched, their photos were withdrawn or given up."""

from __future__ import annotations

import threading
from collections.abc import Callable


class LateFiles:
    """Lets them be deleted soon: only their notes lead to them, and later notes go over those."""

    def __init__(self, erase: Callable[[], object]) -> None:
        self._erase = erase
        self._are_there = threading.Event()

    def note(self) -> None:
        """Take note that a file may be stored which no row will name."""
        self._are_there.set()

    def erase(self) -> None:
        """Delete them where any were noted since; raises what deleting raises."""
        if self._are_there.is_set():
            self._are_there.clear()  # before, so that what comes meanwhile is deleted next time
            self._erase()
