"""Serving a party: `serve` for the command, `serving` for simulated people and tests."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from selectors import EVENT_READ
from typing import TYPE_CHECKING, Any

from gunicorn.workers.gthread import ThreadWorker
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.serving import WSGIRequestHandler, make_server

from catalog.party import Party, open_party
from catalog.serving import ServeOptions, run_server

from .app import create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

__all__ = ["ServeOptions", "serve", "serving", "trust_proxy"]

HERE = "127.0.0.1"
SENDING_SECS, SENDING_SECS_AT_STOP = 60, 2
"""How long a request may take to arrive, and how much longer once the server is to stop."""


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
    patient = replace(options, worker_class=f"{__name__}.{PatientWorker.__name__}")
    run_server(load, patient, announce)


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


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """Threads of gunicorn that neither idle connections nor slow senders can occupy."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._began: dict[Any, float] = {}

    def enqueue_req(self, conn: Any) -> None:
        """Give a new connection a thread once it has sent something."""
        if conn.initialized or conn.data_ready:
            super().enqueue_req(conn)
            return
        conn.set_timeout()
        conn.sock.setblocking(False)
        self.pending_conns.append(conn)
        ready = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, EVENT_READ, ready)

    def handle(self, conn: Any) -> Any:
        """Answer one request of the connection, in a thread."""
        self._began[conn] = time.monotonic()
        try:
            return super().handle(conn)
        finally:
            del self._began[conn]

    def murder_pending(self) -> None:
        """Close connections that sent nothing, and end the input of those that send for long."""
        if not self.alive:
            for conn in self.pending_conns:
                conn.timeout = 0.0
        super().murder_pending()
        secs = SENDING_SECS if self.alive else SENDING_SECS_AT_STOP
        for conn, began in list(self._began.items()):
            if time.monotonic() - began > secs:
                with suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RD)


class _QuietHandler(WSGIRequestHandler):
    """Connections that stay open, no log, and no line that names the server."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_args: object) -> None:
        """Nothing."""

    def send_header(self, keyword: str, value: str) -> None:
        if keyword != "Server":
            super().send_header(keyword, value)
