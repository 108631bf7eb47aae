"""How often people agree with the automatic decisions, with how far that can be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sqlalchemy.orm import Session

from dedup.labels import precision_of_labels

Z_OF_95_PERCENT = 1.959964


@dataclass(frozen=True)
class Agreement:
    """Of the decisions of one relation that people looked at, how many they confirmed.

    `low` and `high` bound the share, with 95 percent confidence, as far as those looked at stand
    for all; people look at the doubtful ones first, so that it is more likely higher.
    """

    relation: str
    confirmed: int
    looked_at: int
    precision: float
    low: float
    high: float


def load_agreement(session: Session) -> list[Agreement]:
    """A row for each relation that somebody looked at."""
    return [
        Agreement(
            it.relation,
            it.confirmed,
            it.looked_at,
            it.confirmed / it.looked_at,
            *wilson_interval(it.confirmed, it.looked_at),
        )
        for it in precision_of_labels(session)
    ]


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """The 95 percent score interval of a share (Wilson 1927), 0 to 1; all of it without trials."""
    if not trials:
        return 0.0, 1.0
    share, z_squared = successes / trials, Z_OF_95_PERCENT**2
    middle = share + z_squared / (2 * trials)
    spread = Z_OF_95_PERCENT * math.sqrt(share * (1 - share) / trials + z_squared / (4 * trials**2))
    scale = 1 + z_squared / trials
    return max((middle - spread) / scale, 0.0), min((middle + spread) / scale, 1.0)
