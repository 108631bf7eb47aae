"""The stand-in as a server (werkzeug's): start it, read what it was asked, close it."""

from __future__ import annotations

import logging
import socket
import struct
import threading
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Any, Self

from werkzeug.datastructures import Headers
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Request as HttpRequest
from werkzeug.wrappers import Response as HttpResponse

from catalog.errors import SettingsError

from .api import REST_PATH
from .commons import COMMONS_PATH
from .faults import NO_FAULTS, Faults
from .messages import Delivery, Request, Response
from .search import Library
from .service import Service

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = logging.getLogger(__name__)

CHUNK_BYTES = 64 * 1024
EVERY_ADDRESS = frozenset({"", "0.0.0.0"})  # noqa: S104


class StandIn(Service):
    """A stand-in Flickr that serves from its own threads while the context is open."""

    def __init__(
        self,
        library: Library,
        *,
        faults: Faults = NO_FAULTS,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        super().__init__(library, faults)
        self._host, self._port = host, port
        self._closing = threading.Event()
        self._server: BaseWSGIServer | None = None

    def start(self) -> Self:
        """Bind and serve; raises SettingsError where the address cannot be used."""
        try:
            listening = socket.create_server((self._host, self._port), backlog=128)
        except OSError as error:
            text = f"Cannot serve at {self._host}:{self._port}: {error.strerror}."
            raise SettingsError(text) from error
        with listening:
            self._port = listening.getsockname()[1]
            self._server = make_server(
                self._host,
                self._port,
                self._answer,
                threaded=True,
                request_handler=_Handler,
                fd=listening.fileno(),
            )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop serving; answers that are still waiting end without a reply."""
        if self._server is None:
            return
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def image_host(self) -> str:
        """Host and port, as party.toml's `image_hosts` wants them."""
        return f"{'127.0.0.1' if self._host in EVERY_ADDRESS else self._host}:{self._port}"

    @property
    def base_url(self) -> str:
        """The address of the server without a path."""
        return f"http://{self.image_host}"

    @property
    def api_url(self) -> str:
        """The address of the REST interface, as party.toml's `api_url` wants it."""
        return f"{self.base_url}{REST_PATH}"

    @property
    def commons_url(self) -> str:
        """The address of Wikimedia Commons' API, as party.toml's [commons] wants it."""
        return f"{self.base_url}{COMMONS_PATH}"

    def _answer(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        http = HttpRequest(environ)
        response = self._respond(http)
        if response.delay_secs and self._closing.wait(response.delay_secs):
            return _drop(environ)
        if response.delivery is Delivery.RESET:
            return _drop(environ)
        headers = Headers(list(response.headers))
        headers["Content-Type"] = response.content_type
        if response.delivery is not Delivery.ENDLESS:
            headers["Content-Length"] = str(len(response.body))
        body = () if http.method == "HEAD" else self._send(response)
        return HttpResponse(body, response.status, headers)(environ, start)

    def _respond(self, http: HttpRequest) -> Response:
        base_url = f"http://{http.host}" if self._host in EVERY_ADDRESS else self.base_url
        headers = {name.lower(): value for name, value in http.headers.items()}
        request = Request(http.path, http.values.to_dict(), http.method, headers, base_url)
        return self.respond(request)

    def _send(self, response: Response) -> Iterator[bytes]:
        """The pieces of the body; a slow or endless one stops when the server closes."""
        if response.delivery is Delivery.TRUNCATED:
            yield response.body[: len(response.body) // 2]
        elif response.delivery is Delivery.DRIP:
            for start in range(len(response.body)):
                yield response.body[start : start + 1]
                if self._closing.wait(response.byte_every_secs):
                    return
        else:
            yield response.body
        if response.delivery is Delivery.ENDLESS:
            for piece in repeat(b"\0" * CHUNK_BYTES):
                if self._closing.is_set():
                    return
                yield piece


def _drop(environ: WSGIEnvironment) -> Iterable[bytes]:
    """No answer: the connection ends with a TCP reset instead of an orderly close."""
    connection: socket.socket = environ["werkzeug.socket"]
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
    raise ConnectionResetError("the connection was reset on purpose")


class _Handler(WSGIRequestHandler):
    def connection_dropped(self, error: BaseException, environ: Any = None) -> None:
        self.close_connection = True

    def log(self, type: str, message: str, *args: Any) -> None:
        log.debug(message, *args)
