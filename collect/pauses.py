"""Waiting: the clock, growing waits, and rests of a host that all processes and machines keep."""

from __future__ import annotations

import logging
import random
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from sqlalchemy import update

from catalog.session import Catalogue
from catalog.tables import HostPause

from .errors import HostBusyError, HostRefusesError, PhotoError, Reason, clean_text
from .rows import insert_new


class StoppedError(Exception):
    """The collector was asked to stop while it waited."""


@dataclass(frozen=True)
class Clock:
    """What time it is, in UTC, and how to wait some seconds; waiting may raise StoppedError."""

    now: Callable[[], datetime]
    sleep: Callable[[float], None]


def real_clock(stop: threading.Event) -> Clock:
    """The machine's clock; a wait ends with StoppedError as soon as `stop` is set."""

    def sleep(secs: float) -> None:
        if stop.wait(secs):
            raise StoppedError

    return Clock(lambda: datetime.now(UTC), sleep)


@dataclass(frozen=True)
class Backoff:
    """The waits after the first, second, third fault in a row, in seconds."""

    first_secs: float = 1.0
    factor: float = 2.0
    longest_secs: float = 60.0

    def delay_secs(self, faults: int, jitter: random.Random) -> float:
        """The wait after this many faults in a row: from half to all of the exponential one."""
        exponent = min(max(0, faults - 1), 60)
        whole = min(self.longest_secs, self.first_secs * self.factor**exponent)
        return whole * jitter.uniform(0.5, 1.0)


def parse_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """The seconds that a Retry-After header asks for (RFC 9110, section 10.2.3), or None."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


log = logging.getLogger(__name__)

LONGEST_ASKED_SECS = 900.0
CLOCKS_DIFFER = timedelta(minutes=5)
"""The clocks of several machines may be apart by so much."""
FAULTS_IN_A_ROW = 8
"""After more faults in a row a host is given up."""


class Pauses:
    """The pauses of each host, shared by threads and, with a catalogue, by all its processes."""

    def __init__(
        self,
        clock: Clock,
        backoff: Backoff | None = None,
        *,
        most_in_a_row: int = FAULTS_IN_A_ROW,
        catalogue: Catalogue | None = None,
    ) -> None:
        self._clock = clock
        self._backoff = backoff or Backoff()
        self._catalogue = catalogue
        self._jitter = random.Random()  # noqa: S311  chance, not secrecy; apart from the draws
        self._most_in_a_row = most_in_a_row
        self._lock = threading.Lock()
        self._until: dict[str, datetime] = {}
        self._in_a_row: defaultdict[str, int] = defaultdict(int)

    def wait(self, host: str) -> None:
        """Return when the host may be asked again."""
        while (secs := self.left_secs(host)) > 0:
            self._clock.sleep(secs)

    def left_secs(self, host: str) -> float:
        """For how long the host rests, by any process's word; 0 where it may be asked.

        A pause that is longer than any is of a clock that was ahead, and does not count.
        """
        now = self._clock.now()
        untils = [self._until.get(host, now)]
        if self._catalogue is not None:
            with self._catalogue.reading() as session:
                row = session.get(HostPause, host)
                untils += [row.until_at] if row else []
        latest = now + timedelta(seconds=LONGEST_ASKED_SECS) + CLOCKS_DIFFER
        until = max((until for until in untils if until <= latest), default=now)
        return min(LONGEST_ASKED_SECS, max(0.0, (until - now).total_seconds()))

    def refuse(self, host: str, fault: str, retry_after_secs: float | None = None) -> None:
        """Let the host rest, at least as long as it asked; raises HostRefusesError."""
        with self._lock:
            now = self._clock.now()
            latest = now + timedelta(seconds=LONGEST_ASKED_SECS) + CLOCKS_DIFFER
            if now < self._until.get(host, now) <= latest:
                return
            self._in_a_row[host] += 1
            faults = self._in_a_row[host]
            asked_secs = retry_after_secs or 0.0
            if asked_secs > LONGEST_ASKED_SECS:
                raise HostRefusesError(
                    f"{host} asks for a pause of {asked_secs:.0f} s ({fault}); "
                    "run the same command again after that to continue."
                )
            if faults > self._most_in_a_row:
                raise HostRefusesError(
                    f"{host} refused {faults} times in a row ({fault}); "
                    "run the same command again later to continue."
                )
            secs = max(asked_secs, self.delay_secs(faults))
            until = self._until[host] = now + timedelta(seconds=secs)
        if self._catalogue is not None:  # all processes let it rest, unless it does for longer
            row = {"host": host, "until_at": until, "reason": clean_text(fault, 300)}
            is_longer = HostPause.host == host, HostPause.until_at < until
            with self._catalogue.writing() as session:
                insert_new(session, HostPause, [row], ("host",))
                session.execute(update(HostPause).where(*is_longer).values(row))
        log.warning("%s: %s; retrying in %.1f s", host, fault, secs)

    def delay_secs(self, faults: int) -> float:
        """How long what failed so often waits for its next attempt."""
        return self._backoff.delay_secs(faults, self._jitter)

    def succeed(self, host: str) -> None:
        """Forget the faults of a host that answered."""
        with self._lock:
            self._in_a_row.pop(host, None)

    def judge(self, host: str, fault: PhotoError | None) -> None:
        """Let the host rest where a photo's fault is its own; raises HostRefusesError."""
        if fault is None or fault.permanent:
            self.succeed(host)
        elif isinstance(fault, HostBusyError) or fault.reason is Reason.HTTP_STATUS:
            self.refuse(host, str(fault), getattr(fault, "retry_after_secs", None))
