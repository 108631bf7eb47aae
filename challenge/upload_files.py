"""The file of an upload that is sent in pieces: who adds to it, its size, a full disk."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from catalog.refusals import HeldError, InvalidError, UnavailableError
from catalog.sentences import say

from .folder import Challenge


def part_path(challenge: Challenge, submission_id: int) -> Path:
    """Where the bytes of an upload are until it is checked."""
    return challenge.upload_path(submission_id).with_suffix(".part")


def count_bytes(challenge: Challenge, submission_id: int) -> int:
    """How many bytes of an upload are here, from which a broken one goes on."""
    path = part_path(challenge, submission_id)
    return path.stat().st_size if path.exists() else 0


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


def digest_file(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
