"""HTTP with limits that requests does not have: a time for the whole, a cap on the bytes, a peer.

A session belongs to one thread.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, IncompleteRead, ProtocolError, ReadTimeoutError
from urllib3.util import Timeout

from .addresses import Endpoint, host_of
from .reasons import Reason
from .watchdog import Watchdog

CheckPeer = Callable[[Endpoint, str], None]
USER_AGENT = "vocparty"
_CHUNK_BYTES = 65_536
_HOSTS_REMEMBERED = 1000


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
    session = _Session()
    session.headers["User-Agent"] = USER_AGENT
    for prefix in ("http://", "https://"):
        session.mount(prefix, _LimitedAdapter(header_timeout_secs, check_peer))
    return session


class Asker:
    """Requests of a session that differ in nothing but address and form; no cookies are kept.

    What requests works out anew for every request, and what it takes more time for than for the
    transfer itself (settings, headers, cookies, redirects), is worked out once, or not at all.
    """

    def __init__(self, session: requests.Session, timeout: Timeout) -> None:
        self._session = session
        self._timeout: Any = timeout  # requests takes urllib3's, whatever its types say
        self._headers = session.prepare_request(requests.Request("GET", "http://host/")).headers
        self._settings: dict[str, Any] = {}

    def get(self, url: str) -> requests.Response:
        """The response, with its body unread; redirects are not followed.

        Raises requests.RequestException, ValueError.
        """
        request = requests.PreparedRequest()
        request.method, request.headers = "GET", self._headers
        return self._send(request, url)

    def post(self, url: str, form: Mapping[str, str]) -> requests.Response:
        """The response to a form, as of `get`."""
        request = requests.PreparedRequest()
        request.method, request.headers = "POST", self._headers.copy()
        request.prepare_body(form, None)
        return self._send(request, url)

    def _send(self, request: requests.PreparedRequest, url: str) -> requests.Response:
        request.prepare_url(url, None)
        address = request.url or ""
        response: requests.Response = self._session.get_adapter(address).send(
            request, stream=True, timeout=self._timeout, **self._find_settings(address)
        )
        return response

    def _find_settings(self, url: str) -> Any:
        """Proxies and certificates of the URL's host."""
        host = host_of(url)
        if host not in self._settings:
            if len(self._settings) >= _HOSTS_REMEMBERED:
                self._settings.clear()
            found = self._session.merge_environment_settings(url, {}, None, None, None)
            self._settings[host] = {name: found[name] for name in ("proxies", "verify", "cert")}
        return self._settings[host]


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


class _Session(requests.Session):
    """A session that asks the environment for proxies and certificates once a host.

    It never sends what a netrc file holds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False
        self.verify = (
            os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
        )
        self._proxies: dict[tuple[str, str], dict[str, str]] = {}

    def merge_environment_settings(
        self, url: Any, proxies: Any, stream: Any, verify: Any, cert: Any
    ) -> Any:
        """The settings of one request."""
        address = urlsplit(url)
        host = (address.scheme, address.netloc)
        if host not in self._proxies:
            if len(self._proxies) >= _HOSTS_REMEMBERED:
                self._proxies.clear()
            self._proxies[host] = get_environ_proxies(url)
        proxies = {**self._proxies[host], **(proxies or {})}
        return super().merge_environment_settings(url, proxies, stream, verify, cert)


class _LimitedAdapter(HTTPAdapter):
    def __init__(self, header_timeout_secs: float, check_peer: CheckPeer | None) -> None:
        self._watchdog = Watchdog(header_timeout_secs)
        self._pools = _make_pools(self._watchdog, check_peer)
        super().__init__(pool_connections=4, pool_maxsize=1, max_retries=0)
        self._last: tuple[str, Any] | None = None

    def get_connection_with_tls_context(
        self, request: Any, verify: Any, proxies: Any = None, cert: Any = None
    ) -> Any:
        """The host's pool of connections; one after the other is mostly of the same host.

        Certificates and proxies of a host do not change within a session.
        """
        host = host_of(request.url)
        if self._last is None or self._last[0] != host:
            pool = super().get_connection_with_tls_context(request, verify, proxies, cert)
            self._last = host, pool
        return self._last[1]

    def request_url(self, request: Any, proxies: Any) -> str:
        """What is asked for: without a proxy just the path."""
        return str(super().request_url(request, proxies) if proxies else request.path_url)

    def build_response(self, req: Any, resp: Any) -> requests.Response:
        """The response without cookies, and without an encoding, as nobody reads text."""
        response = requests.Response()
        response.status_code, response.reason = resp.status, resp.reason
        response.headers = resp.headers
        response.raw, response.url, response.request = resp, req.url, req
        response.connection = self
        return response

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        manager: PoolManager = self.poolmanager
        manager.pool_classes_by_scheme = self._pools

    def close(self) -> None:
        super().close()
        self._watchdog.close()


def _make_pools(
    watchdog: Watchdog, check_peer: CheckPeer | None
) -> dict[str, type[HTTPConnectionPool]]:
    class Http(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return _check(super()._new_conn(), self, "http", check_peer)

        def getresponse(self) -> Any:
            with watchdog.watching(self.sock):
                return super().getresponse()

    class Https(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            return _check(super()._new_conn(), self, "https", check_peer)

        def getresponse(self) -> Any:
            with watchdog.watching(self.sock):
                return super().getresponse()

    class HttpPool(HTTPConnectionPool):
        ConnectionCls = Http

    class HttpsPool(HTTPSConnectionPool):
        ConnectionCls = Https

    return {"http": HttpPool, "https": HttpsPool}


def _check(
    made: socket.socket, connection: HTTPConnection, scheme: str, check_peer: CheckPeer | None
) -> socket.socket:
    """The connection as it was made; nothing was sent over it, no secure one's greeting either."""
    if check_peer is None:
        return made
    endpoint = Endpoint(scheme, connection.host.lower().strip("[]"), int(connection.port))
    try:
        check_peer(endpoint, made.getpeername()[0])
    except BaseException:
        made.close()
        raise
    return made
