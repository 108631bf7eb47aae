"""Where the marks of a chart of means with intervals lie, which a template draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from challenge.values import Interval


@dataclass(frozen=True)
class Bar:
    """An entry of the chart: its words, and its score and interval in percent."""

    label: str
    team: str
    score: float
    low: float
    high: float


def lay_out(entries: Sequence[tuple[str, str, Interval]], most: int = 20) -> Sequence[Bar]:
    """The first entries that have a score; one without an interval has one of no width."""
    bars = [
        Bar(
            label=method,
            team=team,
            score=mean.score,
            low=mean.score if mean.low is None else mean.low,
            high=mean.score if mean.high is None else mean.high,
        )
        for method, team, mean in entries
        if mean.score is not None
    ]
    return bars[:most]
