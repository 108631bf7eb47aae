"""Serving a party: `serve` for the command, `serving` for simulated people and tests."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlalchemy.exc import SQLAlchemyError

from catalog.instances import SIGN_OF_LIFE_SECS, note_serving
from catalog.party import Party, reopen_party
from catalog.session import Catalogue, DiskFault, find_disk_fault
from vockit.errors import SettingsError, UserError
from vockit.format.threads import Thread
from web.reach import find_address_in_network, find_reach, trust_proxy
from web.serving import ServeOptions, run_server, serve_in_thread

from .app import create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

__all__ = [
    "ServeOptions",
    "find_address_in_network",
    "find_reach",
    "serve",
    "serving",
    "trust_proxy",
]

COMPUTING = ("/proposals",)
"""How the address of requests for an outline ends."""
_log = logging.getLogger(__name__)
START_WITHIN_SECS = 2.0
"""How long the start waits for a lock of others, to see whether the disk takes anything."""


def serve(party: Party, options: ServeOptions, announce: Callable[[str], object]) -> None:
    """Serve until Ctrl-C or SIGTERM, then finish open requests; `announce` gets the base URL.

    Raises ServeError where the address is taken, SettingsError where the settings are wrong.
    """
    _refuse_path(party.settings.serve.url)
    create_app(party)  # what is wrong with the settings is told here, not by each process
    reach = ""

    def announce_reach(base_url: str) -> None:
        nonlocal reach
        reach = find_reach(options.host, base_url)
        announce(base_url)

    @contextmanager
    def load() -> Iterator[WSGIApplication]:
        with reopen_party(party) as party_of_process:
            app = create_app(party_of_process, keeps_counts=True, reach=reach)
            with _giving_signs_of_life(party_of_process.catalogue):
                yield trust_proxy(app, options.proxy)

    try:
        _require_writing(replace(party.catalogue, patience_secs=START_WITHIN_SECS))
        party.catalogue.close()  # no connection may be carried into another process
        run_server(load, replace(options, computing=COMPUTING), announce_reach)
    finally:
        _note_serving(party.catalogue, None)


def describe_reach(host: str, base_url: str, url: str) -> str | None:
    """How other computers reach a server that listens to all, where no url is set; or None."""
    reach = "" if url else find_reach(host, base_url)
    if not reach:
        return None
    return (
        f"Other computers reach it at {reach}; write that as url under [serve] in party.toml, so "
        "that personal links begin with it."
    )


def _refuse_path(url: str) -> None:
    """Raise SettingsError for an address below a path, where no page would find its files."""
    if urlsplit(url).path.strip("/"):
        raise SettingsError(
            f"[serve] url is {url}: a party cannot be served below a path. Give it a host name or "
            "a port of its own."
        )


@contextmanager
def _giving_signs_of_life(catalogue: Catalogue) -> Iterator[None]:
    """Note again and again that the party is being served, so that it is not moved meanwhile."""
    is_over = threading.Event()

    def note() -> None:
        while True:
            _note_serving(catalogue, datetime.now(UTC))
            if is_over.wait(SIGN_OF_LIFE_SECS):
                return

    thread = Thread(target=note, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(1.0)


def _require_writing(catalogue: Catalogue) -> None:
    """Raise the database's error where the disk is read-only: nobody could sign in or save."""
    try:
        note_serving(catalogue, datetime.now(UTC))
    except (UserError, SQLAlchemyError) as error:
        if find_disk_fault(error) is DiskFault.READ_ONLY:
            raise


def _note_serving(catalogue: Catalogue, at: datetime | None) -> None:
    """Note it; where the catalogue takes nothing at the moment, the next time will do."""
    try:
        note_serving(catalogue, at)
    except (UserError, SQLAlchemyError) as error:
        _log.debug("no sign of life could be noted: %s", error)


def serving(app: WSGIApplication, *, port: int = 0) -> AbstractContextManager[str]:
    """The base URL at which this process serves the application while the block runs.

    Without a port it is one that no other program uses. Raises OSError where a given one is taken.
    """
    return serve_in_thread(app, COMPUTING, port=port)
