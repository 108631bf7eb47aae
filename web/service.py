"""What a request works with: the served party, and the visit of one person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import current_app, request, url_for

from catalog.party import Party
from work.shared import SharedCounts

from .hosts import is_this_computer

SERVICE = "vocparty"


@dataclass(frozen=True)
class Service:
    """A party being served; `now` gives the time in UTC, `tokens` unguessable text.

    `reach` is the address in the network of a server that listens to all; else empty.
    """

    party: Party
    now: Callable[[], datetime]
    tokens: Callable[[], str]
    party_id: str
    shared: SharedCounts
    reach: str = ""


def current_service() -> Service:
    """The service of the application that answers this request."""
    service: Service = current_app.extensions[SERVICE]
    return service


def make_link(endpoint: str, **values: Any) -> str:
    """The whole address of a page, for others too: below [serve] url, else below the reader's own.

    That a request came by an address shows that it leads here. "localhost" leads here only from
    this computer, so the server's address in the network takes its place.
    """
    service = current_service()
    base = service.party.settings.serve.url
    if not base:
        base = service.reach if is_this_computer(request.host_url) else ""
    return (base or request.host_url).rstrip("/") + url_for(endpoint, **values)
