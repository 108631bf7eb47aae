"""Folders that belong to one living process: a lock tells them from what one left behind."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path


def make_locked_folder(place: Path, prefix: str, suffix: str) -> tuple[Path, int]:
    """A new folder in `place`, and the descriptor that holds its lock until it is closed.

    Raises OSError.
    """
    while True:
        folder = place / f"{prefix}{secrets.token_hex(6)}{suffix}"
        folder.mkdir()
        lock = lock_folder(folder)
        if lock is not None and folder.is_dir():
            return folder, lock
        # another process took it for a leftover before it was locked
        if lock is not None:
            os.close(lock)


def lock_folder(folder: Path) -> int | None:
    """A descriptor that holds the folder's lock until it is closed; None where another has it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def remove_unlocked(folders: Iterable[Path]) -> None:
    """Remove those of the folders that no living process holds."""
    for folder in sorted(folders):
        if (lock := lock_folder(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
