"""HTTP with limits that requests does not have: a time for the whole, a cap on the bytes, a peer.

A session belongs to one thread.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, IncompleteRead, ReadTimeoutError

from .errors import Reason
from .hosts import Endpoint

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
    header_timeout_secs: float, check_peer: CheckPeer | None = None, contact: str = ""
) -> requests.Session:
    """A session whose replies' headers come within the time, however slowly they drip.

    `check_peer` sees each new connection's endpoint and IP address and may raise; through a proxy
    nothing is checked, because the proxy decides which host it calls. `contact` is sent along, as
    Wikimedia's policy asks (foundation.wikimedia.org/wiki/Policy:User-Agent_policy).
    """
    session = requests.Session()
    agent = f"{USER_AGENT} ({contact})" if contact else USER_AGENT
    session.headers["User-Agent"] = f"{agent} {requests.utils.default_user_agent()}"
    session.auth = lambda request: request  # else requests adds what a netrc file holds
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))  # none is kept
    for prefix in ("http://", "https://"):
        session.mount(prefix, _LimitedAdapter(header_timeout_secs, check_peer))
    return session


def read_body(
    response: requests.Response, max_bytes: int, deadline: float, *, decode: bool = False
) -> bytes:
    """The whole body, at most `max_bytes`, read before the deadline on the monotonic clock."""
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
        raise TransferError(Reason.TIMEOUT, f"the transfer stalled after {count} bytes") from error
    except (HTTPError, OSError) as error:
        is_short = any(isinstance(cause, IncompleteRead) for cause in error.args)
        reason = Reason.TRUNCATED if is_short else Reason.INTERRUPTED
        raise TransferError(reason, f"the transfer broke off after {count} bytes") from error
    return b"".join(parts)


@contextmanager
def cut_off_after(secs: float, sock: socket.socket | None) -> Iterator[None]:
    """Raise TimeoutError unless the block ends in time; the socket is shut when its time is over.

    A read timeout alone never ends headers that drip byte by byte.
    """
    is_late = threading.Event()

    def shut() -> None:
        is_late.set()
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(secs, shut)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if is_late.is_set():  # a socket that was shut looks like the end of the answer
            raise TimeoutError("the headers did not come in time")


class _LimitedAdapter(HTTPAdapter):
    def __init__(self, header_timeout_secs: float, check_peer: CheckPeer | None) -> None:
        self._pools = _make_pools(header_timeout_secs, check_peer)
        super().__init__(pool_connections=4, pool_maxsize=1, max_retries=0)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = self._pools


def _make_pools(
    header_timeout_secs: float, check_peer: CheckPeer | None
) -> dict[str, type[HTTPConnectionPool]]:
    class Limits:
        """What both kinds of connection do more than urllib3's."""

        scheme = "http"

        def _new_conn(self) -> socket.socket:
            return _check(super()._new_conn(), self, check_peer)  # type: ignore[misc]

        def getresponse(self) -> Any:
            with cut_off_after(header_timeout_secs, self.sock):  # type: ignore[attr-defined]
                return super().getresponse()  # type: ignore[misc]

    class HttpPool(HTTPConnectionPool):
        ConnectionCls = type("Http", (Limits, HTTPConnection), {})

    class HttpsPool(HTTPSConnectionPool):
        ConnectionCls = type("Https", (Limits, HTTPSConnection), {"scheme": "https"})

    return {"http": HttpPool, "https": HttpsPool}


def _check(made: socket.socket, connection: Any, check_peer: CheckPeer | None) -> socket.socket:
    """The connection as it was made; nothing was sent over it, no secure one's greeting either."""
    if check_peer is None:
        return made
    endpoint = Endpoint(
        connection.scheme, connection.host.lower().strip("[]"), int(connection.port)
    )
    try:
        check_peer(endpoint, made.getpeername()[0])
    except BaseException:
        made.close()
        raise
    return made
