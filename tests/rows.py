"""Rows that the tests of every stage need, and calls that begin together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, TypeVar

from catalog.tables import Image

T = TypeVar("T")


def make_image(sha256: str, at: datetime, **values: Any) -> Image:
    """An image of 500 x 375 pixels that was stored at that moment; no session holds it yet."""
    plain = {"width": 500, "height": 375, "bytes": 1}
    return Image(sha256=sha256, stored_at=at, state_at=at, **(plain | values))


def at_once(*calls: Callable[[], T]) -> list[T]:
    """What the calls return, which begin together in threads."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
