"""Fetching files: threads download, processes decode, the thread stores what they made.

A file whose process ends is decoded once more, alone in a process. Where that crashes or takes too
long, the file is broken; where the system ends it, the run stops and no file is to blame.
"""

from __future__ import annotations

import io
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import requests
from PIL import Image
from urllib3.exceptions import NameResolutionError, NewConnectionError, ProxyError

from catalog.party import Party
from catalog.processors import count_processors
from catalog.settings import CollectSettings
from vockit.format.threads import ProcessPool, starting_deaf

from .errors import (
    DecoderFailsError,
    HostBusyError,
    HostNotAllowedError,
    PhotoBrokenError,
    PhotoError,
    PhotoGoneError,
    PhotoUnreachableError,
    Reason,
)
from .pauses import parse_retry_after
from .picture import (
    NO_MEMORY,
    NOT_STARTED,
    Picture,
    PictureLimits,
    StoredPicture,
    prepare_process,
    read_picture,
)
from .transport import ImageHosts, make_session, read_body

FILES_FOR_ONE = 4
"""Files in hand for each download at once: while one comes, others are decoded and stored."""


class Fetching:
    """Fetches files, for many threads; `check` may raise once a download's turn has come."""

    def __init__(self, party: Party, workers: int, check: Callable[[], None]) -> None:
        hosts = ImageHosts(party.settings.image_hosts)
        settings = party.settings.collect
        self._downloader = Downloader(hosts, settings, workers)
        self._store = party.store
        self._decoders = Decoders(settings)
        self._check = check
        self._downloads = threading.Semaphore(workers)

    def fetch(
        self,
        url: str,
        promised_size: tuple[int, int] | None,
        on_begin: Callable[[], None] = lambda: None,
    ) -> StoredPicture:
        """The picture at the URL: downloaded, decoded and stored, durably."""
        with self._downloads:
            self._check()
            on_begin()
            data = self._downloader.fetch(url)
        picture = self._decoders.read(data, promised_size)
        return picture.as_stored(self._store.put(picture.data))

    def cut(self) -> None:
        """Break off every download."""
        self._downloader.cut()

    def close(self) -> None:
        """End all processes and connections."""
        self._decoders.close()
        self._downloader.close()


MAX_REDIRECTS = 3
_REDIRECTS = (301, 302, 303, 307, 308)
_GONE = dict.fromkeys((401, 403), Reason.PRIVATE) | dict.fromkeys((404, 410, 451), Reason.DELETED)
_OF_THE_HOST = (408, 421, 425)
"""What a host refuses for a reason of its own; like 204, 206 and 304, it is no word on a photo."""
_PLACEHOLDER = "photo_unavailable"
"""Flickr redirects requests for a lost photo to an image of this name, with status 302."""
Answer = TypeVar("Answer")


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
        return self._follow(url, "GET", lambda response: self._read(response, deadline))

    def check(self, url: str) -> None:
        """Return where a picture is at the URL; nothing of it is fetched. Raises PhotoError.

        A host may answer HEAD otherwise than GET, so only what it says to GET is raised.
        """
        try:
            self._follow(url, "HEAD", self._check_answer)
        except (HostBusyError, HostNotAllowedError):
            raise
        except PhotoError:
            self._follow(url, "GET", self._check_answer)

    def _follow(self, url: str, method: str, read: Callable[[requests.Response], Answer]) -> Answer:
        """What is read of the answer that is no redirect."""
        for hop in range(1 + MAX_REDIRECTS):
            self._check_url(url, hop)
            with closing(self._get(url, method)) as response:
                location = _read_location(response)
                if not location:
                    return read(response)
            try:
                url = urljoin(url, location)
                name = urlsplit(url).path.rpartition("/")[2]
            except ValueError as error:
                detail = "a redirect to no web address"
                raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, detail) from error
            if name.startswith(_PLACEHOLDER):
                raise PhotoGoneError(Reason.PLACEHOLDER, f"redirected to {name[:60]}")
        raise PhotoBrokenError(Reason.TOO_MANY_REDIRECTS, f"more than {MAX_REDIRECTS} redirects")

    def cut(self) -> None:
        """Break off every transfer, for another thread."""
        self._session.cut()

    def close(self) -> None:
        """Close every connection."""
        self._session.close()

    def _check_url(self, url: str, hop: int) -> None:
        """Raise PhotoBrokenError for a URL that is not allowed; of redirects the host is guilty."""
        try:
            self._hosts.check_url(url)
        except HostNotAllowedError as error:
            if hop == 0:
                raise
            detail = f"redirected to {error.detail}"
            raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, detail) from error

    def _get(self, url: str, method: str) -> requests.Response:
        timeout = self._timeout
        try:
            return self._session.request(
                method, url, timeout=timeout, stream=True, allow_redirects=False
            )
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
        self._check_answer(response)
        most = self._settings.max_bytes
        promised = response.headers.get("Content-Length", "")
        if promised.isdigit() and int(promised[:20]) > most:
            raise PhotoBrokenError(Reason.TOO_MANY_BYTES, f"{promised[:20]} bytes were announced")
        data = read_body(response, most, deadline)
        if not data:
            raise PhotoUnreachableError(Reason.TRUNCATED, "no bytes came")
        return data

    def _check_answer(self, response: requests.Response) -> None:
        """Raise the PhotoError that an answer stands for, unless it has a picture."""
        status = response.status_code
        headers = response.headers
        asked_secs = parse_retry_after(headers.get("Retry-After"))
        if status in (429, 503):
            raise HostBusyError(f"HTTP {status}", asked_secs)
        # A limit of the host's, or always of this one photo: so the attempt counts.
        if status >= 500 and asked_secs is not None:
            raise HostBusyError(f"HTTP {status}", asked_secs, is_counted=True)
        if _GONE.get(status) is Reason.PRIVATE and asked_secs is not None:
            raise PhotoUnreachableError(Reason.HTTP_STATUS, f"HTTP {status}")
        if status in _GONE:
            raise PhotoGoneError(_GONE[status], f"HTTP {status}")
        if status >= 500 or status in _OF_THE_HOST or (status < 400 and status != 200):
            raise PhotoUnreachableError(Reason.HTTP_STATUS, f"HTTP {status}")
        if status != 200:
            raise PhotoBrokenError(Reason.HTTP_STATUS, f"HTTP {status}")
        if headers.get("Content-Type", "").lower().startswith("text/html"):
            raise PhotoUnreachableError(Reason.HTML, "a web page came instead of a photograph")


