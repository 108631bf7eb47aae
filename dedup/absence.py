"""How long nobody has been there to do the work, and what is to be told of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Change(Enum):
    """What is news about the workers."""

    GONE = auto()
    BACK = auto()
    GIVEN_UP = auto()


@dataclass(frozen=True)
class Patience:
    """After how long workers are said to be missing, and after how long they are given up."""

    notice_secs: float = 5.0
    give_up_secs: float = 600.0


class Absence:
    """The time since there were last workers for work that waits."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._since_secs: float | None = None
        self._is_told = False

    def see(self, *, is_lacking: bool, now_secs: float) -> Change | None:
        """What is news now that work waits for workers, or does not; each change comes once."""
        if not is_lacking:
            was_told, self._is_told, self._since_secs = self._is_told, False, None
            return Change.BACK if was_told else None
        if self._since_secs is None:
            self._since_secs = now_secs
        lacked_secs = now_secs - self._since_secs
        if lacked_secs >= self._patience.give_up_secs:
            self._is_told, self._since_secs = False, None
            return Change.GIVEN_UP
        if lacked_secs >= self._patience.notice_secs and not self._is_told:
            self._is_told = True
            return Change.GONE
        return None
