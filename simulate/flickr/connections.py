"""The sockets of the stand-in: a threaded HTTP/1.1 server that closes without leaving any open."""

from __future__ import annotations

import contextlib
import logging
import socket
import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from itertools import repeat
from socketserver import TCPServer, ThreadingMixIn
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from catalog.errors import SettingsError

from .messages import Delivery, Request, Response
from .service import Service

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 1_000_000
IDLE_SECS = 60
CHUNK_BYTES = 64 * 1024
EVERY_ADDRESS = frozenset({"", "0.0.0.0"})  # noqa: S104
FORM_TYPE = "application/x-www-form-urlencoded"
TOO_LARGE = Response(status=413, headers=(("Connection", "close"),))


class Server(ThreadingMixIn, TCPServer):
    """One thread a connection; knows its connections, so that closing ends them all."""

    allow_reuse_address = True
    request_queue_size = 128
    daemon_threads = False
    block_on_close = True

    def __init__(
        self,
        address: tuple[str, int],
        service: Service,
        connect_secs: float = 0.0,
        pictures_at: str | None = None,
    ) -> None:
        self.service, self.connect_secs = service, connect_secs
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._to_reset: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, _Handler)
        host, port = self.server_address[:2]
        self.name = f"{'127.0.0.1' if host in EVERY_ADDRESS else str(host)}:{port}"
        self.base_url = pictures_at
        if pictures_at is None and host not in EVERY_ADDRESS:
            self.base_url = f"http://{self.name}"

    def close(self) -> None:
        """End serving, every connection and every thread."""
        self.closing.set()
        self.shutdown()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def reset(self, connection: socket.socket) -> None:
        """Let the connection end with a TCP reset instead of an orderly close."""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with self._lock:
            self._to_reset.add(connection)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection; one that is to be reset is not shut down in order first."""
        with self._lock:
            self._open.discard(request)
            must_reset = request in self._to_reset
            self._to_reset.discard(request)
        if must_reset:
            self.close_request(request)
        else:
            super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what should not have happened; the server goes on."""
        log.exception("the stand-in failed to answer %s", client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "vocparty-standin"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = IDLE_SECS
    server: Server

    def handle(self) -> None:
        if self.server.connect_secs and self.server.closing.wait(self.server.connect_secs):
            return
        with contextlib.suppress(ConnectionError, TimeoutError):
            super().handle()

    def finish(self) -> None:
        for stream in (self.wfile, self.rfile):
            with contextlib.suppress(OSError):
                stream.close()

    def do_GET(self) -> None:
        self._deliver(self._respond())

    do_HEAD = do_GET  # noqa: N815
    do_POST = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        log.debug(format, *args)

    def _respond(self) -> Response:
        form = self._read_form()
        if form is None:
            self.close_connection = True
            return TOO_LARGE
        try:
            return self.server.service.respond(self._make_request(form))
        except SettingsError as error:  # a mistake in what the control path was given
            return Response(status=400, content_type="text/plain", body=str(error).encode())

    def _read_form(self) -> dict[str, str] | None:
        """The form in the body; None where the body is too large or its length unknown."""
        length = self.headers.get("Content-Length", "0")
        is_measured = length.isdecimal() and "Transfer-Encoding" not in self.headers
        if not is_measured or int(length) > MAX_BODY_BYTES:
            return None
        body = self.rfile.read(int(length)).decode("utf-8", "replace")
        is_form = self.headers.get_content_type() == FORM_TYPE
        return dict(parse_qsl(body, keep_blank_values=True)) if is_form else {}

    def _make_request(self, form: dict[str, str]) -> Request:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query, keep_blank_values=True))
        headers = {name.lower(): value for name, value in self.headers.items()}
        base_url = self.server.base_url or f"http://{headers.get('host', self.server.name)}"
        return Request(address.path, {**query, **form}, self.command, headers, base_url)

    def _deliver(self, response: Response) -> None:
        """Send the response; what is slow or endless stops when the server closes."""
        if response.delivery is not Delivery.WHOLE:
            self.close_connection = True
        if response.delay_secs and self.server.closing.wait(response.delay_secs):
            self.close_connection = True
        elif response.delivery is Delivery.RESET:
            self.server.reset(self.connection)
        else:
            self._send_head(response)
            self._send_body(response)

    def _send_head(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        if response.status != 304:
            self.send_header("Content-Type", response.content_type)
        if response.delivery is Delivery.ENDLESS:
            self.send_header("Connection", "close")
        elif response.status != 304:
            self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()

    def _send_body(self, response: Response) -> None:
        if self.command == "HEAD":
            return
        for piece in _cut(response):
            self.wfile.write(piece)
            self.wfile.flush()
            if response.byte_every_secs and self.server.closing.wait(response.byte_every_secs):
                return


def _cut(response: Response) -> Iterator[bytes]:
    """The pieces in which the body is sent."""
    if response.delivery is Delivery.TRUNCATED:
        yield response.body[: len(response.body) // 2]
    elif response.delivery is Delivery.DRIP:
        yield from (response.body[start : start + 1] for start in range(len(response.body)))
    else:
        yield response.body
    if response.delivery is Delivery.ENDLESS:
        yield from repeat(b"\0" * CHUNK_BYTES)
