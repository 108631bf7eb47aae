"""Serving a party: `serve` for the command, `serving` for simulated people and tests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from werkzeug.middleware.proxy_fix import ProxyFix

from catalog.party import Party, open_party
from web.serving import PartyServer, ServeOptions, run_server

from .app import create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

__all__ = ["ServeOptions", "serve", "serving", "trust_proxy"]

HERE = "127.0.0.1"


def serve(party: Party, options: ServeOptions, announce: Callable[[str], object]) -> None:
    """Serve until Ctrl-C or SIGTERM, then finish open requests; `announce` gets the base URL.

    Raises ServeError where the address is taken, SettingsError where the settings are wrong.
    """
    create_app(party)  # what is wrong with the settings is told here, not by each process

    @contextmanager
    def load() -> Iterator[WSGIApplication]:
        with open_party(party.folder) as party_of_process:
            yield trust_proxy(create_app(party_of_process), options.proxy)

    party.catalogue.close()  # no connection may be carried into another process
    run_server(load, options, announce)


@contextmanager
def serving(app: WSGIApplication) -> Iterator[str]:
    """The base URL at which this process serves the application while the block runs."""
    is_over = threading.Event()
    with socket.create_server((HERE, 0), backlog=100) as listening:
        server = PartyServer(app, listening, ServeOptions.threads)
        url = f"http://{HERE}:{listening.getsockname()[1]}"

        def poll() -> None:
            while not is_over.is_set():
                server.poll(0.05)
            server.finish()

        thread = threading.Thread(target=poll, daemon=True)
        thread.start()
        try:
            yield url
        finally:
            is_over.set()
            thread.join()


def trust_proxy(app: WSGIApplication, address: str | None) -> WSGIApplication:
    """The application, told by a proxy at this address who asks and whether by https."""
    if address is None:
        return app
    behind = ProxyFix(app, x_for=1, x_proto=1, x_host=0, x_port=0, x_prefix=0)

    def choose(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        chosen = behind if environ.get("REMOTE_ADDR") == address else app
        return chosen(environ, start_response)

    return choose
