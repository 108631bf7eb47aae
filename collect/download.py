"""Fetching the bytes of one photograph, and naming everything that can be wrong on the way."""

from __future__ import annotations

import time
from contextlib import closing
from urllib.parse import urljoin, urlsplit

import requests
from urllib3.exceptions import NameResolutionError, NewConnectionError, ProxyError

from catalog.settings import CollectSettings

from .errors import (
    HostBusyError,
    PhotoBrokenError,
    PhotoError,
    PhotoGoneError,
    PhotoUnreachableError,
    Reason,
)
from .pauses import parse_retry_after
from .transport import ImageHosts, make_session, read_body

MAX_REDIRECTS = 3
_REDIRECTS = (301, 302, 303, 307, 308)
_GONE = dict.fromkeys((401, 403), Reason.PRIVATE) | dict.fromkeys((404, 410, 451), Reason.DELETED)
_PLACEHOLDER = "photo_unavailable"
"""Flickr redirects requests for a lost photo to an image of this name, with status 302."""


class Downloader:
    """The way of some threads to the image hosts, over connections that are kept open."""

    def __init__(self, hosts: ImageHosts, settings: CollectSettings, threads: int = 1) -> None:
        self._hosts = hosts
        self._settings = settings
        self._session = make_session(
            settings.total_timeout_secs, hosts.check_peer, settings.contact, threads
        )
        self._session.headers["Accept-Encoding"] = "identity"
        self._timeout = settings.connect_timeout_secs, settings.read_timeout_secs

    def fetch(self, url: str) -> bytes:
        """The bytes at the URL."""
        deadline = time.monotonic() + self._settings.total_timeout_secs
        for _hop in range(1 + MAX_REDIRECTS):
            self._hosts.check_url(url)
            with closing(self._get(url)) as response:
                location = response.headers.get("Location", "")
                if response.status_code not in _REDIRECTS or not location:
                    return self._read(response, deadline)
            try:
                url = urljoin(url, location)
                name = urlsplit(url).path.rpartition("/")[2]
            except ValueError as error:
                detail = "a redirect to no web address"
                raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, detail) from error
            if name.startswith(_PLACEHOLDER):
                raise PhotoGoneError(Reason.PLACEHOLDER, f"redirected to {name[:60]}")
        raise PhotoBrokenError(Reason.TOO_MANY_REDIRECTS, f"more than {MAX_REDIRECTS} redirects")

    def close(self) -> None:
        """Close every connection."""
        self._session.close()

    def _get(self, url: str) -> requests.Response:
        try:
            return self._session.get(url, timeout=self._timeout, stream=True, allow_redirects=False)
        except requests.ConnectTimeout as error:
            raise HostBusyError("no connection in time") from error
        except requests.exceptions.SSLError as error:
            raise HostBusyError("no secure connection") from error
        except requests.ReadTimeout as error:
            raise PhotoUnreachableError(Reason.TIMEOUT, "the host did not answer") from error
        except requests.ConnectionError as error:
            raise _connection_fault(error) from error
        except (requests.RequestException, ValueError) as error:
            raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, type(error).__name__) from error

    def _read(self, response: requests.Response, deadline: float) -> bytes:
        """The body of a good answer; raises the PhotoError that any other stands for."""
        status, headers, most = response.status_code, response.headers, self._settings.max_bytes
        if status in _GONE:
            raise PhotoGoneError(_GONE[status], f"HTTP {status}")
        asked_secs = parse_retry_after(headers.get("Retry-After"))
        if status in (429, 503) or (status >= 500 and asked_secs is not None):
            raise HostBusyError(f"HTTP {status}", asked_secs)
        if status >= 500:
            raise PhotoUnreachableError(Reason.HTTP_STATUS, f"HTTP {status}")
        if status != 200:
            raise PhotoBrokenError(Reason.HTTP_STATUS, f"HTTP {status}")
        promised = headers.get("Content-Length", "")
        if promised.isdigit() and int(promised[:20]) > most:
            raise PhotoBrokenError(Reason.TOO_MANY_BYTES, f"{promised[:20]} bytes were announced")
        if headers.get("Content-Type", "").lower().startswith("text/html"):
            raise PhotoUnreachableError(Reason.HTML, "a web page came instead of a photograph")
        data = read_body(response, most, deadline)
        if not data:
            raise PhotoUnreachableError(Reason.TRUNCATED, "no bytes came")
        return data


def _connection_fault(error: requests.ConnectionError) -> PhotoError:
    """A host that cannot be reached wants rest; a broken transfer may be the photo's own fault."""
    cause = error.args[0] if error.args else error
    reason = getattr(cause, "reason", cause)
    if isinstance(reason, ProxyError):
        return HostBusyError("no connection: the proxy refuses or does not answer")
    if isinstance(reason, NameResolutionError):
        return HostBusyError("no connection: DNS lookup failed")
    if isinstance(reason, NewConnectionError):
        is_refused = isinstance(reason.__context__, ConnectionRefusedError)
        return HostBusyError(f"no connection{': refused' if is_refused else ''}")
    return PhotoUnreachableError(Reason.INTERRUPTED, "the host closed the connection")
