"""Calls to Flickr through flickrapi, whose faults stay in this module.

flickrapi 2.4.0 has no timeout of its own, hides status and Retry-After, shares one session among
all threads, lets HTML end in a bare JSONDecodeError, and its pager is broken on Python 3.9 and
later. It also signs every call, which Flickr refuses where the secret is not the key's; public
searches need no secret. So it only says how a call is made, and `_Caller` makes it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import flickrapi
import requests
from urllib3.util import Timeout

from catalog.settings import KEY_VARIABLE, FlickrSettings

from .backoff import parse_retry_after
from .call_budget import CallBudget
from .errors import FlickrUnavailableError, KeyMissingError
from .pauses import Pauses
from .replies import check_api_status, is_redirect, parse_reply
from .results import FoundPhoto, Results, Sample, every, open_page
from .transport import Asker, TransferError, make_session, read_body

HOST = "Flickr"
_MAX_REPLY_BYTES = 50_000_000
_PARSING = threading.Lock()
"""Threads that parse take turns at the interpreter anyway; so one page at a time lies unpacked."""


class Flickr:
    """One thread's way to the API; waits, repeats and counts calls as budget and pauses say."""

    def __init__(self, settings: FlickrSettings, budget: CallBudget, pauses: Pauses) -> None:
        check_key(settings)
        self._budget, self._pauses = budget, pauses
        self._caller = _Caller(settings)
        self._api = flickrapi.FlickrAPI(settings.key, "", format="json", store_token=False)
        self._api.REST_URL = settings.api_url
        self._api.flickr_oauth = self._caller

    def search(
        self, arguments: Mapping[str, str], longest_side_px: int, sample: Sample = every
    ) -> Results:
        """The results of flickr.photos.search, asked for until they come.

        A photo's URL is that of the smallest size that reaches `longest_side_px`. Raises
        QueryRefusedError, KeyRefusedError, CallRefusedError; HostRefusesError where Flickr stays
        unavailable.
        """
        while True:
            self._pauses.wait(HOST)
            self._budget.take()
            try:
                body = self._api.photos.search(**arguments)
                results = read_results(body, longest_side_px, sample)
            except FlickrUnavailableError as error:
                self._pauses.refuse(HOST, str(error), error.retry_after_secs)
            else:
                self._pauses.succeed(HOST)
                return results

    def close(self) -> None:
        """Close every connection."""
        self._caller.close()


def read_results(body: bytes, longest_side_px: int, sample: Sample = every) -> Results:
    """The results in the body of a reply; what is not in the sample stays packed until asked for.

    Raises the FlickrError that a bad reply stands for.
    """
    with _PARSING:
        page = open_page(parse_reply(body))
        numbers = sample(len(page.records))
        photos = page.read(numbers, longest_side_px)

    def read_rest() -> tuple[FoundPhoto, ...]:
        with _PARSING:
            again = open_page(parse_reply(body))
            return again.read(again.find_others(numbers), longest_side_px)

    is_whole = len(numbers) == len(page.records)
    return Results(
        page.total,
        photos,
        len(page.records),
        tuple if is_whole else read_rest,
        page.list_ids(),
    )


def check_key(settings: FlickrSettings) -> None:
    """Raise KeyMissingError where the settings hold no key."""
    if not settings.key.strip():
        raise KeyMissingError(
            "There is no Flickr key: put it into party.toml under [flickr] as key, or into the "
            f"environment variable {KEY_VARIABLE}."
        )


class _Caller:
    """What flickrapi hands its calls to, in the place of its signing interface.

    Connecting and waiting for an answer to begin take `timeout_secs` together, and no part of the
    answer may come later than that after the one before; all of it takes twice as long at most.
    """

    key = "not shown"  # flickrapi writes it to its log

    def __init__(self, settings: FlickrSettings) -> None:
        self._key = settings.key.strip()
        self._timeout_secs = settings.timeout_secs
        self._session = make_session(settings.timeout_secs)
        self._asker = Asker(self._session, Timeout(total=settings.timeout_secs))
        self._redirects = 0  # in a row

    def do_request(
        self, url: str, params: Mapping[str, Any], timeout: float | None = None
    ) -> bytes:
        """The body of an answer with status 200; raises FlickrError for any other."""
        deadline = time.monotonic() + 2 * self._timeout_secs
        try:
            with self._asker.post(url, {**params, "api_key": self._key}) as response:
                retry_after_secs = parse_retry_after(response.headers.get("Retry-After"))
                redirects, self._redirects = self._redirects, self._count(response.status_code)
                check_api_status(response.status_code, retry_after_secs, redirects)
                return read_body(response, _MAX_REPLY_BYTES, deadline, decode=True)
        except requests.Timeout as error:
            raise FlickrUnavailableError(f"no answer within {self._timeout_secs:g} s") from error
        except requests.RequestException as error:
            raise FlickrUnavailableError("no connection could be made") from error
        except TransferError as error:
            raise FlickrUnavailableError(error.detail) from error

    def close(self) -> None:
        self._session.close()

    def _count(self, status: int) -> int:
        return self._redirects + 1 if is_redirect(status) else 0
