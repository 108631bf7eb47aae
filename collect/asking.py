"""Asking an API over HTTP: with limits, as often as budget and pauses allow, until it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import requests
from urllib3.util import Timeout

from .call_budget import CallBudget
from .errors import SourceError, SourceUnavailableError
from .pauses import Pauses, parse_retry_after
from .transport import TransferError, make_session, read_body

MOST_REDIRECTS = 3
"""Redirects in a row that are tried again; after one more, the address is taken to be wrong."""
_MAX_REPLY_BYTES = 50_000_000
Answer = TypeVar("Answer")


class CallRefusedError(SourceError):
    """The address does not understand our calls, whatever they ask for."""

    permanent = True


def check_api_status(
    status: int, retry_after_secs: float | None, redirects: int = 0, help: str = ""
) -> None:
    """Raise the SourceError that an HTTP status stands for, unless it is 200.

    `redirects` came in a row before this answer: a few pass as a fault of a moment.
    """
    if status == 200:
        return
    if status == 429 or status >= 500:
        raise SourceUnavailableError(f"HTTP {status}", retry_after_secs)
    if 300 <= status < 400 and redirects < MOST_REDIRECTS:  # never followed, with its key
        raise SourceUnavailableError(f"HTTP {status}, a redirect", retry_after_secs)
    raise CallRefusedError(f"HTTP {status}; {help or 'is api_url in party.toml right?'}")


class Asker:
    """One thread's way to an API. `name` is whom the pauses are of.

    Connecting and waiting for an answer to begin take `timeout_secs` together, and no part of the
    answer may come later than that after the one before; all of it takes twice as long at most.
    """

    def __init__(
        self,
        name: str,
        timeout_secs: float,
        budget: CallBudget,
        pauses: Pauses,
        check_status: Callable[[int, float | None, int], None],
        contact: str = "",
    ) -> None:
        self._name, self._budget, self._pauses = name, budget, pauses
        self._timeout_secs, self._check_status = timeout_secs, check_status
        self._session = make_session(timeout_secs, contact=contact)
        self._redirects = 0  # in a row

    def ask(self, send: Callable[[], bytes], parse: Callable[[bytes], Answer]) -> Answer:
        """What a call gives, asked for until it comes; each attempt counts as a call.

        Raises what `parse` raises, but waits where the source is unavailable; HostRefusesError
        where it stays so.
        """
        while True:
            self._pauses.wait(self._name)
            self._budget.take()
            try:
                answer = parse(send())
            except SourceUnavailableError as error:
                self._pauses.refuse(self._name, str(error), error.retry_after_secs)
            else:
                self._pauses.succeed(self._name)
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
                redirects, status = self._redirects, response.status_code
                self._redirects = redirects + 1 if 300 <= status < 400 else 0
                self._check_status(status, retry_after_secs, redirects)
                return read_body(response, _MAX_REPLY_BYTES, deadline, decode=True)
        except requests.Timeout as error:
            raise SourceUnavailableError(f"no answer within {self._timeout_secs:g} s") from error
        except requests.RequestException as error:
            raise SourceUnavailableError("no connection") from error
        except TransferError as error:
            raise SourceUnavailableError(error.detail) from error

    def close(self) -> None:
        """Close every connection."""
        self._session.close()
