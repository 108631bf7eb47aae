"""Asking an API over HTTP: within an hourly quota, with pauses, until it answers.

A key's row holds the calls that may be made now; it fills up evenly to a twentieth of an hour's, so
that no hour ever sees more than Flickr allows a key (3,600). For Commons it fills up to those of a
quarter of a minute, since Wikimedia counts by the minute.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import requests
from urllib3.util import Timeout

from catalog.doubts import MOST_IN_A_ROW
from catalog.session import Catalogue
from catalog.settings import CommonsSettings, FlickrSettings
from catalog.states import Source
from catalog.tables import CallBudget as BudgetRow

from .errors import PhotoError, SourceError, SourceUnavailableError
from .pauses import CLOCKS_DIFFER, Clock, Pauses, StoppedError, parse_retry_after
from .rows import insert_new
from .transport import make_session, read_body

log = logging.getLogger(__name__)

_SAVED_SHARE = 0.05
SAVED_SHARE_OF_MINUTES = 1 / 240
"""Of a source that counts calls by the minute: as many as come in a quarter of a minute."""
_HOUR_SECS = 3600.0


@dataclass(frozen=True)
class Rate:
    """How a budget fills up, to this share of an hour's calls."""

    calls_per_hour: int
    saved_share: float = _SAVED_SHARE

    @property
    def most(self) -> float:
        """How many calls may be saved up."""
        return max(1.0, self.calls_per_hour * self.saved_share)

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

    def __init__(
        self,
        catalogue: Catalogue,
        key: str,
        calls_per_hour: int,
        clock: Clock,
        saved_share: float = _SAVED_SHARE,
    ) -> None:
        self._catalogue = catalogue
        self._clock = clock
        self._key_sha256 = hashlib.sha256(key.strip().encode()).hexdigest()
        self._rate = Rate(calls_per_hour, saved_share)
        self._has_waited = False

    def take(self) -> None:
        """Return when one more call may be made, and count it; the first wait is told."""
        new = {"key_sha256": self._key_sha256, "calls": self._rate.most}
        while True:
            with self._catalogue.writing() as session:
                row = new | {"counted_at": self._clock.now()}
                insert_new(session, BudgetRow, [row], ("key_sha256",))
                held = session.get_one(BudgetRow, self._key_sha256, with_for_update=True)
                self._set_back(held)
                calls = self._count(held)
                if calls >= 1:
                    held.calls = calls - 1
                    held.counted_at = self._clock.now()
                    return
            if not self._has_waited:
                every_secs = 1 / self._rate.calls_per_sec
                log.warning("no more calls at once are allowed; one every %.1f s now", every_secs)
            self._has_waited = True
            self._clock.sleep(max(0.01, (1 - calls) / self._rate.calls_per_sec))

    def load_left(self) -> int:
        """How many calls may be made at once."""
        with self._catalogue.reading() as session:
            row = session.get(BudgetRow, self._key_sha256)
            return int(self._count(row) if row else self._rate.most)

    def _count(self, row: BudgetRow) -> float:
        secs = (self._clock.now() - row.counted_at).total_seconds()
        return self._rate.filled(row.calls, secs)

    def _set_back(self, row: BudgetRow) -> None:
        """Let a quota fill up from now on that a clock counted which was ahead."""
        now = self._clock.now()
        if row.counted_at > now + CLOCKS_DIFFER:
            row.counted_at = now


_MAX_REPLY_BYTES = 50_000_000
Settings = FlickrSettings | CommonsSettings
Answer = TypeVar("Answer")


class CallRefusedError(SourceError):
    """The address does not understand our calls, whatever they ask for."""


def parse_object(body: bytes, who: str) -> dict[str, Any]:
    """The JSON object in an answer; raises SourceUnavailableError for anything else."""
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SourceUnavailableError(f"{who}'s answer is not JSON.") from error
    if not isinstance(reply, dict):
        raise SourceUnavailableError(f"{who}'s answer is not a JSON object.")
    return reply


def refuse_unreadable(who: str, records: int, readable: int) -> None:
    """Raise SourceUnavailableError where so many records of an answer are all unreadable."""
    if records >= MOST_IN_A_ROW and not readable:
        raise SourceUnavailableError(f"None of {records} results has an id as {who}'s are.")


class Asker:
    """One thread's way to an API; pauses are of its `name`.

    An answer begins within `timeout_secs`, no part of it comes later than that after the last one,
    and all of it takes twice as long at most.
    """

    kind: Source
    name: str
    id_form = re.compile(r"[0-9]{1,20}")
    """What an id of the source looks like; another one could not be asked for."""

    def __init__(
        self, settings: Settings, budget: CallBudget, pauses: Pauses, contact: str = ""
    ) -> None:
        self.budget = budget
        self._pauses = pauses
        self._url = settings.api_url
        self._timeout_secs = settings.timeout_secs
        self._is_cut = False
        self._session = make_session(settings.timeout_secs, contact=contact)

    def ask(self, send: Callable[[], bytes], parse: Callable[[bytes], Answer]) -> Answer:
        """What a call gives, asked for until it comes; each attempt counts as a call."""
        while True:
            self._pauses.wait(self.name)
            self.budget.take()
            try:
                answer = parse(send())
            except SourceUnavailableError as error:
                if self._is_cut:
                    raise StoppedError from error
                self._pauses.refuse(self.name, str(error), error.retry_after_secs)
            else:
                self._pauses.succeed(self.name)
                return answer

    def send(self, url: str, form: Mapping[str, Any]) -> bytes:
        """The body of an answer with status 200; raises SourceError for any other."""
        deadline = time.monotonic() + 2 * self._timeout_secs
        try:
            with self._session.post(
                url,
                dict(form),
                timeout=Timeout(total=self._timeout_secs),  # type: ignore[arg-type]
                stream=True,
                allow_redirects=False,
            ) as response:
                retry_after_secs = parse_retry_after(response.headers.get("Retry-After"))
                self.check_status(response.status_code, retry_after_secs)
                return read_body(response, _MAX_REPLY_BYTES, deadline, decode=True)
        except requests.Timeout as error:
            raise SourceUnavailableError(f"no answer within {self._timeout_secs:g} s") from error
        except requests.RequestException as error:
            raise SourceUnavailableError("no connection") from error
        except PhotoError as error:
            raise SourceUnavailableError(error.detail) from error

    @classmethod
    def check_status(cls, status: int, retry_after_secs: float | None) -> None:
        """Raise the SourceError that an HTTP status stands for, unless it is 200."""
        help = f"is {cls.kind}.api_url in party.toml right?"
        is_limit = status == 403 and retry_after_secs is not None
        if status == 429 or status >= 500 or is_limit:
            raise SourceUnavailableError(f"HTTP {status}", retry_after_secs)
        if 300 <= status < 400:  # never followed, with its key
            raise SourceUnavailableError(f"HTTP {status}, a redirect; {help}", retry_after_secs)
        if status == 403:
            raise CallRefusedError(
                f"HTTP 403; {cls.name} may refuse this machine for a while, so try again later. "
                f"Else: {help}"
            )
        if status != 200:
            raise CallRefusedError(f"HTTP {status}; {help}")

    def cut(self) -> None:
        """Break off the call that runs, for another thread; it ends with StoppedError."""
        self._is_cut = True
        self._session.cut()

    def close(self) -> None:
        """Close every connection."""
        self._session.close()
