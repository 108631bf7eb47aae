"""When one same answer for many photographs or images is believed: collect and dedup agree here.

What a source, a host, a decoder or a disk says of many at once is more likely a fault of it than
theirs. So it is believed only when it is said again, in another run and after an hour.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

MOST_IN_A_ROW = 8
"""So many same answers, one after the other, are a fault of what gives them."""
MOST_CHANGED_SHARE = 0.1
"""So large a share of all that was asked for is one, too."""
SAID_AGAIN_AFTER = timedelta(hours=1)


@dataclass(frozen=True)
class Doubt:
    """An answer that was not believed; `since` is when it came first, in UTC."""

    said: str | None = None
    since: datetime | None = None


def are_few(changed: int, asked: int) -> bool:
    """Whether so many same answers, among all that were asked for, are believed at once."""
    return changed <= 1 or changed < MOST_CHANGED_SHARE * asked


def is_said_again(said: str, doubt: Doubt, now: datetime) -> bool:
    """Whether the same was said at least an hour ago; `now` is when the run began, or later."""
    is_same = doubt.said == said and doubt.since is not None
    return is_same and doubt.since is not None and now - doubt.since >= SAID_AGAIN_AFTER


def renew_doubt(said: str, doubt: Doubt, now: datetime) -> Doubt:
    """The doubt from now on: the hour begins anew with another answer, or a clock set back."""
    is_older = doubt.since is not None and doubt.since <= now
    return doubt if doubt.said == said and is_older else Doubt(said, now)
