"""A folder that appears whole: filled under a temporary name beside its place, then renamed.

While it is being filled its name is `.NAME.XXXX.part`, and its process holds a lock on it; what a
killed process left has no lock and is removed by the next one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from catalog.locked_folder import make_locked_folder, remove_unlocked
from catalog.whole_file import sync_path

from .errors import ExportError, FolderTakenError

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
        prefix = f".{target.name}."
        remove_unlocked(path for path in target.parent.iterdir() if _is_part(path, prefix))
        folder, lock = make_locked_folder(target.parent, prefix, _SUFFIX)
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {error.strerror}.") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _is_part(path: Path, prefix: str) -> bool:
    return path.name.startswith(prefix) and path.suffix == _SUFFIX


def write_file(folder: Path, path: str, data: bytes) -> None:
    """Write one file of an unpublished folder; `syncing.sync_folder` makes it stay."""
    write_parts(folder, path, (data,))


def write_parts(folder: Path, path: str, parts: Iterable[bytes]) -> None:
    """The same of a file that comes in parts."""
    descriptor = open_new(f"{folder}/{path}")  # strings: paths take thrice the time
    try:
        for data in parts:
            written = os.write(descriptor, data)
            while written < len(data):  # a disk that fills up takes a part and refuses the next
                written += os.write(descriptor, memoryview(data)[written:])
    finally:
        os.close(descriptor)


def open_new(name: str) -> int:
    """The descriptor of an empty file, whose folder is made where there is none."""
    try:
        return os.open(name, _TO_WRITE, _MODE)
    except FileNotFoundError:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        return os.open(name, _TO_WRITE, _MODE)


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
