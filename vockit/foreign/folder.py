"""A folder that appears whole: filled as `.NAME.XXXX.part` next to its place, then renamed.

Its process holds a lock on it; what a killed process left has none and the next one removes it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from vockit.errors import FolderTakenError, WriteError
from vockit.format.own_files import refuse_in_tree
from vockit.format.threads import ThreadPool
from vockit.format.whole_file import sync_path

_SUFFIX = ".part"


def has_content(folder: Path) -> bool:
    """Whether anything is at that place but an empty folder."""
    if folder.is_dir():
        return any(folder.iterdir())
    return folder.exists() or folder.is_symlink()


@contextmanager
def part_folder(target: Path) -> Iterator[Path]:
    """A new folder next to `target`, gone after the block unless published.

    Raises WriteError, and FolderTakenError for a place in a tree.
    """
    refuse_in_tree(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{target.name}."
        own_name = re.compile(re.escape(prefix) + "[0-9a-f]{12}" + re.escape(_SUFFIX))
        for path in sorted(target.parent.iterdir()):
            is_part = own_name.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
            if is_part and (lock := _lock_folder(path)) is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)
        folder, lock = _make_locked_folder(target.parent, prefix)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
    except OSError as error:
        raise WriteError(
            f"{target} cannot be written: {error.strerror or error}; nothing of it was kept. "
            "Fix that and run the same command again."
        ) from error


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which is `target` after the block; raises FolderTakenError, WriteError."""
    target = target.resolve()
    with part_folder(target) as folder:
        if has_content(target):
            raise FolderTakenError(f"{target} is not empty; name a new folder.")
        yield folder
        sync_folder(folder)
        publish_folder(folder, target)


def write_file(folder: Path, path: str, data: bytes) -> None:
    """Write one file of an unpublished folder; `sync_folder` brings it to the disk."""
    place = folder / path
    try:
        place.write_bytes(data)
    except FileNotFoundError:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def sync_folder(folder: Path) -> None:
    """Bring everything below the folder to the disk, many files at a time; raises OSError."""
    with ThreadPool(16) as pool:
        list(pool.map(sync_path, [folder, *folder.rglob("*")]))


def write_sums(folder: Path, digests: Mapping[str, str]) -> None:
    """Write SHA256SUMS, as `sha256sum --check` reads it, of digests by path."""
    lines = (f"{digest}  {name}\n" for name, digest in sorted(digests.items()))
    write_file(folder, "SHA256SUMS", "".join(lines).encode())


def publish_folder(folder: Path, target: Path) -> None:
    """Give a finished folder its name; FolderTakenError where other files are there."""
    if not has_content(target):
        folder.replace(target)
        sync_path(target.parent)
        return
    for path in sorted(place for place in folder.rglob("*") if place.is_file()):
        name = path.relative_to(folder)
        is_there = (target / name).is_file()
        if not is_there or (target / name).read_bytes() != path.read_bytes():
            raise FolderTakenError(
                f"{target} holds a release, but not this one as it is recorded: "
                f"{name} {'differs' if is_there else 'is missing'}; "
                "move it away or name a new folder."
            )


def _make_locked_folder(place: Path, prefix: str) -> tuple[Path, int]:
    """A new folder in `place`, and the descriptor that holds its lock until it is closed."""
    while True:
        folder = place / f"{prefix}{secrets.token_hex(6)}{_SUFFIX}"
        folder.mkdir()
        if (lock := _lock_folder(folder)) is not None:
            if folder.is_dir():
                return folder, lock
            os.close(lock)  # another process took it for a leftover before it was locked


def _lock_folder(folder: Path) -> int | None:
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
