"""Serving a page to this machine only."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from flask import Flask
from waitress import create_server

from export.errors import ExportError

HOST = "127.0.0.1"
THREADS = 8


def serve_locally(app: Flask, port: int, announce: Callable[[str], object]) -> None:
    """Serve until Ctrl-C; `announce` gets the address once it answers.

    Raises ExportError where the port is taken.
    """
    try:
        server = create_server(app, host=HOST, port=port, threads=THREADS)
    except OSError as error:
        raise ExportError(
            f"Port {port} cannot be used: {error.strerror}; name another one with --port."
        ) from error
    announce(f"http://{HOST}:{server.effective_port}/")
    with suppress(KeyboardInterrupt):
        server.run()
    server.close()
