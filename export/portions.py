"""Work on the images of a release or a tree, in processes where they are many."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import TypeVar

from .errors import ExportError

FEWEST_IN_PROCESSES = 2_000
"""Images that take a second; starting processes takes as long."""
IMAGES_AT_ONCE = 250
_WORK = ["export.pictures", "export.verify.facts", "export.importing.drafts"]
"""What every process imports, which takes a second without the fork."""

Item = TypeVar("Item")
Result = TypeVar("Result")
Advance = Callable[[int], object]


def map_images(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The results for all items, in order; raises ExportError where the system ended a process."""
    if len(items) < FEWEST_IN_PROCESSES:
        yield from map(work, items)
        return
    # forked from a fresh process: this one has threads, whose locks a fork would copy
    context = get_context("forkserver")
    context.set_forkserver_preload(_WORK)
    pool = ProcessPoolExecutor(mp_context=context, initializer=_prepare)
    try:
        yield from pool.map(work, items, chunksize=IMAGES_AT_ONCE)
    except BrokenProcessPool as error:
        raise ExportError(
            "A process that worked on images was ended from outside, perhaps for lack of memory; "
            "run the same command again."
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Leave Ctrl-C to the command, and end when that is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
