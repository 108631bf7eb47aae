"""HTTP with limits that requests does not have: a time for the whole, a cap on the bytes, a peer.

A session belongs to one thread.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, IncompleteRead, ProtocolError, ReadTimeoutError

from .addresses import Endpoint
from .reasons import Reason

CheckPeer = Callable[[Endpoint, str], None]
USER_AGENT = "vocparty"
_CHUNK_BYTES = 65_536


class TransferError(Exception):
    """A body did not come whole within its limits; `reason` says how."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def make_session(
    header_timeout_secs: float, check_peer: CheckPeer | None = None
) -> requests.Session:
    """A session whose replies' headers come within the time, however slowly they drip.

    `check_peer` sees each new connection's endpoint and IP address and may raise; through a proxy
    nothing is checked, because the proxy decides whom it calls.
    """
    session = requests.Session()
    session.headers["User-Agent"] = USER_AGENT
    for prefix in ("http://", "https://"):
        session.mount(prefix, _LimitedAdapter(header_timeout_secs, check_peer))
    return session


def read_body(
    response: requests.Response, max_bytes: int, deadline: float, *, decode: bool = False
) -> bytes:
    """The whole body, at most `max_bytes`, read before the deadline on the monotonic clock.

    `decode` undoes a content encoding. Raises TransferError.
    """
    parts, count = [], 0
    try:
        while part := response.raw.read1(_CHUNK_BYTES, decode_content=decode):
            parts.append(part)
            count += len(part)
            if count > max_bytes:
                raise TransferError(Reason.TOO_MANY_BYTES, f"more than {max_bytes} bytes came")
            if time.monotonic() > deadline:
                raise TransferError(Reason.TIMEOUT, f"only {count} bytes came in time")
    except ReadTimeoutError as error:
        raise TransferError(Reason.TIMEOUT, f"nothing more came after {count} bytes") from error
    except (HTTPError, OSError) as error:
        raise TransferError(
            _reason_of(error), f"the transfer broke off after {count} bytes"
        ) from error
    return b"".join(parts)


def _reason_of(error: Exception) -> Reason:
    is_short = isinstance(error, ProtocolError) and any(
        isinstance(cause, IncompleteRead) for cause in error.args
    )
    return Reason.TRUNCATED if is_short else Reason.INTERRUPTED


class _LimitedAdapter(HTTPAdapter):
    def __init__(self, header_timeout_secs: float, check_peer: CheckPeer | None) -> None:
        self._pools = _make_pools(header_timeout_secs, check_peer)
        super().__init__(pool_connections=4, pool_maxsize=1, max_retries=0)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        manager: PoolManager = self.poolmanager
        manager.pool_classes_by_scheme = self._pools


def _make_pools(
    header_timeout_secs: float, check_peer: CheckPeer | None
) -> dict[str, type[HTTPConnectionPool]]:
    class Http(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            _check(self, "http", check_peer)

        def getresponse(self) -> Any:
            with _shut_after(self.sock, header_timeout_secs):
                return super().getresponse()

    class Https(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            _check(self, "https", check_peer)

        def getresponse(self) -> Any:
            with _shut_after(self.sock, header_timeout_secs):
                return super().getresponse()

    class HttpPool(HTTPConnectionPool):
        ConnectionCls = Http

    class HttpsPool(HTTPSConnectionPool):
        ConnectionCls = Https

    return {"http": HttpPool, "https": HttpsPool}


def _check(connection: HTTPConnection, scheme: str, check_peer: CheckPeer | None) -> None:
    if check_peer is None:
        return
    endpoint = Endpoint(scheme, connection.host.lower().strip("[]"), int(connection.port))
    try:
        check_peer(endpoint, connection.sock.getpeername()[0])
    except BaseException:
        connection.close()
        raise


@contextmanager
def _shut_after(sock: socket.socket | None, secs: float) -> Iterator[None]:
    """Raise TimeoutError unless the block ends in time; a read timeout alone never sees drips.

    The end of a socket that was shut looks like the end of the headers, hence the check.
    """
    is_late = threading.Event()
    timer = threading.Timer(secs, _shut, [sock, is_late])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if is_late.is_set():
            raise TimeoutError("the headers did not come in time")


def _shut(sock: socket.socket | None, is_late: threading.Event) -> None:
    is_late.set()
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
