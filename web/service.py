"""What a request works with: the served party, and the visit of one person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import current_app, request, url_for

from catalog.party import Party
from work.shared import SharedCounts

SERVICE = "vocparty"


@dataclass(frozen=True)
class Service:
    """A party being served; `now` gives the time in UTC, `tokens` unguessable text."""

    party: Party
    now: Callable[[], datetime]
    tokens: Callable[[], str]
    party_id: str
    shared: SharedCounts


def current_service() -> Service:
    """The service of the application that answers this request."""
    service: Service = current_app.extensions[SERVICE]
    return service


def make_link(endpoint: str, **values: Any) -> str:
    """The whole address of a page, below [serve] url; without one, below the request's host."""
    base = current_service().party.settings.serve.url or request.host_url
    return base.rstrip("/") + url_for(endpoint, **values)
