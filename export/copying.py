"""Copying a file that was looked at before, by the system alone, where nobody touched it since."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from catalog.whole_file import place_of

from .folder import open_new

Stamp = tuple[int, int, int, int]
"""Which file it was and when it was last changed, in its content or otherwise: stat(2)."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What writing would meet as well; file systems say in many ways that they cannot copy."""


def find_stamp(folder: Path | None, sha256: str) -> Stamp | None:
    """That of a file in the folder of an image store; None where that is no folder.

    Raises FileNotFoundError.
    """
    if folder is None:
        return None
    return stamp_of(os.stat(place_of(str(folder), sha256)))  # noqa: PTH116  paths cost more


def copy_stored(folder: Path | None, sha256: str, stamp: Stamp | None, target: str) -> bool:
    """Whether the target is now the file of the image store; see `copy_stamped`."""
    if folder is None or stamp is None:
        return False
    return copy_stamped(place_of(str(folder), sha256), stamp, target)


def stamp_of(found: os.stat_result) -> Stamp:
    """What changes whenever somebody writes to the file or puts another in its place."""
    return found.st_dev, found.st_ino, found.st_size, found.st_ctime_ns


def copy_stamped(source: str, stamp: Stamp, target: str) -> bool:
    """Whether the target is now the file as it was stamped; where not, it has to be written anew.

    Raises OSError where the target cannot be written.
    """
    if sys.platform != "linux":
        return False
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # whoever reads it says why
        return False
    try:
        return (
            stamp_of(os.fstat(descriptor)) == stamp
            and _copy(descriptor, stamp[2], target)
            and stamp_of(os.fstat(descriptor)) == stamp
        )
    finally:
        os.close(descriptor)


def _copy(source: int, size: int, target: str) -> bool:
    """Whether all bytes were copied; the file systems share them where they can."""
    descriptor = open_new(target)
    try:
        while size:
            copied = os.copy_file_range(source, descriptor, size)
            if not copied:
                return False
            size -= copied
    except OSError as error:
        if error.errno in _FULL:
            raise
        return False
    finally:
        os.close(descriptor)
    return True