def read_location(header: str) -> str:
    """The address in a Location header, whose bytes came as Latin-1 and are UTF-8 where not ASCII.

    The request encodes it once (RFC 3987, section 3.1). Raises UnicodeDecodeError for other bytes.
    """
    return header.encode("latin-1").decode()


def _read_location(response: requests.Response) -> str:
    """The address that an answer redirects to, or none; raises PhotoBrokenError."""
    if response.status_code not in _REDIRECTS:
        return ""
    try:
        return read_location(response.headers.get("Location", ""))
    except UnicodeDecodeError as error:
        detail = "a redirect to an address that is neither ASCII nor UTF-8"
        raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, detail) from error


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


DECODE_SECS = 60
_CRASHES = frozenset({signal.SIGALRM, signal.SIGSEGV, signal.SIGILL, signal.SIGFPE})
"""Signals that a file brings upon its decoder: it took too long, or led it astray."""
ENDED = (
    "Processes that decode photographs were ended from outside, perhaps for want of memory. "
    "No photograph was marked as broken; run the same command again with fewer --workers."
)
TRYING_SECS = 30  # for processes to start and decode a picture of 8 x 8 pixels


class Decoders:
    """Processes that decode pictures; threads may share them."""

    def __init__(
        self, settings: CollectSettings, most_secs: float = DECODE_SECS, makes_jpeg: bool = False
    ) -> None:
        sizes_px = settings.longest_side_px, settings.min_side_px, settings.max_pixels
        self._limits = PictureLimits(*sizes_px, makes_jpeg, most_secs)
        self._count = min(settings.workers, count_processors())
        self._lock = threading.Lock()
        self._alone = threading.Lock()
        self._pool: ProcessPool | None = None
        self._fault = ""  # why nothing can be decoded here

    def read(self, data: bytes, promised_size: tuple[int, int] | None = None) -> Picture:
        """What read_picture returns or raises, worked out in another process."""
        pool = self.open()
        task = partial(read_picture, data, self._limits, promised_size)
        try:
            return pool.submit(task).result()
        except BrokenProcessPool:  # of all files that the pool had, one is to blame
            with self._lock:
                self._pool = None if self._pool is pool else self._pool
        return self._read_alone(task)

    def _read_alone(self, task: Callable[[], Picture]) -> Picture:
        """What the task returns or raises in a process of its own.

        Raises PhotoBrokenError where it crashes the process or takes too long, DecoderFailsError
        where something else ends the process, as the system does for want of memory.
        """
        with self._alone, self._make_pool(1) as alone:
            future = alone.submit(task)
            processes = list((alone._processes or {}).values())
            try:
                return future.result()
            except BrokenProcessPool as error:
                self.open()  # raises DecoderFailsError where no process can decode anything
                if not any(_is_crash(process) for process in processes):
                    raise DecoderFailsError(ENDED) from error
                detail = "the decoder ended over it twice"
                raise PhotoBrokenError(Reason.DECODER_ENDED, detail) from error

    def close(self) -> None:
        """End every process."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            _end(pool, wait=True)

    def open(self) -> ProcessPool:
        """The processes, started; DecoderFailsError where they cannot decode anything."""
        with self._lock:
            if self._fault:  # threads that wait for their turn need not find out anew
                raise DecoderFailsError(self._fault)
            if self._pool is not None:
                return self._pool
            pool = self._make_pool(self._count)
            sound = io.BytesIO()
            Image.new("L", (8, 8)).save(sound, "JPEG")
            try:
                with starting_deaf():
                    forkserver.ensure_running()
                with suppress(PhotoBrokenError):  # it may be too small
                    limits = replace(self._limits, most_secs=TRYING_SECS)
                    pool.submit(read_picture, sound.getvalue(), limits).result(TRYING_SECS)
            except (RuntimeError, MemoryError, OSError, EOFError) as error:
                _end(pool)
                is_late = isinstance(error, TimeoutError)
                self._fault = NOT_STARTED.format(secs=TRYING_SECS) if is_late else NO_MEMORY
                raise DecoderFailsError(self._fault) from error
            self._pool = pool
            return pool

    def _make_pool(self, count: int) -> ProcessPool:
        # Forked from a fresh process: this one has threads, whose locks a fork would copy.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["collect.picture"])
        return ProcessPool(count, context, prepare_process, initargs=(self._limits.max_pixels,))


def _is_crash(process: BaseProcess) -> bool:
    """Whether a process that ended did so by a fault of what it decoded."""
    process.join()
    return process.exitcode is not None and -process.exitcode in _CRASHES


def _end(pool: ProcessPool, *, wait: bool = False) -> None:
    """End the pool and its processes; without memory it may have lost the thread that ends them."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=wait, cancel_futures=True)
    for process in processes:
        process.kill()
