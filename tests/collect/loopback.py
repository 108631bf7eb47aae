"""A real server on this machine whose answers a test writes itself, byte by byte if need be."""

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers by path; `release` is set after the test, so that hanging answers end."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self.body = self.rfile.read(length)
        self._answer()

    def send(self, status: int, body: bytes = b"", **headers: str) -> None:
        """A whole answer; an underscore in a header's name stands for a hyphen."""
        self.start(status, {"Content-Length": str(len(body)), **headers})
        self.wfile.write(body)

    def start(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def hang(self) -> None:
        self.server.release.wait(30)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _answer(self) -> None:
        with self.server.lock:
            self.server.paths.append(self.path)
            self.server.connections.add(self.client_address[1])
        try:
            self.server.answers[self.path](self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


class Server(ThreadingHTTPServer):
    """Answers requests and records their paths; its threads have ended when it is closed."""

    daemon_threads = False

    def __init__(self, answers: dict[str, Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.paths: list[str] = []
        self.connections: set[int] = set()
        self.lock = threading.Lock()
        self.release = threading.Event()
        self.open: set[Any] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.open.discard(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


@dataclass
class Loopback:
    """A running server; `answers` may be filled while it runs."""

    answers: dict[str, Answer] = field(default_factory=dict)
    server: Server = field(init=False)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.server_address[1]}"

    def url(self, path: str) -> str:
        return f"http://{self.host}{path}"


@contextmanager
def running_loopback(tls: ssl.SSLContext | None = None) -> Iterator[Loopback]:
    loopback = Loopback()
    loopback.server = Server(loopback.answers)
    if tls is not None:
        listening = loopback.server.socket
        loopback.server.socket = tls.wrap_socket(
            listening, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=loopback.server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield loopback
    finally:
        loopback.server.release.set()
        loopback.server.shutdown()
        for request in list(loopback.server.open):
            _shut(request)
        loopback.server.server_close()
        thread.join()


def _shut(request: Any) -> None:
    try:
        request.shutdown(2)
    except OSError:
        return
