"""What goes in and out of the stand-in: plain values, so that answering needs no socket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

JSON_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True)
class Request:
    """One HTTP request: `args` are query, form and the OAuth key; header names are lower case.

    `base_url` is the API's address, `pictures_url` that of the image host where it is another.
    """

    path: str
    args: Mapping[str, str] = field(default_factory=dict)
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    base_url: str = "http://127.0.0.1"
    pictures_url: str = ""

    @property
    def images_url(self) -> str:
        """The address of the image host without a path."""
        return self.pictures_url or self.base_url


class Delivery(StrEnum):
    """How the bytes of a response go over the wire."""

    WHOLE = "whole"
    TRUNCATED = "truncated"
    ENDLESS = "endless"
    DRIP = "drip"
    RESET = "reset"


@dataclass(frozen=True)
class Response:
    """One HTTP response and how it is delivered."""

    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    delivery: Delivery = Delivery.WHOLE
    delay_secs: float = 0.0
    byte_every_secs: float = 0.0


def redirect(location: str) -> Response:
    """An HTTP 302 without a body."""
    return Response(status=302, headers=(("Location", location),))


def name_otherwise(url: str) -> str:
    """The address with this machine's other name: 127.0.0.1 or localhost; else as it is."""
    if "//localhost" in url:
        return url.replace("//localhost", "//127.0.0.1", 1)
    return url.replace("//127.0.0.1", "//localhost", 1)
