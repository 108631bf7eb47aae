"""What a request works with: who is served, and the visit of one person.

An application that is created hands in its Service: where its rows are, how a person comes in, and
what only its own visits need.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from flask import current_app, request, url_for
from flask.wrappers import Response

from catalog.refusals import RefusedError
from catalog.session import Catalogue

from .hosts import is_this_computer

if TYPE_CHECKING:
    from .access import Access
    from .opened_for import OpenedFor

SERVICE = "vocparty"


@dataclass(frozen=True, kw_only=True)
class Service(ABC):
    """What is served; `now` gives the time in UTC, `tokens` unguessable text.

    `reach` is the address in the network of a server that listens to all; else empty.
    """

    now: Callable[[], datetime]
    tokens: Callable[[], str]
    reach: str = ""

    @property
    @abstractmethod
    def catalogue(self) -> Catalogue:
        """The database that requests read and write."""

    @property
    @abstractmethod
    def url(self) -> str:
        """The address that links begin with; empty where the settings name none."""

    @property
    @abstractmethod
    def metrics_from(self) -> Collection[str]:
        """The addresses that may read the metrics."""

    @abstractmethod
    def visiting(
        self, access: Access, opened_for: OpenedFor | RefusedError | None, *, is_change: bool
    ) -> AbstractContextManager[Any]:
        """One transaction of an admitted person, as the visit that views take.

        Raises SignedOutError, ForbiddenError, and what `opened_for` is refused for.
        """

    def answering(self, ask: Callable[[], Response]) -> Response:
        """The answer of `ask`, which may be called again where that helps."""
        return ask()

    @abstractmethod
    def finish(self, visit: Any) -> None:
        """Do what is left to do once a visit's answer is made and its change committed."""


def current_service() -> Service:
    """The service of the application that answers this request."""
    service: Service = current_app.extensions[SERVICE]
    return service


def make_link(endpoint: str, **values: Any) -> str:
    """The whole address of a page, for others too: below the settings' url, else the reader's own.

    That a request came by an address shows that it leads here. "localhost" leads here only from
    this computer, so the server's address in the network takes its place.
    """
    service = current_service()
    base = service.url
    if not base:
        base = service.reach if is_this_computer(request.host_url) else ""
    return (base or request.host_url).rstrip("/") + url_for(endpoint, **values)
