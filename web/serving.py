"""The web server of `vocparty serve`: waitress in gunicorn's processes.

gunicorn starts, watches and stops the processes. In each, waitress receives whole requests before
a thread sees them, so neither idle connections nor slow senders occupy one.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from vockit.browse.serving import listen
from vockit.errors import ServeError

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

MOST_CONNECTIONS = 2000  # of a process: 100 browsers have at most 600
MOST_OF_ADDRESS = 1000  # a room behind one router is one address
FILES_KEPT_FREE = 200  # for the catalogue, images and logs
UNUSED_SECS, IDLE_SECS = 10, 60  # for a connection that never asked, and between requests
HEAD_SECS, BODY_SECS, ANSWER_SECS = 10, 60, 60
STOPPING_SECS, SENDING_SECS_AT_STOP = 10, 2
MOST_BODY_BYTES = 8_000_000  # the application has its own, lower limit
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


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


def run_server(
    load: Callable[[], AbstractContextManager[WSGIApplication]],
    options: ServeOptions,
    announce: Callable[[str], object],
) -> None:
    """Serve until Ctrl-C or SIGTERM, then finish open requests; `announce` gets the base URL.

    Each process opens the application for itself. Raises ServeError where the address is taken.
    """
    listening = listen(options.host, options.port, flags=options.flags)
    host = f"[{options.host}]" if ":" in options.host else options.host
    announce(f"http://{host}:{listening.getsockname()[1]}")
    opened, parent_id = ExitStack(), os.getpid()
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
        # A terminal sends Ctrl-C to every process; the parent takes it as SIGTERM for all.
        "when_ready": lambda arbiter: signal.signal(
            signal.SIGINT, lambda _signal, frame: arbiter.signal(signal.SIGTERM, frame)
        ),
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


class _Server(BaseApplication):  # type: ignore[misc]
    """gunicorn with these settings, serving what `load` gives."""

    def __init__(self, load: Callable[[], WSGIApplication], settings: dict[str, Any]) -> None:
        self.load, self._settings = load, settings
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._settings.items():
            self.cfg.set(name, value)


class WaitressWorker(Worker):  # type: ignore[misc]
    """A process of gunicorn in which waitress serves."""

    def run(self) -> None:
        """Serve until told to stop, or until the parent is gone; then finish what is open."""
        server = PartyServer(self.wsgi, self.sockets[0].sock, self.cfg.threads)
        while self.alive and os.getppid() == self.ppid:
            self.notify()
            server.poll(1.0)
        server.finish()


class _Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when its request arrives, by a clock that never jumps."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.since, self.has_asked = time.monotonic(), False
        super().__init__(*args, **kwargs)

    def is_idle(self) -> bool:
        """Whether only the browser can go on; a thread empties `requests` last."""
        return not (self.requests or self.writable())

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self.since = time.monotonic()
        return bool(super().received(data))

    def service(self) -> None:
        super().service()
        self.since, self.has_asked = time.monotonic(), True

    def handle_close(self) -> None:
        """End the connection, and the file that a large request was received into so far."""
        self.server.wake(self._fileno)
        if self.request is not None:
            self.request.close()
        super().handle_close()

    def is_late(self, now: float) -> bool:
        """Whether the connection has had the time of the state that it is in."""
        if self.total_outbufs_len:
            limit = ANSWER_SECS
        elif self.request is not None:
            limit = BODY_SECS if self.request.headers_finished else HEAD_SECS
        else:
            limit = IDLE_SECS if self.has_asked else UNUSED_SECS
        return now - self.since > limit


class PartyServer(TcpWSGIServer):  # type: ignore[misc]
    """waitress with limits, and with threads of their own for requests that write.

    Where a writer waits for the catalogue's lock, pages and images are answered all the same.
    Unlike waitress's own loop, this one does not ask idle connections what they wait for: with 600
    of them, that took a third of a processor. They sleep in one selector, which is asked instead.
    """

    channel_class = _Channel

    def __init__(self, app: WSGIApplication, listening: socket.socket, threads: int) -> None:
        self._tended_at = time.monotonic()
        self._asleep: set[int] = set()
        self._sleepers = selectors.DefaultSelector()
        self._alarm = SimpleNamespace(
            readable=lambda: True, writable=lambda: False, handle_read_event=self._read_sleepers
        )
        readers, self._writers = ThreadedTaskDispatcher(), ThreadedTaskDispatcher()
        for dispatcher in (readers, self._writers):
            dispatcher.queue_logger.disabled = True  # a short queue is no event
            dispatcher.set_thread_count(threads)
        super().__init__(
            app,
            _sock=listening,
            dispatcher=readers,
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
            bind_socket=False,
            sockets=[listening],
            ident="",
            clear_untrusted_proxy_headers=False,  # the application decides whom it believes
            connection_limit=_make_room(MOST_CONNECTIONS),
            cleanup_interval=10**9,  # see `_close_late`
            max_request_body_size=MOST_BODY_BYTES,
            max_request_header_size=32_768,
            inbuf_overflow=65_536,
        )

    def add_task(self, channel: _Channel) -> None:
        """Queue the connection's request for the threads of its kind; one not understood reads."""
        request = channel.requests[0]
        is_safe = request.error is not None or request.command in SAFE_METHODS
        (self.task_dispatcher if is_safe else self._writers).add_task(channel)

    def poll(self, secs: float) -> None:
        """Receive and send what is ready, within these seconds."""
        awake: dict[int, Any] = {self._sleepers.fileno(): self._alarm}
        for fd, it in self._map.items():
            if fd in self._asleep:
                continue
            if isinstance(it, _Channel) and it.is_idle():
                self._asleep.add(fd)
                self._sleepers.register(fd, selectors.EVENT_READ)
            else:
                awake[fd] = it
        wasyncore.poll2(secs, awake)
        now = time.monotonic()
        if now - self._tended_at >= 0.5:
            self._tended_at = now
            self._close_late(now)

    def wake(self, fd: int) -> None:
        """Ask a connection again what it waits for, if it was idle."""
        if fd in self._asleep:
            self._asleep.remove(fd)
            self._sleepers.unregister(fd)

    def _read_sleepers(self) -> None:
        for key, _events in self._sleepers.select(0):
            self.wake(key.fd)
            wasyncore.read(self._map[key.fd])

    def finish(self) -> None:
        """Accept nothing more, answer what came in, and end the threads."""
        self.accepting = False
        now = began = time.monotonic()
        while now - began < STOPPING_SECS and any(
            not it.is_idle() or (it.request is not None and now - began < SENDING_SECS_AT_STOP)
            for it in self.active_channels.values()
        ):
            self.poll(0.05)
            now = time.monotonic()
        for dispatcher in (self.task_dispatcher, self._writers):
            dispatcher.shutdown()
        self.socket.close()
        wasyncore.close_all(self._map, ignore_all=True)
        self._sleepers.close()

    def _close_late(self, now: float) -> None:
        """Close connections past their time, and of a crowd of one address the least useful.

        Those that never asked for anything go first, then those that are idle for longest.
        """
        waiting = [it for it in self.active_channels.values() if not it.requests]
        crowds = Counter(it.addr[0] for it in self.active_channels.values())
        for channel in sorted(waiting, key=lambda it: (it.has_asked, it.since)):
            if crowds[channel.addr[0]] > MOST_OF_ADDRESS or channel.is_late(now):
                crowds[channel.addr[0]] -= 1
                channel.handle_close()


def _make_room(most: int) -> int:
    """How many connections the system's limit of open files allows, raised as far as it goes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + FILES_KEPT_FREE
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit, soft), hard))
    return max(limit - FILES_KEPT_FREE, 50)
