"""Many files that are written together: each appears whole, and all wait for the disk twice.

They lie in a folder of their own until the disk has them, then each is renamed. What a process left
that was killed meanwhile is removed by the next batch: its folder is not locked any more.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path

from .locked_folder import make_locked_folder, remove_unlocked
from .whole_file import sync_path

_PREFIX, _SUFFIX = ".batch-", ".part"


class FileBatch:
    """Files on their way to places below one folder; threads may write at once.

    They are in their places, and stay there, when `publish` returns; `discard` leaves none. All
    raise OSError.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        beside, self._lock = make_locked_folder(folder, _PREFIX, _SUFFIX)
        self._beside = str(beside)
        self._numbers = count()
        self._written: list[tuple[str, str]] = []
        remove_unlocked(folder.glob(f"{_PREFIX}*{_SUFFIX}"))

    def write(self, path: str, data: bytes) -> None:
        """Write a file that will have this path."""
        beside = f"{self._beside}/{next(self._numbers)}"
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            rest = memoryview(data)
            while rest:  # a disk that fills up takes a part and refuses the next one
                rest = rest[os.write(descriptor, rest) :]
        finally:
            os.close(descriptor)
        self._written.append((beside, path))

    def publish(self) -> None:
        """Put every file in its place once the disk has it; return when the places last too."""
        try:
            if self._written:
                sync_filesystem(self._lock, (beside for beside, _ in self._written))
                folders = self._rename_all()
                sync_filesystem(self._lock, [*sorted(folders), str(self._folder)])
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove what is not in its place."""
        shutil.rmtree(self._beside, ignore_errors=True)
        os.close(self._lock)

    def _rename_all(self) -> set[str]:
        folders: set[str] = set()
        for beside, path in self._written:
            folder = path.rpartition("/")[0]
            if folder not in folders:
                Path(folder).mkdir(parents=True, exist_ok=True)
                folders.add(folder)
            os.replace(beside, path)  # noqa: PTH105  paths cost as much as renaming
        return folders


def sync_filesystem(descriptor: int, paths: Iterable[str]) -> None:
    """Return when the paths, all of the descriptor's file system, are on the disk.

    One call does for all where the system has it (Linux: syncfs(2), which since 5.8 tells of every
    failed write since the descriptor was opened); else each path is waited for. Raises OSError.
    """
    if _SYNCFS is None:
        for path in paths:
            sync_path(path)
    elif _SYNCFS(descriptor) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _find_syncfs() -> Callable[[int], int] | None:
    with contextlib.suppress(OSError, AttributeError):
        found: Callable[[int], int] = ctypes.CDLL(None, use_errno=True).syncfs
        return found
    return None


_SYNCFS = _find_syncfs()
