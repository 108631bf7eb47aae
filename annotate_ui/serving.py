"""Serving a party: `serve` for the command, `serving` for simulated people and tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.serving import WSGIRequestHandler, make_server

from catalog.party import Party, open_party
from catalog.serving import ServeOptions, run_server

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
        with open_party(party.folder) as own:
            yield trust_proxy(create_app(own), options.proxy)

    party.catalogue.close()  # no connection may be carried into another process
    run_server(load, options, announce)


@contextmanager
def serving(app: WSGIApplication) -> Iterator[str]:
    """The base URL at which this process serves the application while the block runs."""
    server = make_server(HERE, 0, app, threaded=True, request_handler=_QuietHandler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://{HERE}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def trust_proxy(app: WSGIApplication, address: str | None) -> WSGIApplication:
    """The application, told by a proxy at this address who asks and whether by https."""
    if address is None:
        return app
    behind = ProxyFix(app, x_for=1, x_proto=1, x_host=0, x_port=0, x_prefix=0)

    def choose(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        chosen = behind if environ.get("REMOTE_ADDR") == address else app
        return chosen(environ, start_response)

    return choose


class _QuietHandler(WSGIRequestHandler):
    """Connections that stay open, no log, and no line that names the server."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_args: object) -> None:
        """Nothing."""

    def send_header(self, keyword: str, value: str) -> None:
        if keyword != "Server":
            super().send_header(keyword, value)
