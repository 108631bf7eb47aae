"""Image hosts that are allowed, and HTTP with limits that requests does not have."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, IncompleteRead, LocationParseError, ReadTimeoutError
from urllib3.util import parse_url

from .errors import HostNotAllowedError, PhotoBrokenError, PhotoUnreachableError, Reason

_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_UNICAST = ipaddress.ip_network("2000::/3")
"""All of IPv6 that was ever given to the open internet (IANA, IPv6 Address Space)."""


@dataclass(frozen=True)
class Endpoint:
    """Whom a URL leads to."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def named(self) -> str:
        """The host as image_hosts has it: alone for HTTPS on its usual port, else with the port."""
        is_usual = (self.scheme, self.port) == ("https", _PORTS["https"])
        return self.host if is_usual else f"{self.host}:{self.port}"


class ImageHosts:
    """The hosts of image_hosts: `host`, by HTTPS, or `host:port`, whose address may be private."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._entries = frozenset(entry.lower() for entry in entries)

    def check_url(self, url: str) -> None:
        """Raise PhotoBrokenError for no web address, HostNotAllowedError for another host."""
        endpoint = parse_endpoint(url)
        if endpoint is None:
            raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, "not a web address")
        if not self.allows(endpoint):
            raise HostNotAllowedError(Reason.FOREIGN_ADDRESS, f"{endpoint} is not in image_hosts")

    def allows(self, endpoint: Endpoint) -> bool:
        """Whether the endpoint is one of the configured hosts."""
        is_usual = endpoint.scheme == "https" and endpoint.port == _PORTS["https"]
        return self._is_exact(endpoint) or (is_usual and endpoint.host in self._entries)

    def check_peer(self, endpoint: Endpoint, address: str) -> None:
        """Raise PhotoBrokenError where a name led to a private address without being meant to."""
        if not is_public(address) and not self._is_exact(endpoint):
            detail = f"{endpoint} leads to the private address {address}"
            raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, detail)

    def _is_exact(self, endpoint: Endpoint) -> bool:
        return f"{endpoint.host}:{endpoint.port}" in self._entries


def parse_endpoint(url: str) -> Endpoint | None:
    """The endpoint of a web address without user name, parsed as the connection does; else None."""
    end = url.find("/", len("https://"))
    try:
        parsed = parse_url(url if end < 0 else url[:end])
    except LocationParseError:
        return None
    scheme = (parsed.scheme or "").lower()
    host = (parsed.host or "").lower().strip("[]")
    if scheme not in _PORTS or not host or parsed.auth is not None:
        return None
    return Endpoint(scheme, host, parsed.port or _PORTS[scheme])


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the open internet; private ones wrapped in IPv6 do not."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo and parsed.teredo[1])
        if parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner:
            return is_public(str(inner))
        if (
            parsed not in _UNICAST
        ):  # site-local, an IPv4 address behind zeros, a network's own NAT64
            return False
    return parsed.is_global and not parsed.is_multicast


CheckPeer = Callable[[Endpoint, str], None]
_CHUNK_BYTES = 65_536


class CutSession(requests.Session):
    """A session whose transfers another thread can break off, also those that begin later."""

    def __init__(self) -> None:
        super().__init__()
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._cutting = threading.Lock()
        self._is_cut = False

    def get_redirect_target(self, _response: requests.Response) -> None:
        """None: requests would read a redirect's body without limit, or drop it unclosed."""

    def watch(self, sock: socket.socket) -> None:
        """Remember a connection, or break it off at once after `cut`."""
        with self._cutting:
            self._sockets.add(sock)
            is_cut = self._is_cut
        if is_cut:
            _shut(sock)

    def cut(self) -> None:
        """Break off every transfer; its thread sees the end of the connection."""
        with self._cutting:
            self._is_cut = True
            sockets = list(self._sockets)
        for sock in sockets:
            _shut(sock)


