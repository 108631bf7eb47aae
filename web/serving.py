"""The web server of our commands: waitress in gunicorn's processes.

gunicorn starts, watches and stops the processes. In each, waitress receives whole requests before
a thread sees them, so neither idle connections nor slow senders occupy one.
"""

from __future__ import annotations

import errno
import gc
import os
import resource
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.receiver import FixedStreamReceiver
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import InternalServerError

from vockit.browse.serving import listen
from vockit.errors import ServeError
from vockit.format.threads import Thread

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

HERE = "127.0.0.1"
MOST_CONNECTIONS = 2000  # of a process: 100 browsers have at most 600
MOST_OF_ADDRESS = 1000  # a room behind one router is one address
FILES_KEPT_FREE = 200  # for the catalogue, images and logs
SHARE_KEPT_FREE = 0.8  # of a limit of open files that is lower than the system usually allows
PAUSE_WITHOUT_FILES_SECS = 1.0  # until connections are accepted again
COMPUTING_THREADS = 4
UNUSED_SECS = 10  # for a connection that never asked for anything
IDLE_SECS = 60  # between two requests of a connection
HEAD_SECS = 10  # for the header of a request to arrive
BODY_SECS = 60  # for its header and body
ANSWER_SECS = 60  # for an answer to be sent
STOPPING_SECS = 10  # for open requests after the signal to stop
SENDING_SECS_AT_STOP = 2  # of these, for requests that still arrive
MOST_BODY_BYTES = 8_000_000  # the application has its own, lower limit
FULL = (errno.ENOSPC, errno.EDQUOT)
_DISK_IS_FULL = (
    "The disk of this server is full. Nothing that was sent before is lost; go on later."
)
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class BodyLimits:
    """The most that a request may bring, and for how long it may arrive."""

    most_bytes: int
    secs: float


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


class _FullDiskError(InternalServerError):  # type: ignore[misc]
    code = 503
    reason = "Service Unavailable"


class _Nowhere:
    """Takes the rest of a body that the disk has no room for."""

    def append(self, data: bytes) -> None:
        """Forget the bytes."""

    def close(self) -> None:
        """Nothing is open."""


class _Parser(HTTPRequestParser):  # type: ignore[misc]
    """A request; where the disk does not take its body, the rest of it is still received.

    The sender hears of nothing that is told before it has sent everything.
    """

    def received(self, data: bytes) -> int:
        """How many of the bytes belong to this request."""
        try:
            return int(super().received(data))
        except OSError as error:
            if error.errno not in FULL or not isinstance(self.body_rcv, FixedStreamReceiver):
                raise
            self.error = _FullDiskError(_DISK_IS_FULL)
            self.body_rcv.buf.close()
            self.body_rcv.buf = _Nowhere()
            return int(super().received(data))


class _Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when its request arrives, by a clock that never jumps."""

    parser_class = _Parser

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.since = time.monotonic()
        self.has_asked = False
        super().__init__(*args, **kwargs)

    def is_idle(self) -> bool:
        """Whether only the browser can go on; a thread empties `requests` last."""
        return not (self.requests or self.writable())

    def received(self, data: bytes) -> bool:
        """Take what the browser sent; the time of a request begins with its first byte."""
        if self.request is None:
            self.since = time.monotonic()
        return bool(super().received(data))

    def service(self) -> None:
        """Answer one request, in a thread; then the time of an idle connection begins."""
        if self.server.is_stopping:
            self.end_with_answer()
        super().service()
        self.since = time.monotonic()
        self.has_asked = True

    def end_with_answer(self) -> None:
        """Let the answers to come say that they are the connection's last."""
        for request in list(self.requests):
            request.headers["CONNECTION"] = "close"

    def handle_close(self) -> None:
        """End the connection, and the file that a large request was received into so far."""
        if self.request is not None:
            self.request.close()
        super().handle_close()

    def is_late(self, now: float) -> bool:
        """Whether the connection has had the time of the state that it is in."""
        if self.total_outbufs_len:
            limit = ANSWER_SECS
        elif self.request is not None:
            limit = self.server.limits.secs if self.request.headers_finished else HEAD_SECS
        else:
            limit = IDLE_SECS if self.has_asked else UNUSED_SECS
        return now - self.since > limit


