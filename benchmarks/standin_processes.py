"""A stand-in Flickr in two processes, as Flickr has a host for its API and others for its pictures.

A search that is worked out in one does not hold up the pictures of the other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

COPY_OWNERS = 60_000
FETCHED_SIZE = ""  # the suffix of the size of 500 pixels


@dataclass(frozen=True)
class StandIns:
    """Where they are; the process of this id has the pictures and started the other one."""

    api_url: str
    image_host: str
    process_id: int


@contextmanager
def running_standins(
    pictures: Path, cache: Path, latency_ms: int, *, connect_ms: int = 0, copies: int = 0
) -> Iterator[StandIns]:
    """Both, while the context is open."""
    command = [sys.executable, "-m", "benchmarks.standin_processes"]
    process = subprocess.Popen(
        [*command, *map(str, (pictures, cache, latency_ms, connect_ms, copies))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        api_url, image_host = json.loads(process.stdout.readline())
        yield StandIns(api_url, image_host, process.pid)
    finally:
        process.communicate()  # nothing more is asked, which ends both


def serve(pictures: str, cache: str, latency_ms: str, connect_ms: str, copies: str) -> None:
    """Print where both are and serve until standard input is closed."""
    from simulate.flickr.faults import NO_FAULTS, Faults, parse_rule
    from simulate.flickr.folder import read_library
    from simulate.flickr.renditions import Renditions
    from simulate.flickr.server import StandIn
    from simulate.flickr.sizes import BY_SUFFIX

    owners = [f"owner of copies {number}" for number in range(COPY_OWNERS if int(copies) else 1)]
    library = read_library(Path(pictures), copies=int(copies), copy_owners=owners)
    renditions = Renditions(Path(cache))
    for photo in library.pictures:
        renditions.get(photo, BY_SUFFIX[FETCHED_SIZE])  # so that all rounds find them made
    is_slow = float(latency_ms) > 0
    faults = Faults((parse_rule(f"latency@{latency_ms}=1"),)) if is_slow else NO_FAULTS

    def start(pictures_at: str | None = None) -> StandIn:
        return StandIn(
            library,
            faults=faults,
            cache_folder=Path(cache),
            connect_secs=float(connect_ms) / 1000,
            pictures_at=pictures_at,
        )

    asked, answered = os.pipe(), os.pipe()
    if os.fork() == 0:  # before any thread
        with start(_receive(asked)) as api:
            _send(answered, api.api_url)
            _wait_for_end()
        return
    with start() as running:
        _send(asked, running.base_url)
        print(json.dumps([_receive(answered), running.image_host]), flush=True)
        _wait_for_end()
    os.wait()


def _wait_for_end() -> None:
    sys.stdin.read()


def _send(pipe: tuple[int, int], text: str) -> None:
    os.write(pipe[1], f"{text}\n".encode())


def _receive(pipe: tuple[int, int]) -> str:
    with os.fdopen(os.dup(pipe[0])) as lines:
        return lines.readline().strip()


if __name__ == "__main__":
    serve(*sys.argv[1:])
