"""What can go wrong while other people's images are compared with ours."""

from __future__ import annotations

from dedup.errors import DedupError


class OverlapError(DedupError):
    """What was given cannot be compared; the message says what to do."""

    exit_status = 2


class HashFileError(OverlapError):
    """A file of hashes is not whole, or of another version; the message names line and reason."""
