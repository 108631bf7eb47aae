"""Intervals for shares and for anything else that is counted over images."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z_95 = 1.959964


@dataclass(frozen=True)
class Interval:
    """An estimate that lies from `low` to `high` with 95 %; all three NaN where nothing is known.

    `count` says on how many things it rests.
    """

    value: float
    low: float
    high: float
    count: int

    def holds(self, truth: float) -> bool:
        """Whether the interval covers a value."""
        return self.low <= truth <= self.high


UNKNOWN = Interval(math.nan, math.nan, math.nan, 0)


def estimate_share(hits: int, count: int) -> Interval:
    """The share of independent yeses with Wilson's interval; UNKNOWN of nothing."""
    if not 0 <= hits <= count:
        raise ValueError(f"expected 0 <= hits <= count, got {hits} of {count}")
    if not count:
        return UNKNOWN
    share, z_squared = hits / count, Z_95**2
    middle = (share + z_squared / (2 * count)) / (1 + z_squared / count)
    spread = math.sqrt(share * (1 - share) / count + z_squared / (4 * count**2))
    half = Z_95 * spread / (1 + z_squared / count)
    low = 0.0 if hits == 0 else max(middle - half, 0.0)
    high = 1.0 if hits == count else min(middle + half, 1.0)
    return Interval(share, low, high, count)
