"""Keeping the C library from holding on to memory that nobody uses."""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

TRIM_EVERY_SECS = 5.0
_M_MMAP_THRESHOLD = -3  # mallopt(3)
_M_ARENA_MAX = -8
_MOST_ARENAS = 1
_MMAPPED_BYTES = 128 * 1024


def share_arenas() -> None:
    """Let all threads take their memory from one pool instead of eight for each core.

    Each pool keeps what it once held, so that a process of many threads seems to grow for hours
    (mallopt(3), M_ARENA_MAX). Pieces of 128 kB and more go back at once when they are freed, always
    and not only until the first large one was (M_MMAP_THRESHOLD). Other C libraries than GNU's are
    left as they are.
    """
    _freeze_once()
    with suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, _MOST_ARENAS)
        library.mallopt(_M_MMAP_THRESHOLD, _MMAPPED_BYTES)


@cache
def _freeze_once() -> None:
    """What is loaded by now stays: collections of cycles need not go through it again and again."""
    gc.freeze()


def trim() -> None:
    """Give the system back every free page of every pool (malloc_trim(3)), where GNU's is used.

    Python's cycles are collected before: it waits by itself until there is a quarter more of
    everything.
    """
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


class Trimmer:
    """Trims at most once in a while, whoever asks how often."""

    def __init__(
        self,
        every_secs: float = TRIM_EVERY_SECS,
        *,
        trim: Callable[[], None] = trim,
        read_secs: Callable[[], float] = time.monotonic,
    ) -> None:
        self._every_secs, self._trim, self._read_secs = every_secs, trim, read_secs
        self._trimmed_secs = read_secs()

    def trim_if_due(self) -> None:
        """Trim where the last time, or the start, is long enough ago."""
        now_secs = self._read_secs()
        if now_secs - self._trimmed_secs >= self._every_secs:
            self._trim()
            self._trimmed_secs = now_secs
