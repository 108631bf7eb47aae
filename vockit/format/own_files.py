"""Writing into folders and over files of the user: only what vocparty wrote there is replaced.

A folder has a list of the files that one command wrote, with their digests; a page carries its
digest at its end. What is not listed, or was changed since, is never changed or deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from vockit.errors import FolderTakenError, UserError

from .tree import IMAGE_SETS, TREE_NAME

_SIGNED = re.compile(rb"\n<!-- vocparty wrote this page: ([0-9a-f]{64}) -->\n\Z")
_DIGEST = re.compile("[0-9a-f]{64}")
Digests = Mapping[str, Collection[str]]
"""What each file may hold; while files are replaced, the old content and the new one."""


class ForeignFileError(UserError):
    """A file is in the way that vocparty did not write; the message is for the user."""


def refuse_in_tree(path: Path) -> None:
    """Raise FolderTakenError for a VOC tree and any place inside, which are a release's own."""
    place = path.resolve()
    for folder in (place, *place.parents):
        if TREE_NAME.fullmatch(folder.name) and (folder / IMAGE_SETS).is_dir():
            raise FolderTakenError(
                f"{path} is in the tree {folder}, which takes nothing but a release's own files. "
                "Name another place."
            )


def name_list(kind: str) -> str:
    """The name of the list of what a command such as "report" wrote into a folder."""
    return f".vocparty-{kind}.json"


def has_list(folder: Path, kind: str) -> bool:
    """Whether a command of that kind wrote into the folder."""
    return (folder / name_list(kind)).is_file()


def write_own_files(folder: Path, files: Mapping[str, bytes], *, kind: str) -> None:
    """Write these files, by path in the folder, instead of those that the same kind wrote before.

    Raises ForeignFileError before anything is written where another file is in the way. A call that
    was cut off is repeated: until the end the list has both contents of each file. Raises
    FolderTakenError for a folder in a tree.
    """
    refuse_in_tree(folder)
    old = _read_list(folder, kind)
    new = {name: [_digest(data)] for name, data in files.items()}
    for name in sorted({*old, *new}):
        _refuse_foreign(folder, name, old.get(name, ()))
    both = {name: sorted({*old.get(name, ()), *new.get(name, ())}) for name in {*old, *new}}
    _write_list(folder, kind, both)
    for name, data in files.items():
        _write_whole(folder / name, data)
    for name in sorted(old.keys() - new.keys()):
        path = folder / name
        path.unlink(missing_ok=True)
        with suppress(OSError):  # a folder that holds more stays
            path.parent.rmdir()
    _write_list(folder, kind, new)


def write_own_page(path: Path, page: bytes) -> None:
    """Write a page of HTML to a new file, or over a page that vocparty wrote.

    Raises ForeignFileError for any other file, and for such a page that was changed since, and
    FolderTakenError for a place in a tree.
    """
    refuse_in_tree(path)
    if os.path.lexists(path) and not _is_own_page(path):
        raise _refuse(path)
    _write_whole(path, page + f"\n<!-- vocparty wrote this page: {_digest(page)} -->\n".encode())


def _is_own_page(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    data = path.read_bytes()
    signed = _SIGNED.search(data)
    return signed is not None and signed[1].decode() == _digest(data[: signed.start()])


def _refuse_foreign(folder: Path, name: str, own_digests: Collection[str]) -> None:
    """Raise ForeignFileError unless nothing is at that path, or what was written there."""
    for parent in reversed(PurePosixPath(name).parents[:-1]):
        place = folder / parent
        if place.is_symlink() or (os.path.lexists(place) and not place.is_dir()):
            raise _refuse(place)
    path = folder / name
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_file() or _digest(path.read_bytes()) not in own_digests:
        raise _refuse(path)


def _refuse(path: Path) -> ForeignFileError:
    return ForeignFileError(
        f"{path} is not what vocparty wrote there, so nothing was changed; move it away, or name "
        "another place."
    )


def _read_list(folder: Path, kind: str) -> Digests:
    """The files that the list names; empty where there is none. Raises ForeignFileError."""
    path = folder / name_list(kind)
    if not os.path.lexists(path):
        return {}
    try:
        listed = json.loads(path.read_bytes())["files"]
        names = [PurePosixPath(name) for name in listed]
        is_sound = all(
            place.parts and not place.is_absolute() and ".." not in place.parts for place in names
        )
        if not is_sound or path.is_symlink():
            raise ValueError
        digests = {name: tuple(filter(_DIGEST.fullmatch, some)) for name, some in listed.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ForeignFileError(
            f"{path} is no list of what vocparty wrote there, so nothing was changed; name another "
            "place."
        ) from error
    return digests


def _write_list(folder: Path, kind: str, digests: Digests) -> None:
    document = {"files": dict(sorted(digests.items()))}
    _write_whole(folder / name_list(kind), (json.dumps(document, indent=1) + "\n").encode())


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file that appears whole; its folder is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
