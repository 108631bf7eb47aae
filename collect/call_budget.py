"""A limit of calls within any hour, for all processes and machines that share a catalogue.

A key's row holds the calls that may be made now: it fills up evenly and holds at most a twentieth
of an hour's calls. What fills up in an hour and what may be saved up come to less than one call
more than an hour's, so no hour ever sees more (Flickr allows a key 3,600).
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalog.session import Catalogue
from catalog.tables import CallBudget as BudgetRow

from .pauses import Clock
from .rows import insert_new

log = logging.getLogger(__name__)

_SAVED_SHARE = 0.05
_HOUR_SECS = 3600.0


@dataclass(frozen=True)
class Rate:
    """How a budget fills up."""

    calls_per_hour: int

    @property
    def most(self) -> float:
        """How many calls may be saved up."""
        return max(1.0, self.calls_per_hour * _SAVED_SHARE)

    @property
    def calls_per_sec(self) -> float:
        """How many come in a second."""
        return (self.calls_per_hour - self.most + 0.999) / _HOUR_SECS

    def filled(self, calls: float, secs: float) -> float:
        """The calls there are some seconds after there were `calls`; clocks may disagree."""
        return min(self.most, calls + max(0.0, secs) * self.calls_per_sec)

    def needed_secs(self, calls: float) -> float:
        """How long this many calls take, beginning with all that may be saved up."""
        return max(0.0, calls - self.most) / self.calls_per_sec


class CallBudget:
    """One key's calls; threads may share it."""

    def __init__(self, catalogue: Catalogue, key: str, calls_per_hour: int, clock: Clock) -> None:
        self._catalogue, self._clock = catalogue, clock
        self._key_sha256 = hashlib.sha256(key.strip().encode()).hexdigest()
        self._rate, self._has_waited = Rate(calls_per_hour), False

    def take(self) -> None:
        """Return when one more call may be made, and count it; the first wait is told."""
        while (secs := self._try_take()) > 0:
            if not self._has_waited:
                every_secs = 1 / self._rate.calls_per_sec
                log.warning("the hourly quota is used up; one call every %.1f s now", every_secs)
            self._has_waited = True
            self._clock.sleep(secs)

    def load_left(self) -> int:
        """How many calls may be made at once."""
        with self._catalogue.reading() as session:
            row = session.get(BudgetRow, self._key_sha256)
            return int(self._count(row) if row else self._rate.most)

    def _try_take(self) -> float:
        """0 where a call was taken, else the seconds until there is one."""
        with self._catalogue.writing() as session:
            calls = self._count(self._lock_row(session))
            if calls < 1:
                return max(0.01, (1 - calls) / self._rate.calls_per_sec)
            session.execute(
                update(BudgetRow)
                .where(BudgetRow.key_sha256 == self._key_sha256)
                .values(calls=calls - 1, counted_at=self._clock.now())
            )
            return 0.0

    def _lock_row(self, session: Session) -> BudgetRow:
        find = select(BudgetRow).where(BudgetRow.key_sha256 == self._key_sha256).with_for_update()
        row = session.scalar(find)
        if row is None:
            new = {"calls": self._rate.most, "counted_at": self._clock.now()}
            insert_new(
                session, BudgetRow, [new | {"key_sha256": self._key_sha256}], ("key_sha256",)
            )
            row = session.scalars(find).one()
        return row

    def _count(self, row: BudgetRow) -> float:
        secs = (self._clock.now() - row.counted_at).total_seconds()
        return self._rate.filled(row.calls, secs)
