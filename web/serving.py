"""The web server of our commands: waitress in gunicorn's processes.

gunicorn starts, watches and stops the processes. In each, waitress receives whole requests before
a thread sees them, so neither idle connections nor slow senders occupy one.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication
from gunicorn.workers.base import Worker

from vockit.browse.serving import listen
from vockit.errors import ServeError
from vockit.format.threads import Thread

from .receiving import BodyLimits, PartyServer

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

HERE = "127.0.0.1"


@dataclass(frozen=True)
class ServeOptions:
    """Where and how to serve; `proxy` is the address whose X-Forwarded headers are believed.

    `threads` is how many requests that read, and as many that write, are answered at once.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    threads: int = 8
    proxy: str | None = None
    flags: str = "--host and --port"  # named where the address is taken
    computing: tuple[str, ...] = ()
    """How addresses of a POST end that only compute, and so wait among their like."""
    limits: BodyLimits | None = None
    """Of a server that takes large files; else MOST_BODY_BYTES and BODY_SECS."""


def run_server(
    load: Callable[[], AbstractContextManager[WSGIApplication]],
    options: ServeOptions,
    announce: Callable[[str], object],
) -> None:
    """Serve until Ctrl-C or SIGTERM, then finish open requests; `announce` gets the base URL.

    Each process opens the application for itself. Raises ServeError where the address is taken.
    """
    WaitressWorker.computing = options.computing  # processes are forks of this one
    WaitressWorker.limits = options.limits
    listening = listen(options.host, options.port, flags=options.flags)
    host = f"[{options.host}]" if ":" in options.host else options.host
    announce(f"http://{host}:{listening.getsockname()[1]}")
    opened = ExitStack()
    parent_id = os.getpid()
    settings = {
        "bind": f"fd://{listening.detach()}",
        "workers": options.workers,
        "threads": options.threads,
        "worker_class": f"{__name__}.{WaitressWorker.__name__}",
        "timeout": 120,  # until a process that shows no sign of life is replaced
        "graceful_timeout": 15,
        "forwarded_allow_ips": "",  # the application decides which proxy it believes
        "control_socket_disable": True,
        "loglevel": "warning",
        "when_ready": _make_ready,
        "post_worker_init": lambda _worker: signal.signal(signal.SIGINT, signal.SIG_IGN),
        "worker_exit": lambda _arbiter, _worker: opened.close(),
    }
    try:
        _Server(lambda: opened.enter_context(load()), settings).run()
    except SystemExit as error:
        if os.getpid() != parent_id:
            os._exit(error.code if isinstance(error.code, int) else 0)  # not the parent's blocks
        if error.code:
            raise ServeError("The server stopped by itself; the lines above say why.") from error


def _make_ready(arbiter: Any) -> None:
    """Let the parent stop all processes on Ctrl-C, and end soon after them."""
    # A terminal sends Ctrl-C to every process; the parent takes it as SIGTERM for all.
    signal.signal(signal.SIGINT, lambda _signal, frame: arbiter.signal(signal.SIGTERM, frame))
    gc.freeze()  # else Python takes about a second at its end to search all modules for cycles


class _Server(BaseApplication):  # type: ignore[misc]
    """gunicorn with these settings, serving what `load` gives."""

    def __init__(self, load: Callable[[], WSGIApplication], settings: dict[str, Any]) -> None:
        self.load = load
        self._settings = settings
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._settings.items():
            self.cfg.set(name, value)


class WaitressWorker(Worker):  # type: ignore[misc]
    """A process of gunicorn in which waitress serves."""

    computing: tuple[str, ...] = ()
    limits: BodyLimits | None = None

    def run(self) -> None:
        """Serve until told to stop, or until the parent is gone; then finish what is open."""
        listening = self.sockets[0].sock
        threads = self.cfg.threads
        server = PartyServer(self.wsgi, listening, threads, self.computing, self.limits)
        while self.alive and os.getppid() == self.ppid:
            self.notify()
            server.poll(1.0)
        server.finish()


@contextmanager
def serve_in_thread(
    app: WSGIApplication,
    computing: tuple[str, ...] = (),
    limits: BodyLimits | None = None,
    *,
    port: int = 0,
) -> Iterator[str]:
    """The base URL at which this process serves the application while the block runs."""
    is_over = threading.Event()
    with socket.create_server((HERE, port), backlog=100) as listening:
        server = PartyServer(app, listening, ServeOptions.threads, computing, limits)
        url = f"http://{HERE}:{listening.getsockname()[1]}"

        def poll() -> None:
            while not is_over.is_set():
                server.poll(0.05)
            server.finish()

        thread = Thread(target=poll, daemon=True)
        thread.start()
        try:
            yield url
        finally:
            is_over.set()
            thread.join()