def _shut(sock: socket.socket) -> None:
    """End a connection that another thread may be waiting for, a secure one without a goodbye."""
    with suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


def make_session(
    header_timeout_secs: float,
    check_peer: CheckPeer | None = None,
    contact: str = "",
    threads: int = 1,
) -> CutSession:
    """A session for some threads; the headers of a reply come within the time, even if they drip.

    `check_peer` sees each new connection's endpoint and IP address and may raise; a proxy decides
    by itself. `contact` is sent as foundation.wikimedia.org/wiki/Policy:User-Agent_policy asks.
    """
    session = CutSession()
    agent = f"vocparty ({contact})" if contact else "vocparty"
    session.headers["User-Agent"] = f"{agent} {requests.utils.default_user_agent()}"
    session.auth = lambda request: request  # else requests adds what a netrc file holds
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))  # none is kept
    adapter = HTTPAdapter(pool_connections=4, pool_maxsize=threads, max_retries=0)
    adapter.poolmanager.pool_classes_by_scheme = _make_pools(
        header_timeout_secs, check_peer, session.watch
    )
    for prefix in ("http://", "https://"):
        session.mount(prefix, adapter)
    return session


def read_body(
    response: requests.Response, max_bytes: int, deadline: float, *, decode: bool = False
) -> bytes:
    """The whole body, read before a deadline on the monotonic clock; raises PhotoError."""
    parts = []
    count = 0
    try:
        while part := response.raw.read1(_CHUNK_BYTES, decode_content=decode):
            parts.append(part)
            count += len(part)
            if count > max_bytes:
                raise PhotoBrokenError(Reason.TOO_MANY_BYTES, f"more than {max_bytes} bytes came")
            if time.monotonic() > deadline:
                raise PhotoUnreachableError(Reason.TIMEOUT, f"only {count} bytes came in time")
    except ReadTimeoutError as error:
        detail = f"the transfer stalled after {count} bytes"
        raise PhotoUnreachableError(Reason.TIMEOUT, detail) from error
    except (HTTPError, OSError) as error:
        is_short = any(isinstance(cause, IncompleteRead) for cause in error.args)
        reason = Reason.TRUNCATED if is_short else Reason.INTERRUPTED
        detail = f"the transfer broke off after {count} bytes"
        raise PhotoUnreachableError(reason, detail) from error
    return b"".join(parts)


@contextmanager
def cut_off_after(secs: float, sock: socket.socket | None) -> Iterator[None]:
    """Raise TimeoutError, and shut the socket, unless the block ends in time; headers may drip."""
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


def _make_pools(
    header_timeout_secs: float,
    check_peer: CheckPeer | None,
    watch: Callable[[socket.socket], None],
) -> dict[str, type[HTTPConnectionPool]]:
    class Limits:
        """What both kinds of connection do more than urllib3's."""

        host: str
        port: int
        scheme = "http"

        def _new_conn(self) -> socket.socket:
            made: socket.socket = super()._new_conn()  # type: ignore[misc]
            endpoint = Endpoint(self.scheme, self.host.lower().strip("[]"), int(self.port))
            try:  # nothing was sent yet, no secure connection's greeting either
                if check_peer is not None:
                    check_peer(endpoint, made.getpeername()[0])
            except BaseException:
                made.close()
                raise
            return made

        def connect(self) -> None:
            super().connect()  # type: ignore[misc]
            watch(self.sock)  # type: ignore[attr-defined]

        def getresponse(self) -> Any:
            with cut_off_after(header_timeout_secs, self.sock):  # type: ignore[attr-defined]
                return super().getresponse()  # type: ignore[misc]

    class HttpPool(HTTPConnectionPool):
        ConnectionCls = type("Http", (Limits, HTTPConnection), {})

    class HttpsPool(HTTPSConnectionPool):
        ConnectionCls = type("Https", (Limits, HTTPSConnection), {"scheme": "https"})

    return {"http": HttpPool, "https": HttpsPool}
