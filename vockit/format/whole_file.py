"""Files that appear whole and stay."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path


def digest_of(data: bytes) -> str:
    """The SHA-256 of the bytes as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def write_whole(path: Path | str, data: bytes, *, mode: int = 0o666, writer: str = "") -> None:
    """Write a file that appears whole and stays: a temporary name, fsync, rename, fsync.

    `mode` is who may read it, less what the process's umask forbids; secrets take 0o600. The
    temporary name holds that of the `writer`, who alone may delete what a stopped write left.
    """
    path = Path(path)
    names = filter(None, ("", path.name, writer, secrets.token_hex(6), "part"))
    temporary = path.with_name(f".{'.'.join(names)}")
    make_folder(path.parent)
    try:
        with open(temporary, "xb", opener=lambda place, flags: os.open(place, flags, mode)) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_path(path.parent)


def sync_path(path: Path | str) -> None:
    """Return when a file, or what is in a folder by name, is on the disk; raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # a folder that may be entered and written but not read
        os.sync()
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder that stays: what is in it is lost with its name in the folder above."""
    if not folder.exists():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_path(folder.parent)
