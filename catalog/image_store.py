"""The image store: files addressed by the SHA-256 of their bytes, in a folder or at a URL."""

from __future__ import annotations

import contextlib
import errno
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from vockit.errors import SettingsError
from vockit.format.whole_file import digest_of, make_folder, write_whole

from .errors import (
    ImageDamagedError,
    ImageMissingError,
    ImageStoreError,
    ImageUnreadableError,
    StoreOwnerError,
)

__all__ = ["ImageStore", "digest_of", "open_image_store", "write_whole"]

MARK_FILE = "vocparty-store.json"
"""The file in a store that says whose it is (store_owner.py)."""

_DIGEST = re.compile("[0-9a-f]{64}")
_OF_ONE_FILE = frozenset({errno.EACCES, errno.EBADMSG, errno.EIO, errno.ELOOP, errno.EPERM})
"""Errors of a file or its place on the disk; the others may be read all the same."""
_FOLDER = re.compile("[0-9a-f]{2}")


def open_image_store(url: str, base: Path | None = None) -> ImageStore:
    """The store at a folder, relative to `base`, or at a URL; or raises ImageStoreError."""
    try:
        if "://" not in url:
            return ImageStore(LocalFileSystem(), str((base or Path()).joinpath(url).resolve()))
        # Other machines store files too, so no list of them is kept.
        filesystem, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
    except (ImportError, ValueError, OSError) as error:
        raise ImageStoreError(f"The image store {url} cannot be opened: {error}.") from error
    return ImageStore(filesystem, root)


@dataclass(frozen=True)
class Seal:
    """The token of the party that owns a store, and what the store's mark says of it."""

    token: str
    mark: bytes


