"""What a request works with: the served party, and the visit of one person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from flask import current_app, request, url_for

from catalog.party import Party
from catalog.settings import Settings
from catalog.stuck import select_stuck
from qa.check_list import apply_live_settings
from segment.leases import Visit as SegmentVisit

SERVICE = "vocparty"


@dataclass(frozen=True)
class Service:
    """A party being served; `now` gives the time in UTC, `tokens` unguessable text."""

    party: Party
    now: Callable[[], datetime]
    tokens: Callable[[], str]
    party_id: str


@dataclass(frozen=True)
class Visit(SegmentVisit):
    """Who asks, of which party, when, in which transaction; and unguessable text."""

    tokens: Callable[[], str]

    @cached_property
    def settings(self) -> Settings:
        """The party's settings with those of checking that organisers set meanwhile."""
        return apply_live_settings(self.session, self.party.settings)

    @cached_property
    def stuck(self) -> frozenset[int]:
        """The images that stop a page, which no list shows."""
        return frozenset(self.session.scalars(select_stuck()))


def current_service() -> Service:
    """The service of the application that answers this request."""
    service: Service = current_app.extensions[SERVICE]
    return service


def make_link(endpoint: str, **values: Any) -> str:
    """The whole address of a page, below [serve] url; without one, below the request's host."""
    base = current_service().party.settings.serve.url or request.host_url
    return base.rstrip("/") + url_for(endpoint, **values)
