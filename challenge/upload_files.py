"""The files of uploads while they arrive: one request at a time adds to each."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from catalog.refusals import HeldError, InvalidError, StaleError, UnavailableError
from catalog.sentences import say

from .folder import UPLOADS, Challenge

_SUFFIX = ".part"


def part_path(challenge: Challenge, submission_id: int) -> Path:
    """The file of an upload until it is checked."""
    return challenge.upload_path(submission_id).with_suffix(_SUFFIX)


@contextmanager
def open_part(challenge: Challenge, submission_id: int) -> Iterator[BinaryIO]:
    """The file of an upload, to which one request at a time adds, or which it checks."""
    place = part_path(challenge, submission_id)
    descriptor = os.open(place, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HeldError(
                say("Another request adds to this upload or checks it just now.")
            ) from error
        yield file


def count_bytes(challenge: Challenge, submission_id: int) -> int:
    """How many bytes of an upload are here, from which a broken one goes on."""
    path = part_path(challenge, submission_id)
    return path.stat().st_size if path.exists() else 0


def add(challenge: Challenge, file: BinaryIO, offset: int, pieces: Iterable[bytes]) -> int:
    """Add bytes to an opened upload; how many it has then.

    Raises StaleError where `offset` is not how many there are, InvalidError for too large a file
    or one that was cancelled meanwhile, UnavailableError where the disk is full.
    """
    held = file.seek(0, os.SEEK_END)
    if held != offset:
        raise StaleError(
            say("The upload has {held} bytes; go on from there.", held=held), field="offset"
        )
    for piece in pieces:
        held += len(piece)
        refuse_large(challenge, held)
        if not os.fstat(file.fileno()).st_nlink:
            raise make_ended_error()
        with telling_full():
            file.write(piece)
            file.flush()
    return held


def make_ended_error() -> InvalidError:
    """What a request is told that adds to an upload which was checked, cancelled or gave way."""
    return InvalidError(say("This upload has ended; begin another."))


def find_last_byte(challenge: Challenge, submission_id: int) -> datetime | None:
    """When an upload last got a byte, None before the first."""
    try:
        changed = part_path(challenge, submission_id).stat().st_mtime
    except FileNotFoundError:
        return None
    return datetime.fromtimestamp(changed, UTC)


def is_in_use(challenge: Challenge, submission_id: int) -> bool:
    """Whether a request adds to an upload or checks it just now."""
    if not part_path(challenge, submission_id).exists():
        return False
    try:
        with open_part(challenge, submission_id):
            return False
    except HeldError:
        return True


def refuse_large(challenge: Challenge, held: int) -> None:
    """Raise InvalidError for too large a file, UnavailableError where the disk gets full."""
    limits = challenge.settings.limits
    if held > limits.upload_bytes:
        raise InvalidError(
            say("An upload has at most {most:,} bytes.", most=limits.upload_bytes), field="file"
        )
    if shutil.disk_usage(challenge.folder).free < limits.least_free_bytes:
        raise _make_full_error()


@contextmanager
def telling_full() -> Iterator[None]:
    """Raises UnavailableError where the disk takes no more."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _make_full_error() from error
        raise


def _make_full_error() -> UnavailableError:
    return UnavailableError(
        say(
            "The disk of this server is nearly full, so that it takes no upload now. Nothing that "
            "was sent before is lost; go on later."
        )
    )


def sweep(challenge: Challenge, kept: Collection[int], oldest: datetime) -> None:
    """Delete files older than that but those of these uploads.

    A piece that came while its upload was cancelled leaves one.
    """
    names = {part_path(challenge, submission_id) for submission_id in kept}
    for part in sorted((challenge.folder / UPLOADS).glob(f"*{_SUFFIX}")):
        if part not in names and part.stat().st_mtime < oldest.timestamp():
            part.unlink(missing_ok=True)


def digest_file(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
