"""Which hosts rest until when, told to all processes and machines through the catalogue."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

from sqlalchemy import update

from catalog.session import Catalogue
from catalog.tables import HostPause

from .clock import Clock
from .inserts import insert_new
from .text import clean_text

LOOKED_UP_EVERY = timedelta(seconds=1)


class Notices:
    """What one process knows of the rests of all, at most a second old."""

    def __init__(self, catalogue: Catalogue, clock: Clock) -> None:
        self._catalogue, self._clock = catalogue, clock
        self._lock = threading.Lock()
        self._known: dict[str, tuple[datetime, datetime | None]] = {}

    def put(self, host: str, until: datetime, reason: str) -> None:
        """Let everybody know that the host rests, unless it rests for longer already."""
        row = {"host": host, "until_at": until, "reason": clean_text(reason, 300)}
        with self._catalogue.writing() as session:
            insert_new(session, HostPause, [row], ("host",))
            session.execute(
                update(HostPause)
                .where(HostPause.host == host, HostPause.until_at < until)
                .values(until_at=until, reason=row["reason"])
            )

    def find(self, host: str) -> datetime | None:
        """Until when anybody lets the host rest, or None where nobody ever did."""
        now = self._clock.now()
        with self._lock:
            looked_at, until = self._known.get(host, (None, None))
            if looked_at is not None:
                if now - looked_at < LOOKED_UP_EVERY:
                    return until
                self._known[host] = (now, until)  # one thread looks, not all
        with self._catalogue.reading() as session:
            row = session.get(HostPause, host)
            until = row.until_at if row else None
        with self._lock:
            self._known[host] = (now, until)
        return until
