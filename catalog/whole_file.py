"""Files that appear whole and stay, and where a file of a digest lies below a folder.

Loads nothing but what it needs, for processes that are to start at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path

from .errors import ImageStoreError

HEX_DIGITS = frozenset("0123456789abcdef")


def digest_of(data: bytes) -> str:
    """The SHA-256 of the bytes as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def place_of(root: str, sha256: str) -> str:
    """The path of the file with this digest below a root; raises ValueError for no digest."""
    if len(sha256) != 64 or not HEX_DIGITS.issuperset(sha256):
        raise ValueError(f"expected 64 hexadecimal digits, got {sha256!r}")
    return f"{root}/{sha256[:2]}/{sha256}"


def put_file(root: str, data: bytes, sha256: str | None = None) -> str:
    """The digest under which the bytes are stored, durably, below a folder.

    `sha256` is the digest where it is known. Raises ImageStoreError when the folder does not take
    them.
    """
    sha256 = sha256 or digest_of(data)
    path = place_of(root, sha256)
    try:
        if not os.path.exists(path):  # noqa: PTH110  a path object costs more than looking
            write_whole(path, data)
    except OSError as error:
        raise ImageStoreError(f"The image store did not take a file: {error}.") from error
    return sha256


def write_whole(path: Path | str, data: bytes) -> None:
    """Write a file that appears whole and stays: a temporary name, fsync, rename, fsync."""
    name = os.path.basename(path)  # noqa: PTH119  as above
    temporary = f"{_folder_of(path)}/.{name}.{secrets.token_hex(6)}.part"
    try:
        _write(_create(temporary), data)
        os.replace(temporary, path)  # noqa: PTH105  paths cost as much as renaming
    except BaseException:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(temporary)  # noqa: PTH108
        raise
    sync_path(_folder_of(path))


def sync_path(path: Path | str) -> None:
    """Return when a file, or what is in a folder by name, is on the disk; raises OSError.

    With a folder that one may enter and write but not read, all that the system has is.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        os.sync()  # fsync(2) needs a descriptor, and such a folder gives none
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _folder_of(path: Path | str) -> str:
    return os.path.dirname(path) or "."  # noqa: PTH120


def _create(path: str) -> int:
    """The descriptor of a new file, whose folder is made where there is none."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o666)
    except FileNotFoundError:
        _make_folder(Path(path).parent)
        return os.open(path, flags, 0o666)


def _make_folder(folder: Path) -> None:
    """Make a folder that stays: what is in it is lost with its name in the folder above."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        sync_path(_folder_of(one))


def _write(descriptor: int, data: bytes) -> None:
    try:
        rest = memoryview(data)
        while rest:  # a disk that fills up takes a part and refuses the next one
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
