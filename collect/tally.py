"""Counts of a run while it goes on, and its summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from catalog.states import PhotoState

from .claims import Outcome
from .errors import PhotoError, format_reasons


class Tally:
    """What one run fetched and lost; `left_out` says why results of searches were, by page."""

    def __init__(self) -> None:
        self._outcomes: Counter[Outcome] = Counter()
        self.gone: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()
        self.left_out: Mapping[str, str] = {}

    @property
    def fetched(self) -> int:
        """How many images are new."""
        return self._outcomes[Outcome.FETCHED]

    @property
    def same_bytes(self) -> int:
        """How many photos had the bytes of an image that was there."""
        return self._outcomes[Outcome.SAME_BYTES]

    def count(self, outcome: Outcome, fault: PhotoError | None = None) -> None:
        """Count one outcome, and with a loss its reason."""
        self._outcomes[outcome] += 1
        if outcome is Outcome.LOST and fault is not None:
            lost = self.gone if fault.photo_state is PhotoState.GONE else self.broken
            lost[fault.reason] += 1


def format_left_out(tally: Tally) -> str:
    """A line for each reason why results were left out, with one of them; most first."""
    counts = Counter(tally.left_out.values()).most_common()
    first = {reason: page for page, reason in reversed(list(tally.left_out.items()))}
    lines = (
        f"Skipped {count} ({first[reason]}, for example): {reason}." for reason, count in counts
    )
    return "\n".join(lines)


def format_summary(tally: Tally) -> str:
    """The summary in one line."""
    return (
        f"Fetched {tally.fetched:,}; "
        f"gone {format_reasons(tally.gone)}; broken {format_reasons(tally.broken)}; "
        f"identical files {tally.same_bytes}."
    )
