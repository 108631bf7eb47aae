"""The other end of collect/fetchers.py: processes that fetch, decode and store one file at a time.

The first process holds everything loaded and forks the others, which therefore start at once and
share its memory. Each serves one connection: a line of JSON asks, a line of JSON answers each step,
and bytes follow a line that announces them.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from catalog.errors import ImageStoreError
from catalog.whole_file import digest_of, put_file

from .addresses import ImageHosts
from .download import Downloader
from .errors import PhotoError
from .memory_limit import limit_memory
from .picture import PictureLimits, read_picture


@dataclass(frozen=True)
class Downloads:
    """What a download may take; not the settings, whose checks take long to load."""

    connect_timeout_secs: float
    read_timeout_secs: float
    total_timeout_secs: float
    max_bytes: int


@dataclass(frozen=True)
class Terms:
    """What holds for every file: from where, within which limits, and stored in which folder.

    Without a folder the bytes are handed over instead.
    """

    hosts: ImageHosts
    downloads: Downloads
    limits: PictureLimits
    folder: str | None


def main() -> None:
    """Fork a process for every connection that comes over the socket of the first argument.

    Ends when the socket is closed, after all that were forked.
    """
    terms = parse_terms(sys.argv[2])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
    gc.freeze()  # what is loaded stays shared: a collection would write to every object
    with socket.socket(fileno=int(sys.argv[1])) as control:
        while fork_next(control, terms):
            pass
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def parse_terms(text: str) -> Terms:
    """The terms in a line of JSON."""
    given = json.loads(text)
    return Terms(
        hosts=ImageHosts(given["hosts"]),
        downloads=Downloads(**given["downloads"]),
        limits=PictureLimits(**given["limits"]),
        folder=given["folder"],
    )


def fork_next(control: socket.socket, terms: Terms) -> bool:
    """Whether a connection came; this returns in the first process only."""
    message, descriptors, _flags, _address = socket.recv_fds(control, 1, 1)
    if not message:
        return False
    (descriptor,) = descriptors
    if os.fork() == 0:
        control.close()
        _serve_and_exit(socket.socket(fileno=descriptor), terms)
    os.close(descriptor)
    return True


def _serve_and_exit(connection: socket.socket, terms: Terms) -> None:
    status = 1
    try:
        limit_memory(terms.limits.max_pixels)
        with connection, closing(Downloader(terms.hosts, terms.downloads)) as downloader:
            serve(connection, Steps(terms, downloader))
        status = 0
    finally:
        os._exit(status)  # what the first process has to clean up is not ours


class Steps:
    """The two steps of one file: it is fetched, then checked and stored."""

    def __init__(self, terms: Terms, downloader: Downloader) -> None:
        self._terms, self._downloader = terms, downloader

    def answers(self, asked: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bytes]]:
        """An answer for each step until one fails, with the bytes that follow it."""
        try:
            data = self._downloader.fetch(asked["url"])
            yield {}, b""
            yield self._keep(data, asked["promised"])
        except PhotoError as fault:
            yield describe_fault(fault), b""
        except ImageStoreError as error:
            yield {"store": str(error)}, b""

    def _keep(self, data: bytes, promised: list[int] | None) -> tuple[dict[str, Any], bytes]:
        size = (promised[0], promised[1]) if promised else None
        picture = read_picture(data, self._terms.limits, size)
        folder = self._terms.folder
        sha256 = put_file(folder, picture.data) if folder else digest_of(picture.data)
        answer = {
            "sha256": sha256,
            "original_sha256": picture.original_sha256,
            "width": picture.width,
            "height": picture.height,
            "bytes": len(picture.data),
        }
        return answer, b"" if folder else picture.data


def serve(connection: socket.socket, steps: Steps) -> None:
    """Say the process's id, then answer until the connection is closed."""
    connection.sendall(b'{"process_id":%d}\n' % os.getpid())
    with connection.makefile("rb") as lines:
        for line in lines:
            for answer, payload in steps.answers(json.loads(line)):
                if payload:
                    answer["following"] = len(payload)
                connection.sendall(json.dumps(answer).encode() + b"\n" + payload)


def describe_fault(fault: PhotoError) -> dict[str, Any]:
    """A fault as an answer."""
    return {
        "fault": type(fault).__name__,
        "reason": fault.reason,
        "detail": fault.detail,
        "retry_after_secs": getattr(fault, "retry_after_secs", None),
    }


if __name__ == "__main__":
    main()
