"""What the API's answers mean: results, or a named fault (flickr.com/services/api, error codes)."""

from __future__ import annotations

import json
from typing import Any

from .errors import (
    FlickrError,
    FlickrUnavailableError,
    KeyRefusedError,
    QueryRefusedError,
)
from .text import clean_text

_KEY_CODES = frozenset({96, 97, 98, 99, 100})
_QUERY_CODES = frozenset({1, 2, 3, 4, 5, 11, 12, 17, 18, 77})
_CALL_CODES = frozenset({111, 112, 114, 115, 116})
MOST_REDIRECTS = 3
"""So many answers in a row that lead elsewhere are tried again; one more, and so they all will."""
KEY_HELP = "set flickr.key in party.toml or VOCPARTY_FLICKR_KEY to a valid key"


class CallRefusedError(FlickrError):
    """The address does not understand our calls, whatever they ask for."""

    permanent = True
    fatal = True


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


def find_fault(code: object, message: str) -> FlickrError:
    """The fault that a code of Flickr's stands for; what nobody documents may be tried again."""
    number = int(code) if str(code).isascii() and str(code).isdigit() else -1  # type: ignore[call-overload]
    said = f"Flickr says: {message or 'no reason'} (code {clean_text(code, 20)})"
    if number in _KEY_CODES:
        return KeyRefusedError(f"{said}; {KEY_HELP}.")
    if number in _QUERY_CODES:
        return QueryRefusedError(f"{said}.")
    if number in _CALL_CODES:
        return CallRefusedError(f"{said}; is flickr.api_url in party.toml right?")
    return FlickrUnavailableError(f"{said}.")


def is_redirect(status: int) -> bool:
    """Whether an answer leads elsewhere; the API is never followed there, with its key."""
    return 300 <= status < 400


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
    if is_redirect(status) and redirects < MOST_REDIRECTS:
        raise FlickrUnavailableError(f"HTTP {status}, a redirect", retry_after_secs)
    raise CallRefusedError(f"HTTP {status}; is flickr.api_url in party.toml right?")
