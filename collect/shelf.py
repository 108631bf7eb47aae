"""Claimed photos of one process, taken from the catalogue a few at a time."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from .claims import Claim, give_back
from .recorder import Recorder

log = logging.getLogger(__name__)

LOOK_AGAIN_SECS = 0.05
"""What others found or gave back is seen so much later at most."""


class Shelf:
    """What the threads of a process take their next photo from."""

    def __init__(
        self,
        recorder: Recorder,
        claim_more: Callable[[Session, int], Sequence[Claim]],
        size: int,
        *,
        read_secs: Callable[[], float] = time.monotonic,
    ) -> None:
        self._recorder, self._claim_more, self._size = recorder, claim_more, size
        self._read_secs = read_secs
        self._lock = threading.Lock()
        self._refilling = threading.Lock()
        self._claims: deque[Claim] = deque()
        self._waiting = 0
        self._missed_secs: float | None = None

    @property
    def is_low(self) -> bool:
        """Whether fewer than two shelves of photos are claimed or known to wait in the catalogue.

        One of them may be fetched while a search is answered and its photos are recorded.
        """
        return len(self._claims) + self._waiting < 2 * self._size

    def add_found(self, count: int) -> None:
        """Take note of photos that wait in the catalogue from now on."""
        with self._lock:
            self._waiting += count
            if count:
                self._missed_secs = None

    def take(self) -> Claim | None:
        """A photo that this process has claimed, or None where none waits in the catalogue.

        Whoever finds the shelf half empty claims more, while the others go on taking; of those
        that find it empty one does, and where it finds nothing the others do not ask at once too.
        """
        claim = self._take()
        if claim is None:
            with self._refilling:
                claim = self._take()
                if claim is None and not self._has_just_missed():
                    self._refill()
                    claim = self._take()
        elif self._is_half_empty() and self._refilling.acquire(blocking=False):
            try:
                self._refill()
            except BaseException:
                self._put_back(claim)
                raise
            finally:
                self._refilling.release()
        return claim

    def clear(self) -> None:
        """Give back what was claimed and not begun."""
        with self._lock:
            claims = list(self._claims)
            self._claims.clear()
        give_back_safely(self._recorder, claims)

    def _take(self) -> Claim | None:
        with self._lock:
            return self._claims.popleft() if self._claims else None

    def _has_just_missed(self) -> bool:
        """Whether nothing waited a moment ago, and nothing was found here since."""
        missed_secs = self._missed_secs
        return missed_secs is not None and self._read_secs() - missed_secs < LOOK_AGAIN_SECS

    def _put_back(self, claim: Claim) -> None:
        """Let it be taken, or given back, as if it had not been taken."""
        with self._lock:
            self._claims.appendleft(claim)

    def _is_half_empty(self) -> bool:
        """Whether there is room for half a shelf, and as much waits in the catalogue."""
        return len(self._claims) <= self._size // 2 <= self._waiting

    def _refill(self) -> None:
        """Correct what is known to wait: others find photos too, and take them."""
        wanted = self._size - len(self._claims)
        found = self._recorder.run(lambda session: self._claim_more(session, wanted))
        with self._lock:
            if not found:
                self._missed_secs = self._read_secs()
            self._claims.extend(found)
            left = self._waiting - len(found)
            if len(found) < wanted:
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
