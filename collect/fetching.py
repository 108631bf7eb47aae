"""Fetching files: threads download, processes decode, the thread stores what they made.

A file that kills its process is decoded once more, alone in a process, and then it is broken.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial

from PIL import Image

from catalog.party import Party
from catalog.settings import CollectSettings

from .download import Downloader
from .errors import DecoderFailsError, PhotoBrokenError, Reason
from .picture import (
    DECODE_SECS,
    NO_MEMORY,
    Picture,
    PictureLimits,
    StoredPicture,
    decode,
    prepare_decoding,
)
from .transport import ImageHosts

FILES_FOR_ONE = 4
"""Files in hand for each download at once: while one comes, others are decoded and stored."""

TRYING_SECS = 30  # for processes to start and decode a picture of 8 x 8 pixels


class Decoders:
    """Processes that decode pictures; threads may share them."""

    def __init__(
        self, settings: CollectSettings, most_secs: float = DECODE_SECS, makes_jpeg: bool = False
    ) -> None:
        self._limits = PictureLimits(
            settings.longest_side_px, settings.min_side_px, settings.max_pixels, makes_jpeg
        )
        self._most_secs = most_secs
        self._count = min(settings.workers, os.cpu_count() or 1)
        self._lock, self._alone = threading.Lock(), threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._fails = False

    def read(self, data: bytes, promised_size: tuple[int, int] | None = None) -> Picture:
        """What read_picture returns or raises, worked out in another process."""
        pool = self.open()
        task = partial(decode, data, self._limits, promised_size, self._most_secs)
        try:
            return pool.submit(task).result()
        except BrokenProcessPool:  # of all files that the pool had, one is to blame
            with self._lock:
                self._pool = None if self._pool is pool else self._pool
        with self._alone, self._make_pool(1) as alone:
            try:
                return alone.submit(task).result()
            except BrokenProcessPool as error:
                self.open()  # raises DecoderFailsError where it is no file's fault
                detail = "the decoder ended over it twice"
                raise PhotoBrokenError(Reason.DECODER_ENDED, detail) from error

    def close(self) -> None:
        """End every process."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            _end(pool, wait=True)

    def open(self) -> ProcessPoolExecutor:
        """The processes, started; DecoderFailsError where they cannot decode anything."""
        with self._lock:
            if self._fails:  # threads that wait for their turn need not find out anew
                raise DecoderFailsError(NO_MEMORY)
            if self._pool is not None:
                return self._pool
            pool, sound = self._make_pool(self._count), io.BytesIO()
            Image.new("L", (8, 8)).save(sound, "JPEG")
            try:
                with suppress(PhotoBrokenError):  # it may be too small
                    trying = pool.submit(decode, sound.getvalue(), self._limits, None, TRYING_SECS)
                    trying.result(TRYING_SECS)
            except (RuntimeError, MemoryError, OSError, EOFError) as error:
                _end(pool)
                self._fails = True
                raise DecoderFailsError(NO_MEMORY) from error
            self._pool = pool
            return pool

    def _make_pool(self, count: int) -> ProcessPoolExecutor:
        # Forked from a fresh process: this one has threads, whose locks a fork would copy.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["collect.picture"])
        return ProcessPoolExecutor(
            count, context, prepare_decoding, initargs=(self._limits.max_pixels,)
        )


def _end(pool: ProcessPoolExecutor, *, wait: bool = False) -> None:
    """End the pool and its processes; without memory it may have lost the thread that ends them."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=wait, cancel_futures=True)
    for process in processes:
        process.kill()


class Fetching:
    """Fetches files, for many threads; `check` may raise once a download's turn has come."""

    def __init__(self, party: Party, workers: int, check: Callable[[], None]) -> None:
        hosts, settings = ImageHosts(party.settings.image_hosts), party.settings.collect
        self._downloader, self._store = Downloader(hosts, settings, workers), party.store
        self._decoders, self._check = Decoders(settings), check
        self._downloads = threading.Semaphore(workers)

    def fetch(self, url: str, promised_size: tuple[int, int] | None) -> StoredPicture:
        """The picture at the URL: downloaded, decoded and stored, durably."""
        with self._downloads:
            self._check()
            data = self._downloader.fetch(url)
        picture = self._decoders.read(data, promised_size)
        return picture.as_stored(self._store.put(picture.data))

    def close(self) -> None:
        """End all processes and connections."""
        self._decoders.close()
        self._downloader.close()
