"""The image store: files addressed by the SHA-256 of their bytes, in a folder or at a URL."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from vockit.format.whole_file import digest_of, write_whole

from .errors import ImageDamagedError, ImageMissingError, ImageStoreError

__all__ = ["ImageStore", "digest_of", "open_image_store", "write_whole"]

_DIGEST = re.compile("[0-9a-f]{64}")
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


class ImageStore:
    """A content-addressed store; a file is either there whole or not at all."""

    def __init__(self, filesystem: Any, root: str) -> None:
        self._filesystem = filesystem
        self._root = root.rstrip("/")
        self._is_local = isinstance(filesystem, LocalFileSystem)

    def put(self, data: bytes) -> str:
        """The digest under which the bytes are stored durably now; raises ImageStoreError."""
        sha256 = digest_of(data)
        path = self._path(sha256)
        with _naming_errors("take a file"):
            if self._filesystem.exists(path) and self._filesystem.size(path) == len(data):
                return sha256  # one cut short is written again
            if self._is_local:
                write_whole(path, data)
            else:
                self._filesystem.makedirs(path.rpartition("/")[0], exist_ok=True)
                self._filesystem.pipe_file(path, data)
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of a stored file; raises ImageMissingError, or ImageDamagedError if changed."""
        path = self._path(sha256)
        with _naming_errors(f"give {sha256}"):
            try:
                data = bytes(self._filesystem.cat_file(path))
            except FileNotFoundError as error:
                raise ImageMissingError(f"The image store holds no file {sha256}.") from error
        if digest_of(data) != sha256:
            raise ImageDamagedError(
                f"The file {sha256} in the image store is damaged. Restore it from a backup."
            )
        return data

    def has(self, sha256: str) -> bool:
        """Whether the file is there."""
        with _naming_errors("answer"):
            return bool(self._filesystem.exists(self._path(sha256)))

    def is_here(self) -> bool:
        """Whether a file was ever stored there; in a folder where no disk is mounted, none was."""
        with _naming_errors("answer"):
            try:
                inside = self._filesystem.ls(self._root, detail=False)
            except FileNotFoundError:
                return False
        return any(_FOLDER.fullmatch(path.rstrip("/").rpartition("/")[2]) for path in inside)

    def delete(self, sha256: str) -> None:
        """Delete a file for good; one that is not there stays away. Raises ImageStoreError."""
        with _naming_errors(f"delete {sha256}"), contextlib.suppress(FileNotFoundError):
            self._filesystem.rm_file(self._path(sha256))

    def local_path(self, sha256: str) -> Path | None:
        """The file's path where the store is a folder of this machine, else None."""
        return Path(self._path(sha256)) if self.folder else None

    @property
    def folder(self) -> Path | None:
        """The store's folder where it is one of this machine, else None."""
        return Path(self._root) if self._is_local else None

    def digests(self) -> Iterator[str]:
        """Every stored digest, ascending."""
        with _naming_errors("list its files"):
            found = sorted(self._filesystem.find(self._root))
        yield from filter(_DIGEST.fullmatch, (path.rpartition("/")[2] for path in found))

    def _path(self, sha256: str) -> str:
        if not _DIGEST.fullmatch(sha256):
            raise ValueError(f"expected 64 hexadecimal digits, got {sha256!r}")
        return f"{self._root}/{sha256[:2]}/{sha256}"


@contextlib.contextmanager
def _naming_errors(what: str) -> Iterator[None]:
    """Make an ImageStoreError of what the system, or a client of an object store, raises."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) or "botocore" in type(error).__module__:
            raise ImageStoreError(f"The image store did not {what}: {error}.") from error
        raise
