"""Calls to Flickr through flickrapi, whose faults stay in this module."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import flickrapi
import requests
from urllib3.util import Timeout

from catalog.settings import KEY_VARIABLE, FlickrSettings

from .call_budget import CallBudget
from .errors import (
    FlickrError,
    FlickrUnavailableError,
    KeyMissingError,
    KeyRefusedError,
    QueryRefusedError,
    clean_text,
)
from .pauses import Pauses, parse_retry_after
from .results import Results, parse_results
from .transport import TransferError, make_session, read_body

_KEY_CODES = frozenset({96, 97, 98, 99, 100})
_QUERY_CODES = frozenset({1, 2, 3, 4, 5, 11, 12, 17, 18, 77})
_CALL_CODES = frozenset({111, 112, 114, 115, 116})
MOST_REDIRECTS = 3
"""Redirects in a row that are tried again; after one more, the address is taken to be wrong."""
_NOT_FOUND = "1"  # flickr.photos.getInfo, error codes
KEY_HELP = "set flickr.key in party.toml or VOCPARTY_FLICKR_KEY to a valid key"


class CallRefusedError(FlickrError):
    """The address does not understand our calls, whatever they ask for."""

    permanent = True


def parse_reply(body: bytes) -> dict[str, Any]:
    """The JSON object of a good reply; raises the FlickrError that a bad one stands for."""
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise FlickrUnavailableError("Flickr's answer is not JSON.") from error
    if not isinstance(reply, dict):
        raise FlickrUnavailableError("Flickr's answer is not a JSON object.")
    if reply.get("stat") != "ok":
        raise find_fault(reply.get("code"), clean_text(reply.get("message"), 200))
    return reply


def parse_info(body: bytes) -> str | None:
    """The licence's id in an answer to flickr.photos.getInfo, None where there is no such photo.

    Raises the FlickrError that any other failure stands for.
    """
    try:
        failure = json.loads(body)
    except (ValueError, RecursionError):
        failure = None
    is_failure = isinstance(failure, dict) and failure.get("stat") == "fail"
    if is_failure and clean_text(failure.get("code"), 20) == _NOT_FOUND:
        return None
    photo = parse_reply(body).get("photo")
    licence_id = clean_text(photo.get("license"), 100) if isinstance(photo, dict) else ""
    if not licence_id:
        raise FlickrUnavailableError("Flickr's answer tells no licence.")
    return licence_id


def find_fault(code: object, message: str) -> FlickrError:
    """The fault that a code of Flickr's stands for; an undocumented one may be tried again."""
    number = int(code) if str(code).isascii() and str(code).isdigit() else -1  # type: ignore[call-overload]
    said = f"Flickr says: {message or 'no reason'} (code {clean_text(code, 20)})"
    if number in _KEY_CODES:
        return KeyRefusedError(f"{said}; {KEY_HELP}.")
    if number in _QUERY_CODES:
        return QueryRefusedError(f"{said}.")
    if number in _CALL_CODES:
        return CallRefusedError(f"{said}; is flickr.api_url in party.toml right?")
    return FlickrUnavailableError(f"{said}.")


def check_api_status(status: int, retry_after_secs: float | None, redirects: int = 0) -> None:
    """Raise the FlickrError that an HTTP status stands for, unless it is 200.

    `redirects` came in a row before this answer: a few pass as a fault of a moment.
    """
    if status == 200:
        return
    if status == 401:
        raise KeyRefusedError(f"Flickr refuses the key (HTTP 401); {KEY_HELP}.")
    if status == 429 or status >= 500:
        raise FlickrUnavailableError(f"HTTP {status}", retry_after_secs)
    if 300 <= status < 400 and redirects < MOST_REDIRECTS:  # never followed, with its key
        raise FlickrUnavailableError(f"HTTP {status}, a redirect", retry_after_secs)
    raise CallRefusedError(f"HTTP {status}; is flickr.api_url in party.toml right?")


HOST = "Flickr"
_MAX_REPLY_BYTES = 50_000_000
Answer = TypeVar("Answer")


class Flickr:
    """One thread's way to the API; waits, repeats and counts calls as budget and pauses say."""

    def __init__(self, settings: FlickrSettings, budget: CallBudget, pauses: Pauses) -> None:
        check_key(settings)
        self._budget, self._pauses = budget, pauses
        self._caller = _Caller(settings)
        self._api = flickrapi.FlickrAPI(settings.key, "", format="json", store_token=False)
        self._api.REST_URL = settings.api_url
        self._api.flickr_oauth = self._caller

    def search(self, arguments: Mapping[str, str], longest_side_px: int) -> Results:
        """The results of flickr.photos.search, asked for until they come.

        Raises QueryRefusedError, KeyRefusedError, CallRefusedError; HostRefusesError where Flickr
        stays unavailable.
        """
        return self._ask(
            lambda: self._api.photos.search(**arguments),
            lambda body: parse_results(parse_reply(body), longest_side_px),
        )

    def find_licence_id(self, photo_id: str) -> str | None:
        """The id of the photo's licence today, or None where Flickr does not find the photo.

        Raises KeyRefusedError, CallRefusedError; HostRefusesError where Flickr stays unavailable.
        """
        return self._ask(lambda: self._api.photos.getInfo(photo_id=photo_id), parse_info)

    def close(self) -> None:
        """Close every connection."""
        self._caller.close()

    def _ask(self, call: Callable[[], bytes], parse: Callable[[bytes], Answer]) -> Answer:
        while True:
            self._pauses.wait(HOST)
            self._budget.take()
            try:
                answer = parse(call())
            except FlickrUnavailableError as error:
                self._pauses.refuse(HOST, str(error), error.retry_after_secs)
            else:
                self._pauses.succeed(HOST)
                return answer


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
        self._redirects = 0  # in a row

    def do_request(
        self, url: str, params: Mapping[str, Any], timeout: float | None = None
    ) -> bytes:
        """The body of an answer with status 200; raises FlickrError for any other."""
        deadline = time.monotonic() + 2 * self._timeout_secs
        try:
            with self._session.post(
                url,
                {**params, "api_key": self._key},
                timeout=Timeout(total=self._timeout_secs),  # type: ignore[arg-type]
                stream=True,
                allow_redirects=False,
            ) as response:
                retry_after_secs = parse_retry_after(response.headers.get("Retry-After"))
                redirects, status = self._redirects, response.status_code
                self._redirects = redirects + 1 if 300 <= status < 400 else 0
                check_api_status(status, retry_after_secs, redirects)
                return read_body(response, _MAX_REPLY_BYTES, deadline, decode=True)
        except requests.Timeout as error:
            raise FlickrUnavailableError(f"no answer within {self._timeout_secs:g} s") from error
        except requests.RequestException as error:
            raise FlickrUnavailableError("no connection could be made") from error
        except TransferError as error:
            raise FlickrUnavailableError(error.detail) from error

    def close(self) -> None:
        self._session.close()
