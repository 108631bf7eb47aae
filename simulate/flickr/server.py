"""The stand-in as a server: start it, ask it what it was asked, close it."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Self

from catalog.errors import SettingsError

from .answers import REST_PATH, Site
from .connections import Server
from .faults import NO_FAULTS, Faults
from .library import Library
from .renditions import Renditions
from .service import Served, Service


class StandIn:
    """A stand-in Flickr that serves from a thread of its own while the context is open.

    A connection is served `connect_secs` after it was made: the way there and back that a network
    takes before the first request. Its replies name the pictures of the stand-in at `pictures_at`,
    its own where that is None: Flickr has hosts of their own for them.
    """

    def __init__(
        self,
        library: Library,
        *,
        faults: Faults = NO_FAULTS,
        host: str = "127.0.0.1",
        port: int = 0,
        keys: frozenset[str] | None = None,
        cache_folder: Path | None = None,
        has_control: bool = False,
        connect_secs: float = 0.0,
        pictures_at: str | None = None,
    ) -> None:
        site = Site(library, Renditions(cache_folder), keys)
        self._service = Service(site, faults, has_control=has_control)
        self._address = (host, port)
        self._connect_secs, self._pictures_at = connect_secs, pictures_at
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Bind and serve; raises SettingsError where the address cannot be used."""
        try:
            self._server = Server(
                self._address, self._service, self._connect_secs, self._pictures_at
            )
        except OSError as error:
            host, port = self._address
            raise SettingsError(f"Cannot serve at {host}:{port}: {error.strerror}.") from error
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop serving; all connections are closed and all threads have ended."""
        if self._server is None or self._thread is None:
            return
        self._server.close()
        self._thread.join()
        self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def image_host(self) -> str:
        """Host and port, as party.toml's `image_hosts` wants them."""
        assert self._server is not None, "the stand-in is not running"
        return self._server.name

    @property
    def base_url(self) -> str:
        """The address of the server without a path."""
        return f"http://{self.image_host}"

    @property
    def api_url(self) -> str:
        """The address of the REST interface, as party.toml's `api_url` wants it."""
        return f"{self.base_url}{REST_PATH}"

    @property
    def faults(self) -> Faults:
        """What goes wrong from now on; may be set while serving."""
        return self._service.faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._service.faults = faults

    @property
    def requests(self) -> Counter[str]:
        """How often each API method, "image", "placeholder", "other" and each "fault ..." came."""
        return self._service.requests

    @property
    def recent(self) -> tuple[Served, ...]:
        """The last 10,000 requests, oldest first."""
        return self._service.recent
