"""SHA256SUMS, as `sha256sum --check` reads it."""

from __future__ import annotations

import hashlib
from pathlib import Path

NAME = "SHA256SUMS"


def format_sums(folder: Path) -> str:
    """A line for each file below the folder but this one, in order of the paths."""
    paths = sorted(
        (path.relative_to(folder).as_posix(), path)
        for path in folder.rglob("*")
        if path.is_file() and path.name != NAME
    )
    return "".join(f"{_digest(path)}  {name}\n" for name, path in paths)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