class _Pools:
    """Threads for requests that read, as many for requests that write, and some for computing.

    Where a writer waits for the catalogue's lock, pages and images are answered all the same. Where
    people wait for what takes seconds to compute, saves are stored all the same.
    """

    def __init__(self, threads: int, computing: tuple[str, ...]) -> None:
        self._computing = computing
        self._readers = ThreadedTaskDispatcher()
        self._writers = ThreadedTaskDispatcher()
        self._computers = ThreadedTaskDispatcher()
        self._all = (self._readers, self._writers, self._computers)
        counts = (threads, threads, COMPUTING_THREADS if computing else 0)
        for dispatcher, count in zip(self._all, counts, strict=True):
            dispatcher.queue_logger.disabled = True  # a short queue is no event
            dispatcher.set_thread_count(count)

    def add_task(self, channel: _Channel) -> None:
        """Queue the connection's request for the threads of its kind; one not understood reads."""
        request = channel.requests[0]
        if request.error is not None or request.command in SAFE_METHODS:
            dispatcher = self._readers
        elif request.path.endswith(self._computing):
            dispatcher = self._computers
        else:
            dispatcher = self._writers
        dispatcher.add_task(channel)

    def shutdown(self) -> None:
        """End the threads; each may finish its request."""
        for dispatcher in self._all:
            dispatcher.shutdown()


class PartyServer(TcpWSGIServer):  # type: ignore[misc]
    """waitress with limits, and with threads of their own for requests that write or compute."""

    channel_class = _Channel

    def __init__(
        self,
        app: WSGIApplication,
        listening: socket.socket,
        threads: int,
        computing: tuple[str, ...] = (),
        limits: BodyLimits | None = None,
    ) -> None:
        self.limits = limits or BodyLimits(MOST_BODY_BYTES, BODY_SECS)
        self.is_stopping = False
        self._accepts_from = 0.0
        self._sockets: dict[int, Any] = {}  # all that waitress polls, by file descriptor
        super().__init__(
            app,
            map=self._sockets,
            _sock=listening,
            dispatcher=_Pools(threads, computing),
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
            bind_socket=False,
            sockets=[listening],
            ident="",
            clear_untrusted_proxy_headers=False,  # the application decides whom it believes
            connection_limit=_make_room(MOST_CONNECTIONS),
            cleanup_interval=1,  # seconds between calls of `maintenance`
            max_request_body_size=self.limits.most_bytes,
            max_request_header_size=32_768,
            inbuf_overflow=65_536,
        )

    def poll(self, secs: float) -> None:
        """Receive and send what is ready, within these seconds."""
        wasyncore.loop(timeout=secs, use_poll=True, map=self._sockets, count=1)

    def accept(self) -> tuple[socket.socket, Any] | None:
        """A new connection and its address, or None; none for a while where no file can be opened.

        It then waits with the system until others are closed.
        """
        try:
            connection: tuple[socket.socket, Any] | None = super().accept()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            self._accepts_from = time.monotonic() + PAUSE_WITHOUT_FILES_SECS
            return None
        return connection

    def readable(self) -> bool:
        """Whether a connection may be accepted; called before each poll."""
        return bool(super().readable()) and time.monotonic() >= self._accepts_from

    def maintenance(self, now: float) -> None:
        """Close connections past their time, and of a crowd of one address the least useful.

        Those that never asked for anything go first, then those that are idle for longest.
        waitress calls this once a second.
        """
        now = time.monotonic()
        channels = list(self.active_channels.values())
        crowds = Counter(channel.addr[0] for channel in channels)
        waiting = [channel for channel in channels if not channel.requests]
        for channel in sorted(waiting, key=lambda channel: (channel.has_asked, channel.since)):
            if crowds[channel.addr[0]] > MOST_OF_ADDRESS or channel.is_late(now):
                crowds[channel.addr[0]] -= 1
                channel.handle_close()

    def finish(self) -> None:
        """Accept nothing more, answer what came in, and end the threads."""
        self.accepting = False
        self.is_stopping = True
        for channel in list(self.active_channels.values()):
            channel.end_with_answer()
        began = time.monotonic()
        while self._is_busy(secs := time.monotonic() - began) and secs < STOPPING_SECS:
            self.poll(0.05)
        self.task_dispatcher.shutdown()
        self.socket.close()
        wasyncore.close_all(self._sockets, ignore_all=True)

    def _is_busy(self, stopping_secs: float) -> bool:
        """Whether a request is being answered, or still arrives so soon after the stop."""
        is_receiving = stopping_secs < SENDING_SECS_AT_STOP
        return any(
            not channel.is_idle() or (is_receiving and channel.request is not None)
            for channel in self.active_channels.values()
        )


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


def _make_room(most: int) -> int:
    """How many connections the system's limit of open files allows, raised as far as it goes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + FILES_KEPT_FREE
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    limit = max(limit, soft)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return min(most, limit - min(FILES_KEPT_FREE, int(SHARE_KEPT_FREE * limit)))
