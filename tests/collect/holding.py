"""A stand-in Flickr that lets a run come so far and no further, until the test lets it go on."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from simulate.flickr.faults import Fault, Faults, Host, Rule, parse_rule

LONGEST_SECS = 200.0


@dataclass(frozen=True)
class Holding(Faults):
    """Answers so many requests of a host, and the others when `release` is set."""

    rules: tuple[Rule, ...] = (parse_rule("latency@1=0"),)  # without any, nothing is drawn
    host: Host = Host.IMAGE
    answered: int = 0
    release: threading.Event = field(default_factory=threading.Event)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def draw(self, host: Host, target: str, attempt: int) -> tuple[Fault, ...]:
        """As Faults says, but not at once."""
        if host is self.host and next(self._numbers) >= self.answered:
            self.release.wait(LONGEST_SECS)
        return super().draw(host, target, attempt)
