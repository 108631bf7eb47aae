"""How a fetching process works: files are fetched, several at once, then decoded and stored.

Each connection asks for one file at a time with a line of JSON. A line of JSON answers, or one each
when it is fetched and when it is stored; bytes follow a line that announces them.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from catalog.errors import ImageStoreError
from catalog.whole_file import digest_of, put_file

from .download import Downloader
from .errors import PhotoError
from .fetch_terms import Terms
from .picture import Picture, read_picture
from .unrecorded import Note, NoteWriter, name_source

_CHUNK_BYTES = 65_536
_STEPS_BACK = 10


@dataclass(frozen=True)
class _Job:
    """A file that is asked for, and the connection that waits for it."""

    connection: socket.socket
    asked: dict[str, Any]


@dataclass(frozen=True)
class _Fetched:
    """A file that has come."""

    job: _Job
    data: bytes


class Line:
    """Some threads fetch, others decode and store; whoever fetches goes on with the next at once.

    One file at a time is decoded, so that the process's limits of memory and time are those of one
    picture.
    """

    def __init__(self, terms: Terms, places: int, files: int) -> None:
        self._terms, self._notes = terms, NoteWriter(terms.notes)
        self._wanted: SimpleQueue[_Job | None] = SimpleQueue()
        self._fetched: SimpleQueue[_Fetched | None] = SimpleQueue()
        self._decoding = threading.Lock()
        self._fetching = [_start(self._fetch_all) for _ in range(places)]
        self._keeping = [_start(self._keep_all) for _ in range(max(1, files - places))]

    def serve(self, connections: Sequence[socket.socket]) -> None:
        """Say the process's id on each connection, then answer until all are closed."""
        with selectors.DefaultSelector() as selector:
            for connection in connections:
                send(connection, {"process_id": os.getpid()})
                selector.register(connection, selectors.EVENT_READ, bytearray())
            while selector.get_map():
                for key, _events in selector.select():
                    assert isinstance(key.fileobj, socket.socket)
                    if not self._read(key.fileobj, key.data):
                        selector.unregister(key.fileobj)
        self._finish()

    def _read(self, connection: socket.socket, begun: bytearray) -> bool:
        """Whether the connection is still open; the line that it has begun grows."""
        try:
            chunk = connection.recv(_CHUNK_BYTES)
        except ConnectionError:
            return False
        begun += chunk
        if begun.endswith(b"\n"):
            self._wanted.put(_Job(connection, json.loads(begun)))
            begun.clear()
        return bool(chunk)

    def _finish(self) -> None:
        """Nobody waits for an answer: what is not fetched yet is left, what is, is stored."""
        while not self._wanted.empty():
            self._wanted.get()
        for queue, threads in ((self._wanted, self._fetching), (self._fetched, self._keeping)):
            for _thread in threads:
                queue.put(None)
            for thread in threads:
                thread.join()

    def _fetch_all(self) -> None:
        downloader = Downloader(self._terms.hosts, self._terms.downloads)
        while (job := self._wanted.get()) is not None:
            try:
                data = downloader.fetch(job.asked["url"])
            except PhotoError as fault:
                send(job.connection, describe_fault(fault))
                continue
            if job.asked["tell"]:
                send(job.connection, {})
            self._fetched.put(_Fetched(job, data))
        downloader.close()

    def _keep_all(self) -> None:
        _step_back()
        while (fetched := self._fetched.get()) is not None:
            try:
                answer, payload = self._keep(fetched.data, fetched.job.asked)
            except PhotoError as fault:
                answer, payload = describe_fault(fault), b""
            except ImageStoreError as error:
                answer, payload = {"store": str(error)}, b""
            send(fetched.job.connection, answer, payload)

    def _keep(self, data: bytes, asked: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
        """What is stored, and noted before; its bytes too where there is no folder for them."""
        folder, promised, photo_id = self._terms.folder, asked["promised"], asked["photo_id"]
        picture = self._decode(data, (promised[0], promised[1]) if promised else None)
        stored = picture.as_stored(digest_of(picture.data))
        if photo_id is not None:
            self._notes.add(Note(photo_id, name_source(asked["url"]), stored))
        if folder:
            put_file(folder, picture.data, stored.sha256)
        return vars(stored), b"" if folder else picture.data

    def _decode(self, data: bytes, promised: tuple[int, int] | None) -> Picture:
        """The picture; where that takes too long the system ends this process (setitimer(2))."""
        with self._decoding:
            signal.setitimer(signal.ITIMER_REAL, self._terms.decode_secs)
            try:
                return read_picture(data, self._terms.limits, promised)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)


def send(connection: socket.socket, answer: dict[str, Any], payload: bytes = b"") -> None:
    """Answer whoever is still connected."""
    if payload:
        answer = {**answer, "following": len(payload)}
    with suppress(ConnectionError):
        connection.sendall(json.dumps(answer).encode() + b"\n" + payload)


def describe_fault(fault: PhotoError) -> dict[str, Any]:
    """A fault as an answer."""
    return {
        "fault": type(fault).__name__,
        "reason": fault.reason,
        "detail": fault.detail,
        "retry_after_secs": getattr(fault, "retry_after_secs", None),
    }


def _step_back() -> None:
    """Let whoever fetches have the processor before this thread: a host that answered is waiting.

    Only Linux has a niceness for a thread (setpriority(2), NOTES).
    """
    if sys.platform == "linux":
        niceness = os.getpriority(os.PRIO_PROCESS, 0) + _STEPS_BACK
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)


def _start(work: Callable[[], None]) -> threading.Thread:
    """A thread that works; what nobody named ends the process."""

    def work_or_exit() -> None:
        try:
            work()
        except BaseException:
            os._exit(1)

    thread = threading.Thread(target=work_or_exit)
    thread.start()
    return thread
