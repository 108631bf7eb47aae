"""The web server of `vocparty serve` and `vocparty browse`: waitress in gunicorn's processes.

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
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from .errors import ServeError

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

GUNICORN = {
    "timeout": 120,  # until a process that shows no sign of life is replaced
    "graceful_timeout": 15,
    "forwarded_allow_ips": "",  # the application decides which proxy it believes
    "control_socket_disable": True,
    "loglevel": "warning",
}
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
    listening = _listen(options)
    host = f"[{options.host}]" if ":" in options.host else options.host
    announce(f"http://{host}:{listening.getsockname()[1]}")
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
            "worker_class": f"{__name__}.{WaitressWorker.__name__}",
            "when_ready": _stop_gently,
            "post_worker_init": _leave_ctrl_c_to_parent,
            "worker_exit": lambda _arbiter, _worker: self._opened.close(),
        }
        for name, value in (GUNICORN | given).items():
            self.cfg.set(name, value)

    def load(self) -> WSGIApplication:
        return self._opened.enter_context(self._load())


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
        self.since = time.monotonic()
        self.has_asked = False
        super().__init__(*args, **kwargs)

    def add_channel(self, map: Any = None) -> None:
        """Let the server ask this connection what it waits for."""
        super().add_channel(map)
        self.server.awake.add(self)

    def del_channel(self, map: Any = None) -> None:
        """Let the server forget this connection."""
        self.server.forget(self)
        super().del_channel(map)

    def is_idle(self) -> bool:
        """Whether only the browser can begin something; true until bytes of a request arrive."""
        is_ending = self.will_close or self.close_when_flushed
        return not (self.requests or self.total_outbufs_len or is_ending)

    def received(self, data: bytes) -> bool:
        """Take bytes of a request; the first ones start its time."""
        if self.request is None:
            self.since = time.monotonic()
        return bool(super().received(data))

    def service(self) -> None:
        """Answer a whole request, in a thread."""
        super().service()
        self.since, self.has_asked = time.monotonic(), True

    def handle_close(self) -> None:
        """End the connection, and the file that a large request was received into so far."""
        if self.request is not None:
            self.request.close()
        super().handle_close()

    def is_late(self, now: float) -> bool:
        """Whether the connection has had the time of the state that it is in."""
        if self.requests:
            return False
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
    of them, that took a third of a processor.
    """

    channel_class = _Channel

    def __init__(self, app: WSGIApplication, listening: socket.socket, threads: int) -> None:
        adjustments = Adjustments(
            sockets=[listening],
            threads=threads,
            ident="",
            clear_untrusted_proxy_headers=False,  # the application decides whom it believes
            connection_limit=_make_room(MOST_CONNECTIONS),
            cleanup_interval=10**9,  # see `_close_late`
            max_request_body_size=MOST_BODY_BYTES,
            max_request_header_size=32_768,
            inbuf_overflow=65_536,
        )
        self._writers = ThreadedTaskDispatcher()
        self._tended_at = time.monotonic()
        readers = ThreadedTaskDispatcher()
        for dispatcher in (readers, self._writers):
            dispatcher.queue_logger.disabled = True  # a short queue is no event
            dispatcher.set_thread_count(threads)
        self.awake: set[_Channel] = set()  # to be asked what they wait for
        self._awaited: dict[Any, int] = {}
        self._selector = selectors.DefaultSelector()
        info = (listening.family, listening.type, listening.proto, listening.getsockname())
        super().__init__(app, {}, True, listening, readers, adjustments, info, bind_socket=False)

    def add_task(self, channel: _Channel) -> None:
        """Queue the connection's request for the threads of its kind; one not understood reads."""
        request = channel.requests[0]
        is_safe = request.error is not None or request.command in SAFE_METHODS
        (self.task_dispatcher if is_safe else self._writers).add_task(channel)

    def poll(self, secs: float) -> None:
        """Receive and send what is ready, within these seconds."""
        idle = {it for it in self.awake if it.is_idle()}  # before a thread ends a request
        for it in (self, self.trigger, *self.awake):
            self._register(it)
        self.awake -= idle
        for key, events in self._selector.select(secs):
            if isinstance(key.data, _Channel):
                self.awake.add(key.data)
            if events & selectors.EVENT_READ:
                wasyncore.read(key.data)
            if events & selectors.EVENT_WRITE and key.fd in self._map:
                wasyncore.write(key.data)
        now = time.monotonic()
        if now - self._tended_at >= 0.5:
            self._tended_at = now
            self._close_late(now)

    def _register(self, it: Any) -> None:
        """Wait for what the connection waits for now."""
        events = selectors.EVENT_READ if it.readable() else 0
        events |= selectors.EVENT_WRITE if it.writable() else 0
        known = self._awaited.get(it, 0)
        if events == known:
            return
        if not known:
            self._selector.register(it.socket, events, it)
        elif not events:
            self._selector.unregister(it.socket)
        else:
            self._selector.modify(it.socket, events, it)
        self._awaited[it] = events

    def forget(self, channel: _Channel) -> None:
        """Wait no longer for anything of a connection that ends."""
        self.awake.discard(channel)
        if self._awaited.pop(channel, 0):
            self._selector.unregister(channel.socket)

    def finish(self) -> None:
        """Accept nothing more, answer what came in, and end the threads."""
        self.accepting = False
        now = began = time.monotonic()
        while now - began < STOPPING_SECS and any(
            it.requests
            or it.total_outbufs_len
            or (it.request is not None and now - began < SENDING_SECS_AT_STOP)
            for it in self.active_channels.values()
        ):
            self.poll(0.05)
            now = time.monotonic()
        for dispatcher in (self.task_dispatcher, self._writers):
            dispatcher.shutdown()
        self.socket.close()
        wasyncore.close_all(self._map, ignore_all=True)

    def _close_late(self, now: float) -> None:
        """Close connections past their time, and of a crowd of one address the least useful.

        Those that never asked for anything go first, then those that are idle for longest.
        """
        waiting = [it for it in self.active_channels.values() if not it.requests]
        crowds = Counter(it.addr[0] for it in self.active_channels.values())
        for channel in sorted(waiting, key=lambda it: (it.has_asked, it.since)):
            is_crowd = crowds[channel.addr[0]] > MOST_OF_ADDRESS
            if is_crowd or channel.is_late(now):
                crowds[channel.addr[0]] -= 1
                channel.will_close = True
                self.awake.add(channel)


def _make_room(most: int) -> int:
    """How many connections the system's limit of open files allows, raised as far as it goes."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + FILES_KEPT_FREE
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit, _soft), hard))
    return max(limit - FILES_KEPT_FREE, 50)


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
