"""Serving the application: one process with threads, or several processes."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

from waitress import wasyncore
from waitress.server import create_server
from werkzeug.middleware.proxy_fix import ProxyFix

from catalog.party import Party, open_party

from .app import create_app
from .errors import ServeError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# The application refuses larger bodies itself, in JSON; the server only guards the disk.
_LARGEST_BODY_FACTOR = 8


@dataclass(frozen=True)
class ServeOptions:
    """Where and how to serve; `proxy` is the address whose X-Forwarded headers are believed."""

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    threads: int = 8
    proxy: str | None = None


def serve(party: Party, options: ServeOptions, announce: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM, then finish what was begun; `announce` gets the base URL.

    Raises ServeError where the address cannot be had or the processes cannot be run.
    """
    if options.workers > 1:
        _serve_by_processes(party, options, announce)
    else:
        _serve_by_threads(party, options, announce)


@contextmanager
def serving(app: WSGIApplication, *, host: str = "127.0.0.1", threads: int = 4) -> Iterator[str]:
    """The base URL at which the application is served, on a free port, while the block runs."""
    server = _open_server(app, ServeOptions(host, 0, threads=threads))
    thread = threading.Thread(target=server.run, name="serving", daemon=True)
    thread.start()
    try:
        yield _base_url(host, server.effective_port)
    finally:
        server.trigger.pull_trigger(lambda: wasyncore.close_all(server._map, ignore_all=True))
        thread.join()
        server.task_dispatcher.shutdown()


def trust_proxy(app: WSGIApplication, address: str | None) -> WSGIApplication:
    """The application, told by a proxy at this address who asks and whether by https."""
    if address is None:
        return app
    behind = ProxyFix(app, x_for=1, x_proto=1, x_host=0, x_port=0, x_prefix=0)

    def choose(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        chosen = behind if environ.get("REMOTE_ADDR") == address else app
        return chosen(environ, start_response)

    return choose


def _serve_by_threads(party: Party, options: ServeOptions, announce: Callable[[str], None]) -> None:
    most = party.settings.annotate.max_body_bytes * _LARGEST_BODY_FACTOR
    server = _open_server(create_app(party), options, max_request_body_size=most)
    signal.signal(signal.SIGTERM, _stop)
    announce(_base_url(options.host, server.effective_port))
    try:
        server.run()  # returns on Ctrl-C and SIGTERM, once the requests at work are answered
    finally:
        wasyncore.close_all(server._map, ignore_all=True)


def _open_server(app: WSGIApplication, options: ServeOptions, **more: Any) -> Any:
    listening = _listen(options.host, options.port)
    return create_server(
        trust_proxy(app, options.proxy),
        sockets=[listening],
        threads=options.threads,
        ident=None,
        asyncore_use_poll=True,
        clear_untrusted_proxy_headers=False,  # trust_proxy decides
        **more,
    )


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise ServeError(
            f"Cannot serve on {host}:{port}: {error.strerror}; "
            "choose another with --host and --port."
        ) from error


def _stop(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def _serve_by_processes(
    party: Party, options: ServeOptions, announce: Callable[[str], None]
) -> None:
    if importlib.util.find_spec("gunicorn") is None:
        raise ServeError(
            "--workers needs gunicorn; install it with `pip install 'vocparty[scale]'`, "
            "or serve with one process and more --threads."
        )
    from gunicorn.app.base import BaseApplication

    class Workers(BaseApplication):  # type: ignore[misc]
        """Processes that each open the party for themselves, after the fork."""

        def load_config(self) -> None:
            for name, value in _configure_gunicorn(options, listening.detach()).items():
                self.cfg.set(name, value)

        def load(self) -> WSGIApplication:
            own = ExitStack().enter_context(open_party(party.folder))
            return trust_proxy(create_app(own), options.proxy)

    listening = _listen(options.host, options.port)
    port = listening.getsockname()[1]
    party.catalogue.close()
    parent_id = os.getpid()
    announce(_base_url(options.host, port))
    try:
        Workers().run()
    except SystemExit as error:
        if os.getpid() != parent_id or error.code:
            raise  # a forked worker ends here, and so does a parent whose workers cannot start


def _configure_gunicorn(options: ServeOptions, listening_fd: int) -> dict[str, Any]:
    return {
        "bind": f"fd://{listening_fd}",
        "workers": options.workers,
        "threads": options.threads,
        "worker_class": "gthread",
        "forwarded_allow_ips": "",  # trust_proxy decides
        "control_socket_disable": True,
        "loglevel": "warning",
    }


def _base_url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
