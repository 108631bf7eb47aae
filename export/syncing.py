"""Bringing a whole folder to the disk."""

from __future__ import annotations

import ctypes
import errno
import os
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

from catalog.whole_file import sync_path

from .forked import beside, can_fork

SYNCS_AT_ONCE = 16
PATHS_IN_MEMORY = 2_000
FILE_SYSTEMS = ("ext4", "xfs")
"""Of which a single call is known to bring all to the disk, and to say where that failed."""
_FIRST_KERNEL = (5, 8)
_KERNEL = re.compile(r"([0-9]+)\.([0-9]+)")


def sync_folder(folder: Path) -> None:
    """Return when everything below the folder is on the disk.

    Where there are many files, their file system brings all that it has to the disk at once, if it
    can. Otherwise many files at a time, because a disk's journal takes many at the price of one.
    """
    paths = _iterate_paths(folder)
    first = list(islice(paths, PATHS_IN_MEMORY))
    if len(first) == PATHS_IN_MEMORY and _find_file_system(folder) in FILE_SYSTEMS:
        _sync_file_system(folder)
        return
    rest = chain(first, paths)
    with ThreadPoolExecutor(SYNCS_AT_ONCE) as pool:
        while some_paths := list(islice(rest, PATHS_IN_MEMORY)):
            portions = [some_paths[start::SYNCS_AT_ONCE] for start in range(SYNCS_AT_ONCE)]
            for _ in pool.map(_sync_all, portions):  # a task for each path costs more than fsync
                pass


@contextmanager
def syncing(folder: Path, *, pays: bool) -> Iterator[None]:
    """All that the folder holds when the block begins is on the disk when it has ended.

    Where it pays, the disk takes it beside the block. Raises OSError.
    """

    def sync() -> int | None:
        """What stood against it, which the system tells only once, to whoever asked."""
        try:
            sync_folder(folder)
        except OSError as error:
            return error.errno or errno.EIO
        return None

    with beside(sync, pays=pays, again=lambda: errno.EIO) as take_fault:
        yield
        if (fault := take_fault()) is not None:
            raise OSError(fault, os.strerror(fault))


@contextmanager
def syncing_ahead(folder: Path, *, pays: bool) -> Iterator[None]:
    """The disk takes what the folder holds beside the block, which has to sync what it adds.

    Only where that pays, and where it costs nothing to sync twice. Raises OSError as `syncing`.
    """
    if pays and can_fork() and _find_file_system(folder) in FILE_SYSTEMS:
        with syncing(folder, pays=True):
            yield
    else:
        yield


def _sync_all(paths: Iterable[str]) -> None:
    for path in paths:
        sync_path(path)


def _iterate_paths(folder: Path) -> Iterator[str]:
    """Every file and folder below, the folder itself too."""
    for parent, _, names in os.walk(folder):
        yield parent
        yield from (f"{parent}/{name}" for name in names)


def _find_file_system(folder: Path) -> str | None:
    """The name of the folder's file system; None where that is not known or Linux is too old."""
    kernel = _KERNEL.match(os.uname().release)
    if os.uname().sysname != "Linux" or kernel is None:
        return None
    if (int(kernel[1]), int(kernel[2])) < _FIRST_KERNEL:  # before, errors were not told: syncfs(2)
        return None
    device = folder.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = Path("/proc/self/mountinfo").read_text(errors="replace")
    except OSError:
        return None
    for mount in mounts.splitlines():  # proc(5): the third field, and the first behind the dash
        front, _, back = mount.partition(" - ")
        if back and front.split()[2] == number:
            return back.split()[0]
    return None


def _sync_file_system(folder: Path) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if library.syncfs(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(descriptor)
