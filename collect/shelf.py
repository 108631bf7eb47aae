"""Claimed photos of one process, taken from the catalogue a few at a time."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from .claims import Claim, give_back
from .recorder import Recorder

log = logging.getLogger(__name__)


class Shelf:
    """What the threads of a process take their next photo from."""

    def __init__(
        self, recorder: Recorder, claim_more: Callable[[Session, int], Sequence[Claim]], size: int
    ) -> None:
        self._recorder, self._claim_more, self._size = recorder, claim_more, size
        self._lock = threading.Lock()
        self._claims: deque[Claim] = deque()
        self._waiting = 0

    @property
    def is_low(self) -> bool:
        """Whether fewer than a shelf of photos are claimed or known to wait in the catalogue."""
        return len(self._claims) + self._waiting < self._size

    def add_found(self, count: int) -> None:
        """Take note of photos that wait in the catalogue from now on."""
        with self._lock:
            self._waiting += count

    def take(self) -> Claim | None:
        """A photo that this process has claimed, or None where none waits in the catalogue."""
        with self._lock:
            if not self._claims:
                self._refill()
            return self._claims.popleft() if self._claims else None

    def clear(self) -> None:
        """Give back what was claimed and not begun."""
        with self._lock:
            claims = list(self._claims)
            self._claims.clear()
        give_back_safely(self._recorder, claims)

    def _refill(self) -> None:
        """Correct what is known to wait: others find photos too, and take them."""
        found = self._recorder.run(lambda session: self._claim_more(session, self._size))
        self._claims.extend(found)
        left = self._waiting - len(found)
        if len(found) < self._size:
            self._waiting = 0
        else:
            self._waiting = left if left > 0 else self._size


def give_back_safely(recorder: Recorder, claims: Sequence[Claim]) -> None:
    """Free photos as if they had not been claimed; where that fails, their claims run out."""
    if not claims:
        return
    try:
        recorder.run(lambda session: [give_back(session, claim) for claim in claims])
    except SQLAlchemyError as error:
        photos = ", ".join(str(claim.photo_id) for claim in claims)
        log.warning("photos %s stay claimed until their claims run out: %s", photos, error)
