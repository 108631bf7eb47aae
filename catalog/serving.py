"""The web server of `vocparty serve` and `vocparty browse`: gunicorn with threads."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication

from .errors import ServeError

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

GUNICORN = {
    "keepalive": 30,
    "worker_connections": 800,  # 100 browsers with six each, below 1,024 open files
    "timeout": 120,  # until a process that shows no sign of life is replaced
    "graceful_timeout": 10,
    "forwarded_allow_ips": "",  # the application decides which proxy it believes
    "control_socket_disable": True,
    "loglevel": "warning",
}


@dataclass(frozen=True)
class ServeOptions:
    """Where and how to serve; `proxy` is the address whose X-Forwarded headers are believed."""

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    threads: int = 8
    proxy: str | None = None
    worker_class: str = "gthread"
    flags: str = "--host and --port"  # named where the address is taken


def run_server(
    load: Callable[[], AbstractContextManager[WSGIApplication]],
    options: ServeOptions,
    announce: Callable[[str], object],
) -> None:
    """Serve until Ctrl-C or SIGTERM, then finish open requests; `announce` gets the base URL.

    Each process opens the application for itself. Raises ServeError where the address is taken.
    """
    listening = _listen(options)
    announce(_base_url(options.host, listening.getsockname()[1]))
    parent_id = os.getpid()
    try:
        _Server(load, options, listening.detach()).run()
    except SystemExit as error:
        if os.getpid() != parent_id:
            os._exit(error.code if isinstance(error.code, int) else 0)  # not the parent's blocks
        if error.code:
            raise ServeError("The server stopped by itself; the lines above say why.") from error


class _Server(BaseApplication):  # type: ignore[misc]
    """gunicorn on a socket that listens already."""

    def __init__(
        self,
        load: Callable[[], AbstractContextManager[WSGIApplication]],
        options: ServeOptions,
        listening_fd: int,
    ) -> None:
        self._load, self._options, self._listening_fd = load, options, listening_fd
        self._opened = ExitStack()
        super().__init__()

    def load_config(self) -> None:
        given = {
            "bind": f"fd://{self._listening_fd}",
            "workers": self._options.workers,
            "threads": self._options.threads,
            "worker_class": self._options.worker_class,
            "when_ready": _stop_gently,
            "post_worker_init": _leave_ctrl_c_to_parent,
            "worker_exit": lambda _arbiter, _worker: self._opened.close(),
        }
        for name, value in (GUNICORN | given).items():
            self.cfg.set(name, value)

    def load(self) -> WSGIApplication:
        return self._opened.enter_context(self._load())


def _stop_gently(arbiter: Any) -> None:
    """Let Ctrl-C stop like SIGTERM does, so that open requests are answered."""
    signal.signal(signal.SIGINT, lambda _signal, frame: arbiter.signal(signal.SIGTERM, frame))


def _leave_ctrl_c_to_parent(_worker: Any) -> None:
    """Ignore Ctrl-C, which a terminal sends to every process; the parent stops its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _listen(options: ServeOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        return socket.create_server((options.host, options.port), family=family, backlog=1024)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise ServeError(
            f"Cannot serve on {options.host}:{options.port}: {reason}; "
            f"choose another with {options.flags}."
        ) from error


def _base_url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
