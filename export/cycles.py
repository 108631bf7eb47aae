"""Leaving Python's search for cycles out where there are none to be found."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_cycles() -> Iterator[None]:
    """In the block Python does not search for cycles; afterwards it does as before.

    The rows of a release are many and hold none, and each search would look at all of them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
