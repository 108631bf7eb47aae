"""The other end of collect/fetchers.py: processes that fetch, decode and store one file at a time.

The first process holds everything loaded and forks the others, which therefore start at once and
share its memory. Each serves one connection: a line of JSON asks, a line of JSON answers, and bytes
follow a line that announces them.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore, digest_of, open_image_store
from catalog.settings import make_settings

from .addresses import ImageHosts
from .decoding import limit_memory
from .download import Downloader
from .errors import PhotoError
from .picture import PictureLimits, read_picture


@dataclass(frozen=True)
class Terms:
    """What holds for every file: from where, within which limits, and stored in which folder.

    Without a folder the bytes are handed over instead.
    """

    hosts: ImageHosts
    downloads: Any
    limits: PictureLimits
    store: ImageStore | None


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
    collect = make_settings({"name": "fetching", "collect": given["collect"]}).collect
    return Terms(
        hosts=ImageHosts(given["hosts"]),
        downloads=collect,
        limits=PictureLimits(collect.longest_side_px, collect.min_side_px, collect.max_pixels),
        store=open_image_store(given["folder"]) if given["folder"] else None,
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
        self._data = b""

    def answer(self, asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """What a request comes to, as an answer and the bytes that follow it."""
        try:
            if "url" in asked:
                self._data = self._downloader.fetch(asked["url"])
                return {}, b""
            return self._keep(asked["promised"])
        except PhotoError as fault:
            return describe_fault(fault), b""
        except ImageStoreError as error:
            return {"store": str(error)}, b""

    def _keep(self, promised: list[int] | None) -> tuple[dict[str, Any], bytes]:
        data, self._data = self._data, b""
        size = (promised[0], promised[1]) if promised else None
        picture = read_picture(data, self._terms.limits, size)
        store = self._terms.store
        sha256 = store.put(picture.data) if store else digest_of(picture.data)
        answer = {
            "sha256": sha256,
            "original_sha256": picture.original_sha256,
            "width": picture.width,
            "height": picture.height,
            "bytes": len(picture.data),
        }
        return answer, b"" if store else picture.data


def serve(connection: socket.socket, steps: Steps) -> None:
    """Say the process's id, then answer until the connection is closed."""
    connection.sendall(b'{"process_id":%d}\n' % os.getpid())
    with connection.makefile("rb") as lines:
        for line in lines:
            answer, payload = steps.answer(json.loads(line))
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
