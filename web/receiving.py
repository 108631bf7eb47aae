"""waitress with limits: requests are received whole before a thread answers them."""

from __future__ import annotations

import errno
import resource
import socket
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.receiver import FixedStreamReceiver
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import InternalServerError

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

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


def _make_room(most: int) -> int:
    """How many connections the system's limit of open files allows, raised as far as it goes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + FILES_KEPT_FREE
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    limit = max(limit, soft)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return min(most, limit - min(FILES_KEPT_FREE, int(SHARE_KEPT_FREE * limit)))
