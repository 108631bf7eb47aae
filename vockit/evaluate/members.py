"""The members of an archive of results, read one after the other with caps on what they may take.

Nothing is extracted: a member gives its name, its kind and its bytes, and makes no file by itself.
"""

from __future__ import annotations

import gzip
import stat
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO, Any

from .errors import EvaluateError

_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_MAGICS = {**dict.fromkeys(_ZIP_MAGICS, "a zip"), _GZIP_MAGIC: "a gzip"}
_MOST_MAGIC = 4
_PIECE_BYTES = 1 << 20
_MOST_AT_ONCE = 1 << 24
"""No header of tar is longer; one that says so asks for the machine's memory."""
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1


@dataclass(frozen=True)
class Caps:
    """What an archive may hold and take: bytes unpacked, members, bytes for each packed one, time.

    An archive of less than `free_bytes` may have any ratio.
    """

    total_bytes: int = 8_000_000_000
    members: int = 100_000
    ratio: int = 200
    free_bytes: int = 10_000_000
    secs: float = 900.0


class Kind(Enum):
    """What a member is; of OTHER are links, devices and pipes."""

    FILE = "file"
    FOLDER = "folder"
    OTHER = "other"


@dataclass(frozen=True)
class Member:
    """A member; its bytes can be read while it is the newest that was given."""

    name: str
    kind: Kind
    size: int
    open: Callable[[], IO[bytes]]

    def read_pieces(self) -> Iterator[bytes]:
        """The bytes of a file, at most as many as it says to have."""
        left = self.size
        with closing(self.open()) as file:
            while left and (piece := file.read(min(_PIECE_BYTES, left))):
                left -= len(piece)
                yield piece
        if left:
            raise EOFError("unexpected end of data")


def iterate_members(archive: Path, caps: Caps) -> Iterator[Member]:
    """Each member in the order of the archive; to its end, so that a cut one is found.

    Raises EvaluateError where a cap is passed, and what tarfile, zipfile and gzip raise of an
    archive that is not whole.
    """
    watch = _Watch(archive, caps)
    read = _read_zip if _is_zip(archive) else _read_tar
    for member in read(archive, watch):
        watch.count(member.size)
        yield member


def _is_zip(archive: Path) -> bool:
    """Whether it is a zip by its first bytes; by its name where they are those of no archive."""
    with archive.open("rb") as file:
        start = file.read(_MOST_MAGIC)
    if start.startswith(_ZIP_MAGICS):
        return True
    return not start.startswith(_GZIP_MAGIC) and archive.name.lower().endswith(".zip")


class _Watch:
    """Counts what an archive has given so far, and refuses too much at the first member of it."""

    def __init__(self, archive: Path, caps: Caps) -> None:
        self._archive = archive
        self._caps = caps
        self._members = 0
        self._bytes = 0
        self._packed_bytes = archive.stat().st_size
        self._ends_at = time.monotonic() + caps.secs

    def count(self, size: int) -> None:
        self._members += 1
        self._bytes += size
        self.refuse_more(self._members, self._bytes)

    def refuse_more(self, members: int, total_bytes: int) -> None:
        """Raise EvaluateError for more members, bytes, ratio or time than the caps have."""
        caps = self._caps
        if total_bytes > caps.total_bytes or members > caps.members:
            raise EvaluateError(
                f"{self._archive} holds more than anyone sends; expected at most "
                f"{caps.members:,} files and {caps.total_bytes / 1e9:,.0f} GB."
            )
        if total_bytes > max(caps.free_bytes, caps.ratio * self._packed_bytes):
            raise EvaluateError(
                f"{self._archive} unpacks to more than {caps.ratio} times its size, which no "
                "results do."
            )
        self.refuse_late()

    def refuse_late(self) -> None:
        """Raise EvaluateError where reading takes longer than it may."""
        if time.monotonic() > self._ends_at:
            raise EvaluateError(
                f"Reading {self._archive} took more than {self._caps.secs:g} s and was ended."
            )


class _Plain:
    """The plain bytes behind a tar's compression, for tarfile, counted while they are read.

    Headers and what is passed over count as well: both can be packed a thousandfold.
    """

    def __init__(self, file: IO[bytes], watch: _Watch) -> None:
        self._file = file
        self._watch = watch

    def read(self, size: int) -> bytes:
        if size > _MOST_AT_ONCE:
            raise tarfile.ReadError("a header says to be longer than any is")
        data = self._file.read(size)
        self._watch.refuse_more(0, self._file.tell())
        return data

    def seek(self, place: int) -> int:
        while (left := place - self._file.tell()) > 0:
            if not self.read(min(left, _PIECE_BYTES)):
                return self._file.tell()
        return self._file.seek(place)

    def tell(self) -> int:
        return self._file.tell()


def _read_tar(archive: Path, watch: _Watch) -> Iterator[Member]:
    with archive.open("rb") as raw:
        is_packed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        raw.seek(0)
        file: Any = gzip.GzipFile(fileobj=raw) if is_packed else raw
        with file:
            if is_packed:
                _refuse_packed_again(archive, file.peek(_MOST_MAGIC)[:_MOST_MAGIC])
            plain: Any = _Plain(file, watch)
            with tarfile.open(fileobj=plain, mode="r:") as packed:
                for entry in packed:
                    yield _make_tar_member(packed, entry)
                while plain.read(_PIECE_BYTES):
                    pass  # behind the last entry a gzip that is cut off is found


def _refuse_packed_again(archive: Path, start: bytes) -> None:
    """Raise EvaluateError where another archive is inside of the gzip."""
    for magic, kind in _MAGICS.items():
        if start.startswith(magic):
            raise EvaluateError(
                f"{archive} is {kind} that gzip packed once more; unpack it once with gunzip, and "
                "send what comes out."
            )


def _make_tar_member(packed: tarfile.TarFile, entry: tarfile.TarInfo) -> Member:
    is_plain = entry.isreg() and not entry.issparse()
    kind = Kind.FILE if is_plain else Kind.FOLDER if entry.isdir() else Kind.OTHER

    def open_entry() -> IO[bytes]:
        file = packed.extractfile(entry)
        assert file is not None
        return file

    return Member(entry.name, kind, max(entry.size, 0), open_entry)


def _read_zip(archive: Path, watch: _Watch) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as zipped:
        entries = zipped.infolist()
        watch.refuse_more(len(entries), sum(entry.file_size for entry in entries))
        for entry in entries:
            _refuse_zip_form(archive, entry)
            yield _make_zip_member(zipped, entry, watch)


def _refuse_zip_form(archive: Path, entry: zipfile.ZipInfo) -> None:
    """Raise EvaluateError for a member that only its maker can read, or that takes any memory."""
    if entry.flag_bits & _ENCRYPTED:
        raise EvaluateError(f"{archive} is encrypted; pack it without a password.")
    if entry.compress_type not in _ZIP_METHODS:
        raise EvaluateError(
            f"{archive} is packed by an unusual method; pack it with deflate, which zip does "
            "unless it is told otherwise."
        )


def _make_zip_member(zipped: zipfile.ZipFile, entry: zipfile.ZipInfo, watch: _Watch) -> Member:
    mode = entry.external_attr >> 16
    is_plain = stat.S_IFMT(mode) in (0, stat.S_IFREG)
    kind = Kind.FOLDER if entry.is_dir() else Kind.FILE if is_plain else Kind.OTHER

    def open_entry() -> IO[bytes]:
        watch.refuse_late()
        return zipped.open(entry)

    return Member(entry.filename.replace("\\", "/"), kind, entry.file_size, open_entry)
