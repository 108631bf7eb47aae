"""What a run came to, counted while it runs and told in one line."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from catalog.states import PhotoState

from .errors import PhotoError
from .outcomes import Outcome
from .reasons import format_reasons


@dataclass(frozen=True)
class Summary:
    """What one run fetched and lost."""

    fetched: int
    same_bytes: int
    gone: Mapping[str, int]
    broken: Mapping[str, int]


class Tally:
    """Counts of a run, shared by its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._outcomes: Counter[Outcome] = Counter()
        self._lost: dict[PhotoState, Counter[str]] = {
            PhotoState.GONE: Counter(),
            PhotoState.BROKEN: Counter(),
        }

    def count(self, outcome: Outcome, fault: PhotoError | None = None) -> None:
        """Count one outcome, and with a loss its reason."""
        with self._lock:
            self._outcomes[outcome] += 1
            if outcome is Outcome.LOST and fault is not None:
                self._lost[fault.photo_state][fault.reason] += 1

    def summary(self) -> Summary:
        """The counts so far."""
        with self._lock:
            return Summary(
                fetched=self._outcomes[Outcome.FETCHED],
                same_bytes=self._outcomes[Outcome.SAME_BYTES],
                gone=dict(sorted(self._lost[PhotoState.GONE].items())),
                broken=dict(sorted(self._lost[PhotoState.BROKEN].items())),
            )


def format_summary(summary: Summary) -> str:
    """The summary in one line."""
    return (
        f"This run: fetched {summary.fetched}; "
        f"gone {format_reasons(summary.gone)}; broken {format_reasons(summary.broken)}; "
        f"same bytes as another {summary.same_bytes}."
    )
