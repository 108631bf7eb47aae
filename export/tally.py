"""How much of some work is done, where a forked process does a part of it."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from mmap import mmap

Advance = Callable[[int], object]

_COUNT = struct.Struct("=Q")


class Tally:
    """Tells of what is done in the process that made it and, along with that, in its forks."""

    def __init__(self, total: int, advance: Advance) -> None:
        """`advance` is called, in this process, with how many more are done: `total` in all."""
        self._total, self._advance = total, advance
        self._process_id = os.getpid()
        self._elsewhere = mmap(-1, _COUNT.size)  # a fork has the same memory (mmap(2), MAP_SHARED)
        self._here = self._told = 0

    def count(self) -> None:
        """One more is done, in whichever process this is called; one thread of each calls it."""
        if os.getpid() == self._process_id:
            self._here += 1
            self._tell(self._here + self._count_elsewhere())
        else:
            _COUNT.pack_into(self._elsewhere, 0, self._count_elsewhere() + 1)

    def finish(self) -> None:
        """All is done."""
        self._tell(self._total)

    def _count_elsewhere(self) -> int:
        (count,) = _COUNT.unpack_from(self._elsewhere)
        return int(count)

    def _tell(self, done: int) -> None:
        """What a fork did that ended without a result is done again, and told of once."""
        done = min(done, self._total)
        self._advance(done - self._told)
        self._told = done
