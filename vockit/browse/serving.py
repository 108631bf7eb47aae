"""The server of `browse`: waitress, for one person on this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import waitress

from vockit.errors import ServeError

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

HERE = "127.0.0.1"
THREADS = 8


def serve_here(app: WSGIApplication, port: int, announce: Callable[[str], object]) -> None:
    """Serve on this machine alone until Ctrl-C; `announce` gets the base URL.

    A `port` of 0 takes a free one. Raises ServeError where the port is taken.
    """
    with listen(HERE, port, flags="--port") as listening:
        server = waitress.create_server(
            app, sockets=[listening], threads=THREADS, clear_untrusted_proxy_headers=True, ident=""
        )
        announce(f"http://{HERE}:{listening.getsockname()[1]}")
        try:
            server.run()  # returns at Ctrl-C
        finally:
            server.close()


def listen(host: str, port: int, *, flags: str) -> socket.socket:
    """A listening socket; ServeError names the `flags` that choose another address."""
    if not host:  # which the system takes for every address of this machine
        raise ServeError(f"The host is empty; name one with {flags}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise ServeError(
            f"Cannot serve on {host}:{port}: {reason}; choose another with {flags}."
        ) from error
