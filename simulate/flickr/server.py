"""The stand-in: answers, faults that strike, counts of requests, and its server (werkzeug's)."""

from __future__ import annotations

import logging
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Any, Self

from werkzeug.datastructures import Headers
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Request as HttpRequest
from werkzeug.wrappers import Response as HttpResponse

from vockit.errors import SettingsError
from vockit.format.threads import Thread

from .api import REST_PATH, REST_PATHS, answer_call
from .commons import COMMONS_PATH, answer_query
from .faults import LANDED, NO_FAULTS, TURN, Fault, FaultKind, Faults, Host, spoil
from .images import SIDES_PX, answer_image, is_image_path
from .messages import Delivery, Request, Response, name_otherwise
from .search import Library

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = logging.getLogger(__name__)

CHUNK_BYTES = 64 * 1024
EVERY_ADDRESS = frozenset({"", "0.0.0.0"})  # noqa: S104


class StandIn:
    """A stand-in Flickr that serves while the context is open; `faults` may change at any time."""

    def __init__(
        self,
        library: Library,
        *,
        faults: Faults = NO_FAULTS,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.library = library
        self.faults = faults
        self._counts: Counter[str] = Counter()
        self._attempts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._host = host
        self._port = port
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
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,))
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
        return self._images_url.removeprefix("http://")

    @property
    def base_url(self) -> str:
        """The address of the API without a path."""
        return f"http://{'127.0.0.1' if self._host in EVERY_ADDRESS else self._host}:{self._port}"

    @property
    def _images_url(self) -> str:
        """The address of the image host, which has another name, as those of the sources have.

        Where all addresses of the machine are served, it is the one that was asked for.
        """
        return self.base_url if self._host in EVERY_ADDRESS else name_otherwise(self.base_url)

    @property
    def api_url(self) -> str:
        """The address of the REST interface, as party.toml's `api_url` wants it."""
        return f"{self.base_url}{REST_PATH}"

    @property
    def commons_url(self) -> str:
        """The address of Wikimedia Commons' API, as party.toml's [commons] wants it."""
        return f"{self.base_url}{COMMONS_PATH}"

    @property
    def requests(self) -> Counter[str]:
        """The number of requests of each API method, "image", "placeholder", "fault ..." etc."""
        with self._lock:
            return Counter(self._counts)

    def respond(self, request: Request) -> Response:
        """The answer to a request, spoiled where a fault strikes."""
        struck = self._draw(request)
        response = answer(self.library, request)
        for fault in struck:
            response = spoil(response, fault, request)
        with self._lock:
            self._counts[find_kind(request)] += 1
            self._counts.update(f"fault {fault.name}" for fault in struck)
        return response

    def _draw(self, request: Request) -> tuple[Fault, ...]:
        """What goes wrong with the request; the same is asked for by each attempt at it."""
        is_image = is_image_path(request.path)
        target = request.path
        is_api = target in REST_PATHS or target == COMMONS_PATH
        if not (is_api or is_image) or not self.faults.rules or LANDED in request.args:
            return ()
        if TURN in request.args:
            return (Fault(FaultKind.REDIRECT_LOOP),)
        if is_api:
            args = sorted(
                argument
                for argument in request.args.items()
                if not argument[0].startswith("oauth_")
            )
            asked = (f"{name}={value}" for name, value in args)
            target = " ".join((request.args.get("method", ""), *asked))
        with self._lock:
            attempt = self._attempts[target]
            self._attempts[target] += 1
        return self.faults.draw(Host.API if is_api else Host.IMAGE, target, attempt)

    def _answer(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        http = HttpRequest(environ)
        urls = self.base_url, self._images_url
        if self._host in EVERY_ADDRESS:
            urls = f"http://{http.host}", f"http://{http.host}"
        headers = {name.lower(): value for name, value in http.headers.items()}
        args = http.values.to_dict()
        response = self.respond(Request(http.path, args, http.method, headers, *urls))
        if response.delay_secs and self._closing.wait(response.delay_secs):
            return _drop(environ)
        if response.delivery is Delivery.RESET:
            return _drop(environ)
        reply_headers = Headers(list(response.headers))
        reply_headers["Content-Type"] = response.content_type
        if response.delivery is not Delivery.ENDLESS:
            reply_headers["Content-Length"] = str(len(response.body))
        body = () if http.method == "HEAD" else self._send(response)
        return HttpResponse(body, response.status, reply_headers)(environ, start)

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


def answer(library: Library, request: Request) -> Response:
    """What the API or the image host of Flickr or Wikimedia Commons would answer."""
    if request.method not in {"GET", "POST", "HEAD"}:
        return Response(status=405, headers=(("Allow", "GET, POST, HEAD"),))
    if request.path in REST_PATHS:
        return answer_call(library, request)
    if request.path == COMMONS_PATH:
        return answer_query(library, request)
    if is_image_path(request.path):
        return answer_image(library, request)
    return Response(status=404)


def find_kind(request: Request) -> str:
    """The name under which a request is counted."""
    if request.path in REST_PATHS:
        return request.args.get("method", "no method")
    if request.path == COMMONS_PATH:
        return "commons search" if "gsrsearch" in request.args else "commons pages"
    if request.path in SIDES_PX:
        return "placeholder"
    return "image" if is_image_path(request.path) else "other"


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