class ImageStore:
    """A content-addressed store; a file is either there whole or not at all.

    With the seal of its party, a folder writes, deletes and misses nothing while its mark is not
    there: its disk was unmounted, or another party claimed it. A note lies beside each file that
    the party stored until a row names it, so the files of others are never taken for its own.
    """

    def __init__(self, filesystem: Any, root: str, seal: Seal | None = None) -> None:
        self._filesystem = filesystem
        self._root = root.rstrip("/")
        self._is_local = isinstance(filesystem, LocalFileSystem)
        self._seal = seal
        self._seen_mark: tuple[int, int] | None = None
        self._noted = set[str]()  # in an object store, by this process

    def put(self, data: bytes) -> str:
        """The digest under which the bytes are stored durably now; raises ImageStoreError."""
        sha256 = digest_of(data)
        path = self._path(sha256)
        with _naming_errors("take a file"):
            self._require_mark()
            if self._filesystem.exists(path) and self._filesystem.size(path) == len(data):
                return sha256  # one cut short is written again
            if self._is_local:
                self._write_file(sha256, data)
            else:
                self._filesystem.makedirs(path.rpartition("/")[0], exist_ok=True)
                self._filesystem.pipe_file(path, data)
                self._noted.add(sha256)
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of a stored file.

        Raises ImageMissingError, ImageDamagedError where they changed, or ImageUnreadableError.
        """
        path = self._path(sha256)
        with _naming_errors(f"give {sha256}"):
            try:
                data = bytes(self._filesystem.cat_file(path))
            except FileNotFoundError as error:
                self._require_mark()
                raise ImageMissingError(f"The image store holds no file {sha256}.") from error
            except OSError as error:
                if self._is_local and error.errno in _OF_ONE_FILE:
                    self._require_mark()
                    raise ImageUnreadableError(
                        f"The file {sha256} in the image store cannot be read: {error.strerror}."
                    ) from error
                raise
        if digest_of(data) != sha256:
            raise ImageDamagedError(
                f"The file {sha256} in the image store is damaged. Restore it from a backup."
            )
        return data

    def has(self, sha256: str) -> bool:
        """Whether the file is there; raises ImageStoreError where the store is not."""
        with _naming_errors("answer"):
            if self._filesystem.exists(self._path(sha256)):
                return True
            self._require_mark()
            return False

    def delete(self, sha256: str) -> None:
        """Delete a file for good; one that is not there stays away. Raises ImageStoreError."""
        with _naming_errors(f"delete {sha256}"):
            self._require_mark()
            with contextlib.suppress(FileNotFoundError):
                self._filesystem.rm_file(self._path(sha256))
            self.drop_note(sha256)

    def has_note(self, sha256: str) -> bool:
        """Whether this party stored the file, and no row was seen yet that names it."""
        note = self._note_path(sha256)
        return sha256 in self._noted if note is None else note.exists()

    def find_notes(self, names: Iterable[str]) -> dict[str, str]:
        """Of the names in a folder of the store those of this party's notes, by digest."""
        end = f".{self._seal.token}.new" if self._seal else "/"
        return {name[1 : -len(end)]: name for name in names if name.endswith(end)}

    def drop_note(self, sha256: str) -> None:
        """Forget that the file is unrecorded; the file stays."""
        self._noted.discard(sha256)
        if (note := self._note_path(sha256)) is not None:
            note.unlink(missing_ok=True)

    def is_own_part(self, path: Path) -> bool:
        """Whether a stopped write of this party left the file."""
        is_part = path.name.startswith(".") and path.name.endswith(".part")
        return is_part and self._seal is not None and f".{self._seal.token}." in path.name

    def read_mark(self) -> bytes | None:
        """What the store says of its owner, None where it has no mark; raises ImageStoreError."""
        with _naming_errors("answer"), contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return bytes(self._filesystem.cat_file(f"{self._root}/{MARK_FILE}"))
        return None

    def write_mark(self, mark: bytes) -> None:
        """Say durably whose the store is; raises ImageStoreError."""
        path = f"{self._root}/{MARK_FILE}"
        with _naming_errors("take its mark"):
            if self._is_local:
                write_whole(path, mark)
            else:
                self._filesystem.makedirs(self._root, exist_ok=True)
                self._filesystem.pipe_file(path, mark)

    def sealed(self, seal: Seal) -> ImageStore:
        """The same store for the party that owns it."""
        return ImageStore(self._filesystem, self._root, seal)

    @property
    def seal(self) -> Seal | None:
        """That of the party for which the store was opened."""
        return self._seal

    @property
    def place(self) -> str:
        """The store's folder or address, for people to read."""
        return self._root if self._is_local else str(self._filesystem.unstrip_protocol(self._root))

    def local_path(self, sha256: str) -> Path | None:
        """The file's path where the store is a folder of this machine, else None."""
        return Path(self._path(sha256)) if self.folder else None

    @property
    def folder(self) -> Path | None:
        """The store's folder where it is one of this machine, else None."""
        return Path(self._root) if self._is_local else None

    def refuse_inside(self, path: Path) -> None:
        """Raise SettingsError for a place in the store's folder, which takes only its own files."""
        if self.folder is not None and path.resolve().is_relative_to(self.folder):
            raise SettingsError(
                f"{path} is in the image store {self.folder}, which takes nothing but images. Name "
                "another place."
            )

    def digests(self) -> Iterator[str]:
        """Every stored digest, ascending; not those of a party whose folder lies in the store."""
        with _naming_errors("list its files"):
            self._require_mark()
            paths = sorted(self._filesystem.find(self._root))
        for path in paths:
            sha256 = path.rpartition("/")[2]
            if _DIGEST.fullmatch(sha256) and path.endswith(self._path(sha256).lstrip("/")):
                yield sha256

    def _write_file(self, sha256: str, data: bytes) -> None:
        """Write a file of a folder, and first the note that this party did."""
        path = Path(self._path(sha256))
        note = self._note_path(sha256)
        if self._seal is None or note is None:
            write_whole(path, data)
            return
        make_folder(path.parent)
        note.touch()  # it is on the disk once write_whole has synchronised the folder
        try:
            write_whole(path, data, writer=self._seal.token)
        except BaseException:
            with contextlib.suppress(OSError):
                note.unlink()
            raise

    def _note_path(self, sha256: str) -> Path | None:
        if self._seal is None or not self._is_local:
            return None
        path = Path(self._path(sha256))
        return path.with_name(f".{path.name}.{self._seal.token}.new")

    def _require_mark(self) -> None:
        """Raise StoreOwnerError where a sealed folder's mark is not the one that was sealed."""
        if self._seal is None or not self._is_local:
            return
        with contextlib.suppress(OSError):
            mark = Path(self._root, MARK_FILE).stat()
            seen = mark.st_ino, mark.st_mtime_ns
            if seen == self._seen_mark:
                return
            if self.read_mark() == self._seal.mark:
                self._seen_mark = seen
                return
        raise StoreOwnerError(
            f"The image store of this party is not here: {self._root} was unmounted, or another "
            "party claimed it. Nothing more was written or deleted there. Mount its disk, or see "
            "`vocparty doctor`; then run the same command again."
        )

    def _path(self, sha256: str) -> str:
        if not _DIGEST.fullmatch(sha256):
            raise ValueError(f"expected 64 hexadecimal digits, got {sha256!r}")
        return f"{self._root}/{sha256[:2]}/{sha256}"


@contextlib.contextmanager
def _naming_errors(what: str) -> Iterator[None]:
    """Make an ImageStoreError of what the system, or a client of an object store, raises."""
    try:
        yield
    except ImageStoreError:
        raise
    except Exception as error:
        if isinstance(error, OSError) or "botocore" in type(error).__module__:
            raise ImageStoreError(f"The image store did not {what}: {error}.") from error
        raise
