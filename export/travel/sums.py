"""SHA256SUMS, as `sha256sum --check` reads it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

NAME = "SHA256SUMS"


def format_sums(folder: Path) -> str:
    """A line for each file below the folder but this one, in order of the paths."""
    return format_digests(
        {
            path.relative_to(folder).as_posix(): _digest(path)
            for path in folder.rglob("*")
            if path.is_file() and path.name != NAME
        }
    )


def format_digests(digests: Mapping[str, str]) -> str:
    """The same of digests by path, as they were taken from what was written."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items()))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
