"""Serving a challenge: its pages in the processes of `web`, and its worker next to them."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from challenge.folder import Challenge, open_challenge
from challenge.worker import Keeper
from web.reach import find_reach, trust_proxy
from web.receiving import BodyLimits
from web.serving import ServeOptions, run_server

from .app import create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

COMPUTING = ("/check", "/upload", "/hashes")
"""How addresses end that read what was sent. They wait among their like, nobody else for them."""
UPLOAD_SECS = 1800.0
"""For a file that a program sends at once: a gigabyte at 5 Mbit/s."""


def serve(challenge: Challenge, options: ServeOptions, announce: Callable[[str], object]) -> None:
    """Serve until Ctrl-C or SIGTERM, then finish open requests; `announce` gets the base URL.

    Submissions are scored meanwhile. Raises ServeError where the address is taken.
    """
    create_app(challenge)  # what is wrong is told here, not by each process
    reach = ""

    def announce_reach(base_url: str) -> None:
        nonlocal reach
        reach = find_reach(options.host, base_url)
        announce(base_url)

    @contextmanager
    def load() -> Iterator[WSGIApplication]:
        import_module("scipy.stats")  # takes a second, which else the board's first reader waits
        with open_challenge(challenge.folder) as opened:
            # Bodies are kept there until they are whole, not in /tmp, which may be memory.
            opened.temporary.mkdir(mode=0o700, exist_ok=True)
            tempfile.tempdir = str(opened.temporary)
            yield trust_proxy(create_app(opened, reach=reach), options.proxy)

    limits = BodyLimits(challenge.settings.limits.upload_bytes, UPLOAD_SECS)
    challenge.catalogue.close()  # no connection may be carried into another process
    with Keeper(challenge.folder):
        chosen = dataclasses.replace(options, limits=limits, computing=COMPUTING)
        run_server(load, chosen, announce_reach)
