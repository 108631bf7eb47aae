"""Files that are stored and have no row yet: a note of each, so that nothing is fetched again.

Whoever stores files leaves a note of each before, in a small file of its own of which the oldest
note is written over by the next one: a process has far fewer files in hand than it has notes. What
a killed collector had stored and not recorded is found there by the next one that takes the photo.

Nothing waits for the disk: a killed process loses nothing that the system has been given. After a
power cut, or on a machine with a folder of its own, there is no note, and the photograph is fetched
once more.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.errors import ImageMissingError
from catalog.whole_file import digest_of, sync_path

from .picture import StoredPicture

if TYPE_CHECKING:
    from catalog.image_store import ImageStore

_NOTE_BYTES = 512
_MOST_FILES_MADE = 10
_SUM_CHARS = len("0f1e2d3c ")
MOST_NOTES = 512
"""Of one process; what is not recorded yet is much less."""


@dataclass(frozen=True)
class Note:
    """Which photo's file was stored, or is about to be.

    `source` stands for its address: in a catalogue that was restored, or made anew, the photo's
    number may be that of another one.
    """

    photo_id: int
    source: str
    picture: StoredPicture


class NoteWriter:
    """The notes of one process; its threads may write at once, and nothing waits or fails."""

    def __init__(self, folder: str) -> None:
        """Without a folder that takes a file there are no notes."""
        self._numbers = count()
        self._file: int | None = None
        for _ in range(_MOST_FILES_MADE):
            with suppress(OSError):
                self._file = _make_locked(folder)
            if self._file is None or os.fstat(self._file).st_nlink:
                return
            self.close()  # somebody took it for one of a process that has ended, and removed it

    def add(self, note: Note) -> None:
        """Leave a note of what is about to be stored."""
        if self._file is not None:
            place = next(self._numbers) % MOST_NOTES
            with suppress(OSError):
                os.pwrite(self._file, format_note(note), place * _NOTE_BYTES)

    def close(self) -> None:
        """Let the file be removed by whoever finds it settled."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _make_locked(folder: str) -> int:
    """A new file; it is locked until this process ends, where it has not been removed before.

    Raises OSError.
    """
    path = f"{folder}/{os.getpid()}-{secrets.token_hex(4)}"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with suppress(OSError):  # of a file system without locks
        fcntl.flock(file, fcntl.LOCK_EX)
    return file


class Unrecorded:
    """The notes that all processes left in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._left = frozenset(note.photo_id for note in self.load())

    def load(self) -> list[Note]:
        """Every note, of files that were recorded long ago too."""
        return [note for path in self._list_files() for note in _read_notes(path)]

    def find(self, photo_id: int, url: str, *, is_tried: bool) -> list[StoredPicture]:
        """What processes that have ended, or another attempt's, stored of a photo at its address.

        Where it was never tried, it can only be what was left before this began.
        """
        if not is_tried and photo_id not in self._left:
            return []
        start = _describe(photo_id, name_source(url))
        lines = [line for path in self._list_files() for line in _read_lines(path)]
        notes = [parse_note(line) for line in lines if line.startswith(start, _SUM_CHARS)]
        return [note.picture for note in notes if note is not None]

    def remove_settled(self, settled: Collection[int]) -> None:
        """Remove the files of processes that have ended where all photos they name are settled.

        What was noted after somebody looked which ones are, stays.
        """
        for path in self._list_files():
            with suppress(OSError), path.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its process lives
                if all(note.photo_id in settled for note in _read_notes(path)):
                    path.unlink()

    def _list_files(self) -> Sequence[Path]:
        try:
            return sorted(self.folder.iterdir())
        except OSError:
            return ()


def open_notes(party_folder: Path) -> Unrecorded:
    """The notes of a party, in a folder of its own; where there can be none, they are left out."""
    folder = party_folder / "unrecorded"
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
    return Unrecorded(folder)


def find_whole(
    notes: Unrecorded, store: ImageStore, photo_id: int, url: str, *, is_tried: bool
) -> StoredPicture | None:
    """What is stored of a photo at its address, whole and durably, though it has no row, or None.

    Raises ImageStoreError where the store does not answer.
    """
    found = notes.find(photo_id, url, is_tried=is_tried)
    return next((picture for picture in found if _is_whole(store, picture)), None)


def name_source(url: str) -> str:
    """What stands for an address in notes, always as long."""
    return digest_of(url.encode())[:16]


def format_note(note: Note) -> bytes:
    """The note as it is written: always as long, with a sum that tells a torn one."""
    told = _describe(note.photo_id, note.source) + json.dumps(vars(note.picture)).encode()[1:]
    return b"%08x %s" % (zlib.crc32(told), told.ljust(_NOTE_BYTES - _SUM_CHARS - 1)) + b"\n"


def parse_note(line: bytes) -> Note | None:
    """The note in a line, None where it is torn or is none."""
    told = line[_SUM_CHARS:].rstrip()
    if line[:_SUM_CHARS] != b"%08x " % zlib.crc32(told):
        return None
    with suppress(ValueError, TypeError, AttributeError, KeyError):
        found = json.loads(told)
        return Note(found.pop("photo_id"), found.pop("source"), StoredPicture(**found))
    return None


def _describe(photo_id: int, source: str) -> bytes:
    """What a photo's note begins with."""
    return b'{"photo_id": %d, "source": "%s", ' % (photo_id, source.encode())


def _read_notes(path: Path) -> Iterator[Note]:
    for line in _read_lines(path):
        note = parse_note(line)
        if note is not None:
            yield note


def _read_lines(path: Path) -> Sequence[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except OSError:
        return ()


def _is_whole(store: ImageStore, picture: StoredPicture) -> bool:
    """Whether the bytes are those of the note; whoever put them there may not have waited."""
    try:
        if digest_of(store.get(picture.sha256)) != picture.sha256:
            return False
    except (ImageMissingError, ValueError):
        return False
    path = store.local_path(picture.sha256)
    if path is not None:
        for one in (path, path.parent):
            sync_path(str(one))
    return True
