"""Processes that each fetch, decode and store one file at a time, for the threads of the collector.

A file that kills a process kills only that: the collector starts another one. No bytes of a
photograph pass through the collector where the image store is a folder.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from typing import IO, Any

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore
from catalog.settings import CollectSettings

from .download import MAX_REDIRECTS
from .errors import (
    HostBusyError,
    PhotoBrokenError,
    PhotoGoneError,
    PhotoUnreachableError,
)
from .fetching import Downloads
from .forker import Forker
from .picture import PictureLimits, StoredPicture
from .reasons import Reason

KEEP_TIMEOUT_SECS = 60.0
"""For decoding and storing one file."""
_FAULTS = {one.__name__: one for one in (PhotoGoneError, PhotoBrokenError, PhotoUnreachableError)}


class Fetchers:
    """A set number of fetching processes, shared by the threads of the collector."""

    def __init__(
        self,
        image_hosts: tuple[str, ...],
        settings: CollectSettings,
        store: ImageStore,
        count: int,
    ) -> None:
        self._forker = Forker(_describe_terms(image_hosts, settings, store))
        fetch_secs = _longest_fetch_secs(settings)
        self._all = [Fetcher(self._forker, store, fetch_secs) for _ in range(count)]
        self._free: queue.LifoQueue[Fetcher] = queue.LifoQueue()
        for fetcher in self._all:
            self._free.put(fetcher)

    def start(self, most: int) -> None:
        """Start processes, at most so many, ahead of the first file; they get ready by themselves.

        Nothing happens where it fails: whoever needs a process will be told.
        """
        with suppress(OSError):
            for fetcher in self._all[: -most - 1 : -1]:  # the last one is borrowed first
                fetcher.start()

    @contextmanager
    def borrow(self) -> Iterator[Fetcher]:
        """A fetcher that nobody else has, waiting for one where all are in use."""
        fetcher = self._free.get()
        try:
            yield fetcher
        finally:
            if fetcher.is_asked:
                fetcher.leave()
            self._free.put(fetcher)

    @property
    def process_ids(self) -> list[int]:
        """The ids of the processes that are ready for a file."""
        return [one.process_id for one in self._all if one.process_id is not None]

    @property
    def first_process_id(self) -> int | None:
        """The id of the process that forks the others, where it was started."""
        return self._forker.process_id

    def close(self) -> None:
        """End every process."""
        for fetcher in self._all:
            fetcher.leave()
        self._forker.end()


class Fetcher:
    """One process, for one file at a time: first `fetch`, then `keep`.

    The process is told of both at once and goes on by itself. `is_asked` while it owes an answer.
    """

    def __init__(self, forker: Forker, store: ImageStore, fetch_timeout_secs: float) -> None:
        self._forker, self._store = forker, store
        self.fetch_timeout_secs, self.keep_timeout_secs = fetch_timeout_secs, KEEP_TIMEOUT_SECS
        self._connection: socket.socket | None = None
        self._answers: IO[bytes] | None = None
        self.process_id: int | None = None
        self.is_asked = False

    def start(self) -> None:
        """Let a process be started, without waiting for it."""
        if self._connection is None:
            self._take(self._forker.fork())

    @property
    def is_started(self) -> bool:
        """Whether there is a process, or will be without anybody's doing."""
        return self._connection is not None

    def fetch(self, url: str, promised_size: tuple[int, int] | None) -> None:
        """Return when the process has the bytes at the URL; raises what Downloader.fetch does.

        Raises PhotoUnreachableError where the process ended or did not answer in time.
        """
        asked = json.dumps({"url": url, "promised": promised_size}).encode() + b"\n"
        self._step(self.fetch_timeout_secs, asked)

    def keep(self) -> StoredPicture:
        """What the fetched bytes are, once they are stored durably; raises as read_picture does.

        Raises PhotoUnreachableError as `fetch` does, ImageStoreError where the store is full.
        """
        answer, payload = self._step(self.keep_timeout_secs)
        self.is_asked = False
        if payload:
            self._store.put(payload)
        return StoredPicture(
            sha256=str(answer["sha256"]),
            width=int(answer["width"]),
            height=int(answer["height"]),
            bytes=int(answer["bytes"]),
            original_sha256=answer["original_sha256"],
        )

    def leave(self) -> None:
        """Close the connection, which ends an idle process."""
        self.process_id, self.is_asked = None, False
        for one in (self._answers, self._connection):
            if one is not None:
                with suppress(OSError):
                    one.close()
        self._answers = self._connection = None

    def _step(self, timeout_secs: float, asked: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """The answer to the next step, of a new file where `asked` tells of one."""
        try:
            if asked:
                self._connect()
            answer, payload = self._exchange(asked, timeout_secs)
        except OSError as error:
            self._end(is_hanging=isinstance(error, TimeoutError))
            detail = str(error) if isinstance(error, TimeoutError) else "the decoder ended over it"
            raise PhotoUnreachableError(Reason.DECODER_ENDED, detail) from error
        except BaseException:
            self._end(is_hanging=True)
            raise
        if "fault" in answer or "store" in answer:
            self.is_asked = False
            raise _read_fault(answer)
        return answer, payload

    def _connect(self) -> None:
        """Get a process; once more where the first process ended before it had forked one."""
        if self.process_id is not None:
            return
        try:
            self.start()
            self._greet()
        except ConnectionError:
            self.leave()
            self._take(self._forker.fork(is_new=True))
            self._greet()

    def _take(self, connection: socket.socket) -> None:
        self._connection, self._answers = connection, connection.makefile("rb")
        connection.settimeout(self.keep_timeout_secs)

    def _greet(self) -> None:
        hello, _ = self._read_answer()
        self.process_id = int(hello["process_id"])

    def _exchange(self, asked: bytes, timeout_secs: float) -> tuple[dict[str, Any], bytes]:
        if self._connection is None:
            raise ConnectionResetError("the process ended")
        self._connection.settimeout(timeout_secs)
        if asked:
            self.is_asked = True
            self._connection.sendall(asked)
        try:
            return self._read_answer()
        except TimeoutError as error:
            raise TimeoutError(f"no answer came within {timeout_secs:g} s") from error

    def _read_answer(self) -> tuple[dict[str, Any], bytes]:
        assert self._answers is not None
        line = self._answers.readline()
        if not line.endswith(b"\n"):
            raise ConnectionResetError("the process ended")
        answer = json.loads(line)
        count = answer.get("following", 0)
        payload = self._answers.read(count) if count else b""
        if len(payload) != count:
            raise ConnectionResetError("the process ended")
        return answer, payload

    def _end(self, *, is_hanging: bool) -> None:
        """A process that still holds its connection can be killed by its id: it has it still."""
        process_id = self.process_id
        if is_hanging and process_id is not None:
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        self.leave()


def _describe_terms(
    image_hosts: tuple[str, ...], settings: CollectSettings, store: ImageStore
) -> str:
    folder = store.folder
    terms = {
        "hosts": image_hosts,
        "downloads": {one.name: getattr(settings, one.name) for one in fields(Downloads)},
        "limits": {one.name: getattr(settings, one.name) for one in fields(PictureLimits)},
        "folder": str(folder) if folder else None,
    }
    return json.dumps(terms)


def _longest_fetch_secs(settings: CollectSettings) -> float:
    """A download ends by itself before: each of its requests is limited on its own as well."""
    return (2 + MAX_REDIRECTS) * (settings.connect_timeout_secs + settings.total_timeout_secs)


def _read_fault(answer: dict[str, Any]) -> Exception:
    if "store" in answer:
        return ImageStoreError(answer["store"])
    if answer["fault"] == HostBusyError.__name__:
        return HostBusyError(answer["detail"], answer["retry_after_secs"])
    return _FAULTS[answer["fault"]](Reason(answer["reason"]), answer["detail"])
