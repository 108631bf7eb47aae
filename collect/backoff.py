"""How long to wait: exponentially longer, with jitter, and at least as long as was asked."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


@dataclass(frozen=True)
class Backoff:
    """The waits after the first, second, third fault in a row, in seconds."""

    first_secs: float = 1.0
    factor: float = 2.0
    longest_secs: float = 60.0

    def delay_secs(self, faults: int, jitter: random.Random) -> float:
        """The wait after this many faults in a row: from half to all of the exponential one."""
        exponent = min(max(0, faults - 1), 60)
        whole = min(self.longest_secs, self.first_secs * self.factor**exponent)
        return whole * jitter.uniform(0.5, 1.0)


def parse_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """The seconds that a Retry-After header asks for (RFC 9110, section 10.2.3), or None."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
