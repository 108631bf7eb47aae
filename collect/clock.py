"""Time as the collector sees it, passed in, so that neither tests nor a stop need to wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


class StoppedError(Exception):
    """The collector was asked to stop while it waited."""


@dataclass(frozen=True)
class Clock:
    """What time it is, in UTC, and how to wait some seconds; waiting may raise StoppedError."""

    now: Callable[[], datetime]
    sleep: Callable[[float], None]


def real_clock(stop: threading.Event) -> Clock:
    """The machine's clock; a wait ends with StoppedError as soon as `stop` is set."""

    def sleep(secs: float) -> None:
        if stop.wait(secs):
            raise StoppedError

    return Clock(lambda: datetime.now(UTC), sleep)
