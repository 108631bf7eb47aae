"""Keeping the C library from setting memory aside for each thread."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_M_ARENA_MAX = -8  # mallopt(3)
_MOST_ARENAS = 2


def share_arenas() -> None:
    """Let threads take their memory from two pools instead of eight for each core.

    Each pool keeps what it once held, so that a process of many threads seems to grow for hours
    (mallopt(3), M_ARENA_MAX). Other C libraries than GNU's are left as they are.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _MOST_ARENAS)
