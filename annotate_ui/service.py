"""What one running application works with: the party, the clock and the source of tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from flask import Flask, current_app

from catalog.party import Party

_NAME = "vocparty"


@dataclass(frozen=True)
class Service:
    """A party being served; `now` gives the time in UTC, `tokens` unguessable text."""

    party: Party
    now: Callable[[], datetime]
    tokens: Callable[[], str]
    party_id: str


def keep_service(app: Flask, service: Service) -> None:
    """Make the service what `current_service` gives in this application's requests."""
    app.extensions[_NAME] = service


def current_service() -> Service:
    """The service of the application that answers this request."""
    service = current_app.extensions[_NAME]
    assert isinstance(service, Service)
    return service
