"""A folder that appears whole: filled under a temporary name beside its place, then renamed.

While it is being filled its name is `.NAME.XXXX.part`, and its process holds a lock on it; what a
killed process left has no lock and is removed by the next one.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import ExportError, FolderTakenError
from .syncing import sync_path

_SUFFIX = ".part"
_TO_WRITE, _MODE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666


def has_content(folder: Path) -> bool:
    """Whether anything is at that place but an empty folder."""
    if folder.is_dir():
        return any(folder.iterdir())
    return folder.exists() or folder.is_symlink()


@contextmanager
def part_folder(target: Path) -> Iterator[Path]:
    """A new empty folder beside `target`; it is gone after the block unless it was published."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        folder, lock = _make_locked(target)
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {error.strerror}.") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def write_file(folder: Path, path: str, data: bytes) -> None:
    """Write one file of an unpublished folder; `syncing.sync_folder` makes it stay."""
    write_parts(folder, path, (data,))


def write_parts(folder: Path, path: str, parts: Iterable[bytes]) -> None:
    """The same of a file that comes in parts."""
    name = f"{folder}/{path}"  # descriptors and strings: files and paths take thrice the time
    try:
        descriptor = os.open(name, _TO_WRITE, _MODE)
    except FileNotFoundError:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(name, _TO_WRITE, _MODE)
    try:
        for data in parts:
            written = os.write(descriptor, data)
            while written < len(data):  # a disk that fills up takes a part and refuses the next
                written += os.write(descriptor, memoryview(data)[written:])
    finally:
        os.close(descriptor)


def publish_folder(folder: Path, target: Path) -> None:
    """Give a finished folder its name; where the same files are there already, they stay.

    Raises FolderTakenError where something else is there.
    """
    if has_content(target):
        difference = find_difference(folder, target)
        if difference is not None:
            raise FolderTakenError(
                f"{target} holds a release, but not this one as it is recorded: {difference}; "
                "move it away or name a new folder."
            )
        return
    folder.replace(target)
    sync_path(target.parent)


def find_difference(folder: Path, other: Path) -> str | None:
    """The first file of the folder that the other lacks or has otherwise; None where none is."""
    for path in sorted(folder.rglob("*")):
        twin = other / path.relative_to(folder)
        if path.is_dir():
            continue
        if not twin.is_file():
            return f"{path.relative_to(folder)} is missing"
        if twin.read_bytes() != path.read_bytes():
            return f"{path.relative_to(folder)} differs"
    return None


def _make_locked(target: Path) -> tuple[Path, int]:
    while True:
        folder = target.with_name(f".{target.name}.{secrets.token_hex(6)}{_SUFFIX}")
        folder.mkdir()
        lock = _lock(folder)
        if lock is not None and folder.is_dir():
            return folder, lock
        # another process took it for a leftover before it was locked
        if lock is not None:
            os.close(lock)


def _lock(folder: Path) -> int | None:
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


def _remove_leftovers(target: Path) -> None:
    for path in sorted(target.parent.iterdir()):
        if not path.name.startswith(f".{target.name}.") or path.suffix != _SUFFIX:
            continue
        if (lock := _lock(path)) is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)
