"""Processes that fetch, decode and store a few files each, for the threads of the collector.

A file that kills a process kills only that: the collector starts another one. No bytes of a
photograph pass through the collector where the image store is a folder.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields

from catalog.image_store import ImageStore
from catalog.settings import CollectSettings

from .download import MAX_REDIRECTS
from .fetch_process import FetchProcess, share_evenly
from .fetch_terms import Downloads
from .fetcher import Fetcher
from .forker import Forker
from .picture import PictureLimits
from .unrecorded import Unrecorded

KEEP_TIMEOUT_SECS = 60.0
"""For decoding and storing one file."""


@dataclass(frozen=True)
class Crew:
    """How many processes there are, and how many files they download, and have in hand, at once.

    Both are of all processes together, which share them evenly. With `is_told` the collector says
    when a download may begin, and the processes set no limit.
    """

    processes: int
    downloads: int
    files: int
    is_told: bool = False


class Fetchers:
    """A set number of fetching processes, shared by the threads of the collector."""

    def __init__(
        self,
        image_hosts: tuple[str, ...],
        settings: CollectSettings,
        store: ImageStore,
        crew: Crew,
        notes: Unrecorded,
    ) -> None:
        self._forker = Forker(_describe_terms(image_hosts, settings, store, notes))
        self._changed = threading.Condition()
        self._free: dict[FetchProcess, list[Fetcher]] = {}
        shares = [share_evenly(count, crew.processes) for count in (crew.downloads, crew.files)]
        for downloads, files in zip(*shares, strict=True):
            places = files if crew.is_told else downloads
            process = FetchProcess(self._forker, places, files)
            fetch_secs = _longest_fetch_secs(settings) * -(-files // places)
            keep_secs = KEEP_TIMEOUT_SECS * files
            self._free[process] = [
                Fetcher(process, which, store, fetch_secs, keep_secs) for which in range(files)
            ]
        self._all = [one for fetchers in self._free.values() for one in fetchers]

    def load(self) -> None:
        """Start the first process ahead of the others, which loads what they need by itself.

        Nothing happens where it fails, as in `start`.
        """
        with suppress(OSError):
            self._forker.start()

    def start(self, most: int) -> None:
        """Start processes, at most so many, ahead of the first file; they get ready by themselves.

        Nothing happens where it fails: whoever needs a process will be told.
        """
        with suppress(OSError):
            for process in list(self._free)[:most]:
                process.start()

    @contextmanager
    def borrow(self) -> Iterator[Fetcher]:
        """A fetcher that nobody else has, waiting for one where all are in use."""
        fetcher = self._take()
        try:
            yield fetcher
        finally:
            if fetcher.is_asked:
                fetcher.abandon()
            with self._changed:
                free = self._free[fetcher.process]
                free.append(fetcher)
                for one in free:
                    one.leave_given_up()
                self._changed.notify()

    @property
    def process_ids(self) -> list[int]:
        """The ids of the processes that are ready for a file."""
        return sorted({one.process_id for one in self._all if one.process_id is not None})

    def close(self) -> None:
        """End every process."""
        for process in self._free:
            process.close()
        for fetcher in self._all:
            fetcher.leave()
        self._forker.end()

    def _take(self) -> Fetcher:
        """One of the process that has the least in hand."""
        with self._changed:
            while True:
                _process, free = max(self._free.items(), key=_rank)
                if free:
                    return free.pop()
                self._changed.wait()


def _rank(found: tuple[FetchProcess, list[Fetcher]]) -> tuple[int, bool]:
    process, free = found
    return len(free), process.is_started


def _describe_terms(
    image_hosts: tuple[str, ...],
    settings: CollectSettings,
    store: ImageStore,
    notes: Unrecorded,
) -> str:
    folder = store.folder
    terms = {
        "hosts": image_hosts,
        "downloads": {one.name: getattr(settings, one.name) for one in fields(Downloads)},
        "limits": {one.name: getattr(settings, one.name) for one in fields(PictureLimits)},
        "folder": str(folder) if folder else None,
        "decode_secs": KEEP_TIMEOUT_SECS,
        "notes": str(notes.folder),
    }
    return json.dumps(terms)


def _longest_fetch_secs(settings: CollectSettings) -> float:
    """A download ends by itself before: each of its requests is limited on its own as well."""
    return (2 + MAX_REDIRECTS) * (settings.connect_timeout_secs + settings.total_timeout_secs)
